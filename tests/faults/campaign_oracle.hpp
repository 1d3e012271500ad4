#pragma once

#include <signal.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/faults/campaign_plan.hpp"
#include "tests/faults/campaign_toll.hpp"

namespace hearsay::test {

// What a campaign may come to, after what it has done: the tables of faults in the READMEs of checkpoint and
// session.

/// A campaign that waits so long for anything has failed.
inline constexpr auto too_long = std::chrono::seconds(20);

/// True if SIGTERM has ended the process, by its handler or before there was one, or has ended the run.
inline bool was_interrupted(int code) { return code == 130 || code == -SIGTERM; }

/// The run that was disturbed, and how the process that keeps its record ended.
struct CampaignEnd {
  std::filesystem::path folder;  ///< of run.toml
  std::filesystem::path output;
  std::vector<std::string> settings;  ///< what the command has beside the run file
  int code;
  std::string complained;
};

/// True for the exit code of a process that did all it was to do: 0, or 3 if one of its programs was ended
/// after its last answer, as `complained` says: that makes 3 of the exit code, and changes nothing else.
bool ended_well(const CampaignToll& toll, int code, const std::string& complained);

/// Checks that no fault changed a bit: the record equals that of the simulator. The process has
/// ended well.
void check_same_bits(const CampaignToll& toll, const CampaignEnd& end);

/// Checks a run under policy "drop" whose record was kept: who was lost is in the record and may be lost by
/// the toll, and all others trained to the end. If nobody was hit, or a hub that has a standby alone, no bit
/// has changed. A run whose hub was lost ends with code 3 and its name.
void check_dropped(const CampaignRun& run, const CampaignToll& toll, const CampaignEnd& end);

}  // namespace hearsay::test
