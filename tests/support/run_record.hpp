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
  /// The lines of metrics.jsonl, but for what the clock has to do with.
  std::vector<std::string> evaluations;

  /// A counter of all peers together.
  std::uint64_t total(const std::string& counter) const;
};

RunRecord record_of(const std::filesystem::path& output);

/// How many evaluations there are so far.
std::size_t evaluations_in(const std::filesystem::path& output);

enum class Said {
  the_same,
  more,  ///< questions and copies of replicas, besides
};

/// Faults between them changed nothing: both ended well, with the same models, to the last bit, and the same
/// evaluations; replicas equal their owners.
void check_same_run(const RunRecord& disturbed, const RunRecord& undisturbed, Said said = Said::the_same);

}  // namespace hearsay::test
