#include "runtime/record/earlier_record.hpp"

#include <charconv>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/damaged_record.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/kept_models.hpp"
#include "runtime/record/line_checksum.hpp"
#include "runtime/record/record_lines.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// Returns the status in the summary; empty if there is none.
std::string status_of(const nlohmann::ordered_json& summary) {
  return summary.is_object() && summary.contains("status") && summary["status"].is_string()
             ? summary["status"].get<std::string>()
             : "";
}

bool was_cut_off(const std::string& status) { return status == "interrupted" || status == "lost"; }

/// True if no run has come to its first evaluation in the directory, which may not exist: it has nothing in
/// it, or only what a run writes before that.
bool is_mere_beginning(const fs::path& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) return !error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, error)) {
    const std::string name = entry.path().filename().string();
    const bool is_begun = name == "run.toml" || name == "provenance.json" || name == "consensus.jsonl" ||
                          name.ends_with(".partial") || name.starts_with("log-") ||
                          name.starts_with("agreement-") ||
                          (name.starts_with("peer-") && name.ends_with(".log"));
    const bool is_known =
        name == "checkpoints" || name == "metrics.jsonl" || name == "summary.json" || is_begun;
    if (!is_known) return false;
  }
  if (error ||
      (fs::exists(directory / "summary.json", error) && !was_cut_off(status_of(summary_in(directory)))))
    return false;
  std::ifstream metrics(directory / "metrics.jsonl", std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(metrics), {}};
  return written.find('\n') == written.npos;  // at most half a line
}

std::vector<Evaluation> evaluations_of(const fs::path& directory, const RecordLines& lines) {
  std::vector<Evaluation> record;
  const std::size_t whole = lines.unreadable.empty() ? lines.objects.size() : lines.unreadable.front() - 1;
  for (std::size_t k = 0; k < whole; ++k) {
    const auto evaluation = evaluation_from(lines.objects[k]);
    if (!evaluation) break;
    record.push_back(*evaluation);
  }
  if (record.empty() && !is_mere_beginning(directory))
    throw Misuse(
        "run.output", directory,
        "there is no run to go on with: metrics.jsonl holds no evaluation; expected --overwrite instead "
        "of --resume, which begins anew");
  return record;
}

/// True if the summary tells the checksum of lines in the file.
bool tells_lines_of(const nlohmann::ordered_json& summary, const char* name) {
  if (!summary.is_object() || !summary.contains("crc32_of")) return false;
  const auto& told = summary["crc32_of"];
  return told.is_object() && told.contains(name) && told[name] != LineChecksum().text();
}

/// True if models were kept whose lines in the index were written before the last evaluation: files of one
/// iteration are written before its line, and that before the next evaluation.
bool has_models_of_index(const fs::path& directory, const RecordLines& metrics) {
  constexpr std::string_view stem = "model-";
  const std::uint64_t last =
      metrics.objects.empty() ? 0 : metrics.objects.back().value("iteration", std::uint64_t{0});
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(directory / models_folder, ignored)) {
    const std::string name = file.path().filename().string();
    if (!name.starts_with(stem) || !name.ends_with(".npy")) continue;
    std::uint64_t iteration = last;
    std::from_chars(name.data() + stem.size(), name.data() + name.size(), iteration);
    if (iteration < last) return true;
  }
  return false;
}

/// Throws DamagedRecord if a file is not there that the run wrote. A run that was killed has no summary that
/// would say so. Lines of metrics.jsonl that have checksums are of a version that makes consensus.jsonl
/// before them.
void require_all_files(const fs::path& directory, const nlohmann::ordered_json& summary,
                       const RecordLines& metrics) {
  const auto require = [&](const char* name, bool was_written) {
    std::error_code ignored;
    if (fs::exists(directory / name, ignored) || !(was_written || tells_lines_of(summary, name))) return;
    throw DamagedRecord((directory / name).string() +
                        ": it is gone, and the run wrote it; expected the file as the run wrote it");
  };
  require("metrics.jsonl", false);
  require("consensus.jsonl", metrics.checksum.has_value());
  require(models_index, has_models_of_index(directory, metrics));
}

}  // namespace

std::vector<Evaluation> recorded_evaluations(const fs::path& directory) {
  return evaluations_of(directory, read_record_lines(directory / "metrics.jsonl"));
}

EarlierRecord earlier_record(const fs::path& directory) {
  try {
    const nlohmann::ordered_json summary = summary_in(directory);
    const RecordLines metrics = read_record_lines(directory / "metrics.jsonl");
    const RecordLines consensus = read_record_lines(directory / "consensus.jsonl");
    const RecordLines models = read_record_lines(directory / models_index);
    require_all_files(directory, summary, metrics);
    require_last_line(directory, "metrics.jsonl", summary, metrics.checksum, metrics.objects.size());
    require_last_line(directory, "consensus.jsonl", summary, consensus.checksum, consensus.objects.size());
    require_last_line(directory, models_index, summary, models.checksum, models.objects.size());
    const std::string status = status_of(summary);
    return {evaluations_of(directory, metrics), !status.empty() && !was_cut_off(status)};
  } catch (const DamagedRecord& damage) {
    throw Misuse(std::string(damage.what()) + ", or --overwrite instead of --resume, which begins anew");
  }
}

}  // namespace hearsay
