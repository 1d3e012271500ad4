#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// Before two peers train together, each sends the other a hello frame whose payload is its agreement:
// everything that must be equal on both sides for the run to be one run. What may differ is not in it: paths,
// the number of iterations, the shape of the network, the output. Peer id, incarnation and the next
// (iteration, slot) needed stand in the hello's header (wire.hpp).
//
// The payload: u16 number of settings; of each, u16 length and bytes of its key, then of its value.
// Little-endian.

struct AgreedSetting {
  std::string key;
  std::string value;
  bool operator==(const AgreedSetting&) const = default;
};

/// Keys as in the run file, with their values as text, in the order in which they are compared.
struct Agreement {
  std::vector<AgreedSetting> settings;
  bool operator==(const Agreement&) const = default;
};

inline constexpr std::size_t max_agreed_settings = 64;
/// Of a key or a value, in bytes.
inline constexpr std::size_t max_agreed_text = 1024;

/// What the peers of this run have to agree on. `dimension` is the model's; `data_digest` covers the loaded
/// data (after scaling) and an initial model read from a file, wherever the files are; `topology_digest`
/// covers peers, edges and weights. Throws Misuse where a value is longer than 1,024 bytes or has control
/// characters.
Agreement make_agreement(const RunSettings& settings, std::uint64_t dimension, std::uint64_t data_digest,
                         std::uint64_t topology_digest);

std::vector<std::byte> encode_agreement(const Agreement& agreement);
/// Total on arbitrary bytes: nothing unless they are exactly one agreement within the limits above, without
/// control characters (a stranger's text may end up on a terminal).
std::optional<Agreement> decode_agreement(std::span<const std::byte> bytes);

/// A sentence from the network, fit for a terminal: control characters become spaces, and it ends after 1,024 bytes.
std::string printable_text(std::span<const std::byte> bytes);

/// The digest of an agreement that every header of the run carries.
std::uint32_t run_id(const Agreement& agreement);

/// Nothing if the agreements are equal; else a sentence that names the first difference and both values:
///
///     peer 3 runs with algorithm.kind = d-psgd, this peer with dcd-psgd
std::optional<std::string> disagreement(const Agreement& mine, const Agreement& theirs,
                                        std::string_view their_name);

/// What peer `self` makes of the hello of peer `caller`: nothing to say to either, or what to tell the caller, and what
/// to tell its own user, where the two must not train together.
struct HelloVerdict {
  std::string for_the_caller;
  std::string for_me;
  bool welcome() const { return for_the_caller.empty(); }
};
/// `listens`: the topology says that self hears the caller. Total on arbitrary bytes.
HelloVerdict judge_hello(const Agreement& mine, PeerId self, std::span<const std::byte> hello, PeerId caller,
                         bool listens);

}  // namespace hearsay
