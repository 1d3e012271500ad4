#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Something that happens to processes of a run, at a time that counts from its start: a [[fault]].
struct Fault {
  enum class Kind {
    death,      ///< the processes are killed; after `lasts` they are started again
    freeze,     ///< they stand still for `lasts`
    partition,  ///< for `lasts`, no frame passes between them and all others; the observer is with peer 0
    rejoin,     ///< processes are started of peers that were killed, or that join later
  };
  Duration at{0};
  std::vector<PeerId> peers;  ///< ascending
  Kind kind = Kind::death;
  std::optional<Duration> lasts = {};  ///< empty: for good
  bool operator==(const Fault&) const = default;
};

/// Kills at random: so many peers, drawn one by one, each at an instant that is uniform from 0 to `within`.
struct RandomKills {
  std::uint64_t kills = 0;
  std::uint64_t seed = 1;
  Duration within{0};
  std::optional<Duration> lasts = {};  ///< until a killed process is started again; empty: never
  bool operator==(const RandomKills&) const = default;
};

/// The tables of a run file, in its order.
using FaultTable = std::variant<Fault, RandomKills>;

/// Returns what happens to peer `id`, for the user: "peer 3 is killed for 4 s: a [[fault]]".
std::string sentence_on(const Fault& fault, PeerId id);

/// Returns all faults of the tables, random ones drawn, in the order of their times.
std::vector<Fault> faults_of(const std::vector<FaultTable>& tables, PeerId peer_count);

}  // namespace hearsay
