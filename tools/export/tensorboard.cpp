#include "tools/export/tensorboard.hpp"

#include <chrono>
#include <cmath>
#include <ctime>
#include <optional>

#include "runtime/foundation/whole_file.hpp"
#include "tools/export/event_file.hpp"
#include "tools/export/export_folder.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// How the names of event files begin, and how those of hearsay end.
constexpr const char* event_prefix = "events.out.tfevents.";
constexpr const char* event_suffix = ".hearsay";

/// Returns the event files in a folder; empty if there is no such folder.
std::vector<fs::path> event_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().filename().string().starts_with(event_prefix)) files.push_back(entry.path());
  return files;
}

/// Returns the seconds from 1970 to an instant such as "2026-11-22T18:00:00Z"; empty if it is none.
std::optional<double> seconds_since_1970(const Json& instant) {
  std::tm parts{};
  if (!instant.is_string()) return std::nullopt;
  const std::string text = instant;
  const char* const end = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  if (end == nullptr || *end != '\0') return std::nullopt;
  return static_cast<double>(timegm(&parts));
}

/// Returns when the run began, in seconds since 1970. If it was cut off before it said so, that is when its
/// run.toml was written.
double start_of(const ExportedRun& exported) {
  const Json& summary = exported.run.summary;
  if (summary.is_object() && summary.contains("provenance"))
    if (const auto begun = seconds_since_1970(summary["provenance"].value("begun", Json()))) return *begun;
  std::error_code failed;
  const auto written = fs::last_write_time(exported.folder / "run.toml", failed);
  if (failed) return 0.0;
  const auto since_epoch = std::chrono::file_clock::to_sys(written).time_since_epoch();
  return std::chrono::duration<double>(since_epoch).count();
}

double number_or_zero(const Json& value) { return value.is_number() ? value.get<double>() : 0.0; }

/// Adds the numbers of an evaluation: "loss", "peer_seconds/wait". TensorBoard groups tags at the slash.
void add_scalars(std::vector<TaggedScalar>& scalars, const std::string& prefix, const Json& members) {
  for (const auto& [key, value] : members.items()) {
    if (value.is_object()) add_scalars(scalars, prefix + key + "/", value);
    if (value.is_number() && key != "iteration") scalars.emplace_back(prefix + key, value.get<double>());
  }
}

}  // namespace

void require_free_for_tensorboard(const fs::path& folder, const std::vector<ExportedRun>& runs,
                                  bool overwrite) {
  require_export_folder("--tensorboard", folder);
  for (const ExportedRun& exported : runs) {
    require_export_folder("--tensorboard", folder / exported.place);
    for (const fs::path& file : event_files(folder / exported.place)) {
      if (!file.string().ends_with(event_suffix))
        throw Misuse(
            "--tensorboard", file.string(),
            "it is there, and not of hearsay; TensorBoard would mix both runs; expected another folder");
      if (!overwrite) throw Misuse("--tensorboard", file.string(), "it is there; --overwrite replaces it");
    }
  }
}

std::size_t write_tensorboard(const fs::path& folder, const std::vector<ExportedRun>& runs,
                              const std::string& host) {
  std::size_t written = 0;
  for (const ExportedRun& exported : runs) {
    if (exported.run.course.empty()) continue;
    const double start = start_of(exported);
    EventFile file(start);
    for (const Json& evaluation : exported.run.course) {
      std::vector<TaggedScalar> scalars;
      add_scalars(scalars, "", evaluation);
      file.add(start + number_or_zero(evaluation.value("seconds", Json(nullptr))),
               static_cast<std::int64_t>(number_or_zero(evaluation["iteration"])), scalars);
    }
    const fs::path place = folder / exported.place;
    make_export_folder("--tensorboard", place);
    // An earlier export would be mixed with this one.
    for (const fs::path& earlier : event_files(place)) {
      std::error_code ignored;
      fs::remove(earlier, ignored);
    }
    write_file(
        place / (event_prefix + std::to_string(std::llround(std::floor(start))) + "." + host + event_suffix),
        {file.bytes()});
    ++written;
  }
  return written;
}

}  // namespace hearsay
