#pragma once

#include <optional>
#include <string>

#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_input.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Policy "drop": the peers without which a run ends after all. These are the hub, or its standby once the
/// hub is lost, since no worker trains without; the last worker of a hub; and the last peer.
class VitalPeers {
 public:
  /// Both must outlive this.
  VitalPeers(const ObserverInput& input, const Members& members) : input_(input), members_(members) {}

  bool is_hub(PeerId id) const { return input_.has_hub && id == hub_id; }
  bool is_worker(PeerId id) const { return input_.has_hub && id != hub_id; }
  /// True if no worker trains without peer `id`: it is the hub, or its standby and the hub is lost, and there
  /// is no other.
  bool is_last_hub(PeerId id) const;
  /// True if peer `id`, which was lost, stays so when it is heard again: with a standby no lost hub comes
  /// back, and no worker while the first hub is there.
  bool stays_lost(PeerId id) const {
    return input_.failure.hub_standby && (is_hub(id) || !members_.is_lost(hub_id));
  }

  /// Why the run ends, in a sentence, since the last hub is lost: `how`, a sentence.
  static std::string loss_of_hub(const std::string& how) {
    return how + "; it is the hub, without which no worker trains";
  }
  /// Why the run ends, in a sentence, now that peer `id` is lost; nothing if it goes on.
  std::optional<std::string> why_run_ends_without(PeerId id) const;

 private:
  const ObserverInput& input_;
  const Members& members_;
};

}  // namespace hearsay
