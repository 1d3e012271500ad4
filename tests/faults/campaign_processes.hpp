#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <set>
#include <vector>

#include "tests/faults/campaign_plan.hpp"

namespace hearsay::test {

/// True if the process has not ended.
bool lives(pid_t process);

/// Returns the program of peer `id`, a descendant of the process; empty if there is none.
std::optional<pid_t> program_under(pid_t ancestor, std::size_t id);

/// Tells the processes below a `hearsay run` apart, while they are started, killed and started anew.
class CampaignProcesses {
 public:
  CampaignProcesses(pid_t parent, const CampaignRun& run) : parent_(parent), run_(run) {}

  /// Notes the children that are there. Call it often: a child that ended before it was seen is missing.
  void look();
  /// Returns the process of a peer; empty if there is none, or none that is known.
  std::optional<pid_t> peer(std::size_t id) const;
  std::optional<pid_t> program(std::size_t id) const { return program_under(parent_, id); }

 private:
  pid_t parent_;
  CampaignRun run_;
  std::vector<pid_t> forked_;  // children that are no programs, in the order of their start
  std::set<pid_t> programs_;
};

}  // namespace hearsay::test
