#pragma once

#include <string>
#include <vector>

#include "runtime/session/arrival_deadline.hpp"
#include "runtime/settings/fault_settings.hpp"
#include "runtime/settings/run_settings.hpp"
#include "tools/terminal/human_text.hpp"

namespace hearsay {

/// Returns what becomes of a run that loses a peer.
inline std::string failure_text(const RunSettings::Failure& failure, bool rounds_close) {
  const std::string silence = "after " + to_text(failure.lost_after) + " of silence (at most " +
                              to_text(ArrivalDeadline::times_lost_after * failure.lost_after) +
                              ", if a peer was silent for long before) ";
  std::string policy =
      failure.drops() ? silence + "the others go on without it" +
                            (rounds_close ? " (until then the hub takes it for late, round by round)" : "")
                      : silence + "the run ends";
  if (failure.hub_standby)
    policy += "; if it is the hub, peer " + std::to_string(*failure.hub_standby) + " takes over";
  if (!failure.keeps_checkpoints()) return policy + "; no checkpoints";
  return policy + "; checkpoints every " +
         (failure.checkpoint_period != Duration{0} ? to_text(failure.checkpoint_period)
                                                   : counted(failure.checkpoint_every, "iteration"));
}

/// Returns what `hearsay check` says of the faults of a run. Its figures are those of a run to which nothing
/// happens.
inline std::string faults_text(const std::vector<FaultTable>& tables, PeerId peers) {
  const std::vector<Fault> faults = faults_of(tables, peers);
  return std::to_string(faults.size()) + " from " + to_text(faults.front().at) + " to " +
         to_text(faults.back().at) + "; the figures below are without them";
}

}  // namespace hearsay
