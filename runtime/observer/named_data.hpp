#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/wire/agreement.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What the peers of a run call their own data. Neighbors compare it among themselves; here it is compared
/// among all, since between two peers that name theirs may be one whose files name nothing.
class NamedData {
 public:
  /// Returns what `peer` names otherwise than another one that was noted, in a sentence that says both, for
  /// all of the run to read; nothing if there is no such name.
  std::optional<std::string> objection_to(PeerId peer, const Agreement& agreement) const;
  /// Notes what `peer` says, in the place of what it said before.
  void note(PeerId peer, const Agreement& agreement);

 private:
  std::map<PeerId, std::vector<AgreedSetting>> said_;
};

}  // namespace hearsay
