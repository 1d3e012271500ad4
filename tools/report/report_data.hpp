#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tools/report/consensus_map.hpp"
#include "tools/report/reading_progress.hpp"
#include "tools/report/run_folder.hpp"
#include "tools/report/topology_picture.hpp"

namespace hearsay {

/// Returns the bits and the error of a run's compressor, and "curves" of what theory allows; null if they are
/// not known.
using RateOf = std::function<nlohmann::ordered_json(const RunSettings& settings)>;

/// Everything a page shows, as one JSON document. Runs and sweeps have one form, the *group*: series
/// (variants, or runs) by axes.
///
///     {"title", "groups":[
///        {"kind":"runs"|"sweep", "name", "driver", "baseline":index of a series or null,
///         "series":[name,..],
///         "axes":[{"key", "values":[as written,..], "numbers":[in bit/s, s or as they are,..] or null}],
///         "tuning":{..} (if axes were tuned away: see tuning_phase),
///         "points_in_total", "repeats":seeds of every point (if there are several),
///         "quantiles":[of Student's t for the 95 % interval of 2 seeds, of 3,.. up to "repeats"],
///         "points":[{"series", "at":[index of the value,..per axis], "seed" (with repeats), "folder",
///                    "status", "note", "facts":{..}, "learned":index, "consensus":index or null,
///                    "seconds":[..], "peers":{..}, "provenance":{..} or null, "picture":index,
///                    "events":[{"what","peer","iteration","seconds"},..] (as in summary.json),
///                    "rate":{..} (of the first point of each series: as RateOf says, "curves" an index),
///                    "influence":{..} (as influence.json has it, if there is one),
///                    "run_file":[index of a line,..]}]}],
///      "learned":[columns,..], "consensus":[maps,..], "pictures":[..], "lines":[..],
///      "curves":[of "rate",..]}
///
/// Data that many points share stand once, at the end: what was learned (which no network changes), the
/// topologies, and the lines of the run files.
class ReportData {
 public:
  /// `rate_of`, if there is one, is asked for the first point of each series.
  explicit ReportData(std::string title, RateOf rate_of = {});

  /// Adds the folders of runs as one group, each a series with the name of the run. Runs with equal names
  /// also get the name of their folder. Throws Misuse as read_run_folder does.
  void add_runs(const std::vector<std::filesystem::path>& folders, const ReadingWatch& watch = {});
  /// Adds the output of a sweep. Throws Misuse if sweep.json is not the record of a sweep.
  void add_sweep(const std::filesystem::path& folder, const ReadingWatch& watch = {});
  /// Removes all groups. Keeps the pictures, which need not be drawn again.
  void begin_again();
  /// Adds a run that goes on, or has just ended.
  void add_run(const RunFolder& run, const std::string& name, const std::string& folder);

  const nlohmann::ordered_json& json() const { return data_; }

 private:
  nlohmann::ordered_json data_;
  RateOf rate_of_;
  std::unordered_map<std::string, std::size_t> learned_places_;  ///< in data_["learned"], by the text
  std::unordered_map<std::string, std::size_t> line_places_;     ///< in data_["lines"]
  ConsensusMaps consensus_maps_;                                 ///< of data_["consensus"]
  TopologyPictures pictures_;                                    ///< of data_["pictures"]

  struct Gap {
    std::pair<TopologySettings, std::uint64_t> topology;  ///< with the seed
    std::string method;
    nlohmann::ordered_json gap;
  };
  std::vector<Gap> gaps_;  ///< of runs that have not ended

  nlohmann::ordered_json spectral_gap_of_unfinished(const RunSettings& settings);
  nlohmann::ordered_json point_of(const RunFolder& run, const std::string& folder);
  void add_rate(const RunFolder& run, std::size_t series, nlohmann::ordered_json& point);
};

/// Returns the report of folders that hold a run or a sweep each: first the runs, as one group, then each
/// sweep. `watch`, if there is one, hears of every run that has been read. Throws Misuse if a folder holds
/// neither.
ReportData report_data(const std::vector<std::filesystem::path>& folders, const ReadingWatch& watch = {},
                       RateOf rate_of = {});

}  // namespace hearsay
