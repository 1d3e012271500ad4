#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/wire/agreement.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What the peers of a run state beside its settings (Agreement::statements). Neighbors compare it among
/// themselves; here it is compared among all, since between two peers that name their data may be one whose
/// files name nothing.
class PeerStatements {
 public:
  /// Returns what `peer` states otherwise than another one that was noted, in a sentence that says both, for
  /// all of the run to read; nothing if there is no such statement.
  std::optional<std::string> objection_to(PeerId peer, const Agreement& agreement) const;
  /// Returns that the peers train on another number of samples than `samples`, in a sentence that says how
  /// many each has; nothing if the sum is right, or one of the `peer_count` peers has not stated its number.
  std::optional<std::string> objection_to_samples(std::uint64_t samples, PeerId peer_count) const;
  /// Returns which peers are of which build of hearsay, in a sentence; empty if all are of one.
  std::string different_builds() const;
  /// Notes what `peer` states, in the place of what it stated before.
  void note(PeerId peer, const Agreement& agreement);

 private:
  using Statements = std::vector<AgreedSetting>;

  std::map<PeerId, Statements> stated_;
  std::map<Statements, std::set<PeerId>> peers_by_statements_;  // most peers state the same
};

}  // namespace hearsay
