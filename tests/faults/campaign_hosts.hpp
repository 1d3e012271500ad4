#pragma once

#include <sys/types.h>

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "tests/faults/campaign_oracle.hpp"
#include "tests/faults/campaign_plan.hpp"
#include "tests/faults/campaign_toll.hpp"
#include "tests/faults/host_peers.hpp"

namespace hearsay::test {

/// A campaign against processes of `hearsay peer`, each started on its own. A peer that is gone is started
/// again: under policy "wait" always, with --resume, under "drop" only if it was gone before the run began.
class HostsCampaign {
 public:
  explicit HostsCampaign(CampaignPlan plan);
  /// Strikes as planned, waits for the end of all, and checks what it came to.
  void run();
  /// The strikes that have hit somebody.
  const std::vector<Strike>& hits() const { return toll_.hits; }

 private:
  void start(std::size_t id, bool resumes);
  void strike(const Strike& strike);
  std::optional<pid_t> victim_of(const Strike& strike);
  void end_peer(const Strike& strike);
  void pass_until(Instant time);
  void wake_until(Instant time);
  void note_end(std::size_t id);
  /// Notes who has ended, and how. Under policy "wait" those that a run has taken along that was told to end
  /// before it began are started again.
  void take_note_of_ends();
  void wait_for_all();

  /// True if every peer has trained; x_0 is judged when the first one may.
  bool has_begun() const { return evaluations_in(hosts_.output(0)) > 1; }
  bool is_over() const { return evaluations_in(hosts_.output(0)) == campaign_evaluations; }
  bool ended_well(std::size_t id) {
    return test::ended_well(toll_, *codes_[id], hosts_.peer(id).complained());
  }
  bool may_be_lost(std::size_t id) const { return toll_.may_be_lost().contains(id); }
  CampaignEnd end_of_0();
  void check_waited();
  void start_all_again();
  void check_dropped_on_hosts();
  void check_interrupted();
  void check_those_without_peer_0();

  CampaignPlan plan_;
  std::vector<std::string> settings_;
  HostPeers hosts_;
  std::array<std::optional<int>, HostPeers::count> codes_;  // of those that have ended for good
  std::multimap<Instant, pid_t> asleep_;                    // who is to be woken when
  Instant started_{};
  CampaignToll toll_;
  bool was_mute_before_the_run_ = false;  // a program was
};

}  // namespace hearsay::test
