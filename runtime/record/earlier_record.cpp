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
#include "runtime/record/output_rules.hpp"
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

/// True if no run has come to its first evaluation in the directory, which may not exist: it has nothing in
/// it, or only what a run writes before that.
bool is_mere_beginning(const fs::path& directory) {
  std::error_code error;
  if (!fs::exists(directory, error)) return !error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(directory, error))
    if (!is_of_a_beginning(entry.path().filename().string())) return false;
  if (error) return false;
  const bool has_summary = fs::exists(directory / "summary.json", error);
  std::ifstream metrics(directory / "metrics.jsonl", std::ios::binary);
  const std::string written{std::istreambuf_iterator<char>(metrics), {}};
  const bool has_a_line = written.find('\n') != written.npos;  // at most half a line does not count
  return may_begin_anew(has_summary, has_summary ? status_of(summary_in(directory)) : "", has_a_line);
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

/// Throws DamagedRecord if a file is not there that the run wrote.
void require_all_files(const fs::path& directory, const nlohmann::ordered_json& summary,
                       const RecordLines& metrics) {
  const auto look_at = [&](const char* name) {
    std::error_code ignored;
    return RecordFile{fs::exists(directory / name, ignored), tells_lines_of(summary, name)};
  };
  const auto gone_name = [&]() -> const char* {
    switch (gone_file({.metrics = look_at("metrics.jsonl"),
                       .consensus = look_at("consensus.jsonl"),
                       .index = look_at(models_index),
                       .metrics_have_checksums = metrics.checksum.has_value(),
                       .has_models_of_index = has_models_of_index(directory, metrics)})) {
      case GoneFile::none:
        break;
      case GoneFile::metrics:
        return "metrics.jsonl";
      case GoneFile::consensus:
        return "consensus.jsonl";
      case GoneFile::index:
        return models_index;
    }
    return nullptr;
  };
  if (const char* const name = gone_name())
    throw DamagedRecord((directory / name).string() +
                        ": it is gone, and the run wrote it; expected the file as the run wrote it");
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
    return {evaluations_of(directory, metrics), has_ended(status_of(summary))};
  } catch (const DamagedRecord& damage) {
    throw Misuse(std::string(damage.what()) + ", or --overwrite instead of --resume, which begins anew");
  }
}

}  // namespace hearsay
