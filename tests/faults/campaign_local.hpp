#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "tests/faults/campaign_oracle.hpp"
#include "tests/faults/campaign_plan.hpp"
#include "tests/faults/campaign_processes.hpp"
#include "tests/faults/campaign_toll.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test {

/// A campaign against the processes of `hearsay run`.
class LocalCampaign {
 public:
  explicit LocalCampaign(CampaignPlan plan);
  /// Strikes as planned, waits for the end, and checks what it came to.
  void run();
  /// The strikes that have hit somebody.
  const std::vector<Strike>& hits() const { return toll_.hits; }

 private:
  std::filesystem::path output() const { return folder_.path() / "out"; }
  std::vector<std::string> program_words() const;
  void begin(bool resumes);
  /// Waits until the time, and wakes whoever has stood still for long enough. False if the run ends before.
  bool pass_until(Instant time);
  void wake_until(Instant time);

  void strike(const Strike& strike);
  void strike_parent(const Strike& strike);
  std::optional<pid_t> found(const Strike& strike);
  void stop(pid_t process, const Strike& strike);
  void note(const Strike& strike, const std::string& what);
  void note_hit(const Strike& strike);

  /// Waits for the end of `hearsay run`, at most as long as a campaign may wait, and returns its exit code.
  int end();
  bool was_refused();
  CampaignEnd ended();
  void check_same_bits_in_the_end();
  void check_left_alone();

  CampaignPlan plan_;
  DataFolder folder_;
  std::optional<Program> program_;
  std::optional<CampaignProcesses> processes_;
  std::optional<int> code_;               // of `hearsay run`, once it has ended
  std::multimap<Instant, pid_t> asleep_;  // who is to be woken when
  Instant started_{};
  CampaignToll toll_;
};

}  // namespace hearsay::test
