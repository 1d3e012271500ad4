#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tools/report/run_folder.hpp"

namespace hearsay {

/// Everything a page shows, as one JSON document. Runs and sweeps have one form, the *group*: series
/// (variants, or runs) by axes.
///
///     {"title", "groups":[
///        {"kind":"runs"|"sweep", "name", "driver", "baseline":index of a series or null,
///         "series":[name,..],
///         "axes":[{"key", "values":[as written,..], "numbers":[in bit/s, s or as they are,..] or null}],
///         "points_in_total",
///         "points":[{"series", "at":[index of the value,..per axis], "folder", "status", "note",
///                    "facts":{..}, "learned":index, "seconds":[..], "peers":{..}, "picture":index,
///                    "run_file":[index of a line,..]}]}],
///      "learned":[columns,..], "pictures":[..], "lines":[..]}
///
/// What is the same of many points stands once, at the end: the course of what was learned, which no network
/// changes, the topologies, the lines of the run files.
class ReportData {
 public:
  explicit ReportData(std::string title);

  /// The folders of runs, as one group; each a series of its name, or of its name and folder where two are of
  /// one name. Throws Misuse as read_run_folder.
  void add_runs(const std::vector<std::filesystem::path>& folders);
  /// The output of a sweep. Throws Misuse where sweep.json is none.
  void add_sweep(const std::filesystem::path& folder);
  /// Without groups again; what was drawn need not be drawn a second time.
  void begin_again();
  /// A run that goes on, or that has just ended.
  void add_run(const RunFolder& run, const std::string& name, const std::string& folder);

  const nlohmann::ordered_json& json() const { return data_; }

 private:
  using Drawn = std::pair<TopologySettings, std::uint64_t>;  ///< with the seed

  nlohmann::ordered_json data_;
  std::vector<Drawn> drawn_;  ///< data_["pictures"], in the same order

  nlohmann::ordered_json point_of(const RunFolder& run, const std::string& folder);
  std::size_t picture_of(const RunSettings& settings);
};

/// A report of folders that hold a run or a sweep each: the runs first, as one group. Throws Misuse where one
/// holds neither.
ReportData report_data(const std::vector<std::filesystem::path>& folders);

}  // namespace hearsay
