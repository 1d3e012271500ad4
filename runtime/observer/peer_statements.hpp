#pragma once

#include <map>
#include <optional>
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
  /// Notes what `peer` states, in the place of what it stated before.
  void note(PeerId peer, const Agreement& agreement);

 private:
  std::map<PeerId, std::vector<AgreedSetting>> stated_;
};

}  // namespace hearsay
