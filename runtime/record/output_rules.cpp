#include "runtime/record/output_rules.hpp"

#include <algorithm>
#include <array>

#include "runtime/foundation/partial_file.hpp"
#include "runtime/record/column_files.hpp"

namespace hearsay {

namespace {

bool is_one_of(std::string_view file, std::span<const std::string_view> names) {
  return std::ranges::find(names, file) != names.end();
}

/// What a run leaves in its folder, and keeps per peer, before and after its first evaluation.
bool is_of_peers(std::string_view file) {
  return file.starts_with("log-") || file.starts_with("agreement-") ||
         (file.starts_with("peer-") && file.ends_with(".log"));  // of hearsay launch
}

/// True if `file` is the name of a file in the task folder of a sweep.
bool is_of_tasks(std::string_view file) {
  const auto contains = [&](std::string_view part) { return file.find(part) != file.npos; };
  return file.starts_with("plan.json") || without_partial_ending(file) == "job" || file.ends_with(".todo") ||
         contains(".taken-") || contains(".done") || (file.starts_with("task-") && file.ends_with(".log")) ||
         file.starts_with(".nfs");  // a log that was removed while its task had it open
}

}  // namespace

bool is_output_file(std::string_view file) {
  // All are written under another name first.
  static constexpr std::array<std::string_view, 7> records = {
      "run.toml",     "metrics.jsonl", "consensus.jsonl", "provenance.json",
      "summary.json", "sweep.json",    "index.jsonl"};
  static constexpr std::array<std::string_view, 4> of_influence = {
      "influence.json", "influence-samples.csv", "influence-peers.csv", "influence-links.csv"};
  const std::string_view whole = without_partial_ending(file);
  return is_one_of(whole, records) || is_one_of(file, of_influence) || is_of_peers(file) ||
         file.starts_with("checkpoint-") ||
         (file.starts_with("model") && file.find(".npy") != std::string_view::npos);
}

bool is_output_folder(std::string_view name, std::span<const std::string> files, std::size_t folders) {
  const bool is_a_run_file = files.size() == 1 && files.front() == "run.toml" && folders == 0;
  if (name == per_peer_folder && folders == 0 && std::ranges::all_of(files, is_column_file)) return true;
  if (name == task_folder && folders == 0 && std::ranges::all_of(files, is_of_tasks)) return true;
  return !is_a_run_file && std::ranges::all_of(files, is_output_file);
}

std::optional<std::string> why_not_free(const OutputSite& site, bool overwrite) {
  switch (site.kind) {
    case OutputSite::Kind::nothing:
      return std::nullopt;
    case OutputSite::Kind::link_to_nothing:
      return "it is a link to nothing; expected a folder, new or of an earlier run";
    case OutputSite::Kind::file:
      return "it is a file; expected a folder, new or of an earlier run";
    case OutputSite::Kind::folder:
      break;
  }
  const bool is_unfinished = site.holds_metrics && !site.holds_summary;
  if (!overwrite)
    return std::string("it exists") +
           (is_unfinished ? " and holds a run that is going on or was cut off" : "") +
           "; give --overwrite to replace it" + (site.holds_sweep ? ", --resume to keep its points" : "") +
           ", or another --output";
  if (!site.is_output)
    return "it exists and holds other things than outputs of hearsay, so it is not overwritten";
  return std::nullopt;
}

bool was_cut_off(std::string_view status) { return status == "interrupted" || status == "lost"; }

bool has_ended(std::string_view status) { return !status.empty() && !was_cut_off(status); }

bool is_of_a_beginning(std::string_view file) {
  static constexpr std::array<std::string_view, 6> names = {
      "run.toml", "provenance.json", "consensus.jsonl", "checkpoints", "metrics.jsonl", "summary.json"};
  return is_one_of(file, names) || without_partial_ending(file) != file || is_of_peers(file);
}

bool may_begin_anew(bool has_summary, std::string_view status, bool has_a_line) {
  return !(has_summary && !was_cut_off(status)) && !has_a_line;
}

GoneFile gone_file(const RecordFiles& files) {
  const auto is_gone = [](const RecordFile& file, bool was_written) {
    return !file.is_there && (was_written || file.is_told);
  };
  if (is_gone(files.metrics, false)) return GoneFile::metrics;
  if (is_gone(files.consensus, files.metrics_have_checksums)) return GoneFile::consensus;
  if (is_gone(files.index, files.has_models_of_index)) return GoneFile::index;
  return GoneFile::none;
}

}  // namespace hearsay
