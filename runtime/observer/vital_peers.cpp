#include "runtime/observer/vital_peers.hpp"

#include "topology/foundation/ensure.hpp"

namespace hearsay {

bool VitalPeers::is_last_hub(PeerId id) const {
  const std::optional<PeerId>& standby = input_.failure.hub_standby;
  if (id == standby) return members_.is_lost(hub_id);
  return is_hub(id) && (!standby || members_.is_lost(*standby));
}

std::optional<std::string> VitalPeers::why_run_ends_without(PeerId id) const {
  ensure(members_.is_lost(id), "a run ends for want of a peer that is lost");
  if (members_.all_are_lost()) return "all peers were lost";
  if (!input_.has_hub || !members_.only_one_left(hub_id)) return std::nullopt;
  return members_[id].misses_hub ? loss_of_hub("peer 0 was lost: no worker hears it")
                                 : "all workers were lost";
}

}  // namespace hearsay
