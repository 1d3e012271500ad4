#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hearsay::test {

/// What a run left in its output directory.
struct RunRecord {
  nlohmann::ordered_json summary;
  /// The lines of metrics.jsonl without the members that depend on the clock.
  std::vector<std::string> evaluations;

  /// Returns the sum of a counter over all peers.
  std::uint64_t total(const std::string& counter) const;
};

RunRecord record_of(const std::filesystem::path& output);

/// Returns how many evaluations are recorded so far.
std::size_t evaluations_in(const std::filesystem::path& output);

enum class Said {
  the_same,
  more,  ///< more traffic: questions about replicas, and copies of them
};

/// Checks that faults changed nothing: both runs ended well, with the same models to the last bit and the
/// same evaluations, and the replicas equal their owners. `said` tells whether the disturbed run sent the
/// same messages or more.
void check_same_run(const RunRecord& disturbed, const RunRecord& undisturbed, Said said = Said::the_same);

}  // namespace hearsay::test
