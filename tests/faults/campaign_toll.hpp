#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "tests/faults/campaign_plan.hpp"

namespace hearsay::test {

/// What the strikes of a campaign have hit.
struct CampaignToll {
  std::vector<Strike> hits;       ///< the strikes whose target was there
  std::set<std::size_t> ended;    ///< peers that were killed or terminated
  std::set<std::size_t> stopped;  ///< peers that stood still for longer than failure.lost_after
  std::set<std::size_t> mute;     ///< peers whose program stood still for longer than it may
  bool interrupted = false;       ///< the run was told to end: by SIGTERM to its parent, or before it began
  bool parent_was_killed = false;
  std::string story;

  /// Peers that may be lost to the others; nobody else may.
  std::set<std::size_t> may_be_lost() const {
    std::set<std::size_t> all = ended;
    all.insert(stopped.begin(), stopped.end());
    all.insert(mute.begin(), mute.end());
    return all;
  }
};

}  // namespace hearsay::test
