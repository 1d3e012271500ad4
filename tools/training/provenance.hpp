#pragma once

#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace hearsay {

/// Who made a record, when, where and how. Begins with its construction.
class Provenance {
 public:
  /// `command` is the command line of the user; if it is empty, that of this process.
  explicit Provenance(std::string command = {});

  /// Returns the member "provenance" of summary.json. It ends now:
  ///
  ///     {"begun", "ended" (UTC, "2026-11-22T18:00:00Z"), "version", "command" (quoted for a shell),
  ///      "host", "processor", "cores", "memory_bytes", "seed", "warnings":[..]}
  nlohmann::ordered_json record(std::uint64_t seed, const std::vector<std::string>& warnings) const;
  /// Returns the same while the run goes on: "ended" is null.
  nlohmann::ordered_json beginning(std::uint64_t seed, const std::vector<std::string>& warnings) const;

 private:
  std::chrono::system_clock::time_point begun_;
  std::string command_;
};

/// Returns the command line of this process as a user would type it: words that need it are quoted.
std::string own_command_line();

}  // namespace hearsay
