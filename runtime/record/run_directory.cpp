#include "runtime/record/run_directory.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "runtime/data/npy.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/column_files.hpp"
#include "runtime/record/earlier_record.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/kept_models.hpp"
#include "runtime/record/output_rules.hpp"
#include "runtime/record/record_lines.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "topology/foundation/host_refusal.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& output, const std::string& what, const std::error_code& error) {
  throw HostRefusal("run.output", output, what + " (" + error.message() + ")");
}

/// True if the directory holds only files of runs and sweeps, so that it may be removed.
bool is_earlier_output(const fs::path& directory) {
  std::error_code error;
  std::vector<std::string> files;
  std::vector<fs::path> folders;
  fs::directory_iterator entries(directory, error);
  for (const fs::directory_iterator end; !error && entries != end; entries.increment(error)) {
    if (entries->is_directory(error))
      folders.push_back(entries->path());
    else
      files.push_back(entries->path().filename().string());
  }
  if (error) refuse(directory, "it exists and cannot be looked into", error);
  return is_output_folder(directory.filename().string(), files, folders.size()) &&
         std::ranges::all_of(folders, is_earlier_output);
}

/// Looks at what stands at the path; in folders of it only if it may be overwritten.
OutputSite look_at(const fs::path& output, bool overwrite) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(output, error);
  if (!fs::status_known(status)) refuse(output, "it cannot be reached", error);
  if (!fs::exists(status)) return {OutputSite::Kind::nothing};
  if (!fs::exists(output, error)) return {OutputSite::Kind::link_to_nothing};
  if (!fs::is_directory(output, error)) return {OutputSite::Kind::file};
  return {.kind = OutputSite::Kind::folder,
          .holds_metrics = fs::exists(output / "metrics.jsonl", error),
          .holds_summary = fs::exists(output / "summary.json", error),
          .holds_sweep = fs::exists(output / "sweep.json", error),
          .is_output = overwrite && is_earlier_output(output)};
}

/// Returns the first folder on the way to `directory` that does not exist, or `directory`.
fs::path first_missing(fs::path directory) {
  std::error_code ignored;
  while (directory.has_relative_path() && !fs::exists(directory.parent_path(), ignored))
    directory = directory.parent_path();
  return directory;
}

/// Throws Misuse if a folder of `output` below `parent` has a longer name than the file system takes.
void require_short_names(const fs::path& output, const fs::path& parent) {
  const long longest = pathconf(parent.c_str(), _PC_NAME_MAX);  // -1: no limit
  for (const fs::path& name : output.lexically_relative(parent))
    if (longest > 0 && name.native().size() > static_cast<std::size_t>(longest))
      throw Misuse("run.output", output,
                   "a name in it is longer than the " + std::to_string(longest) + " bytes possible");
}

/// Throws Misuse unless the directory, which does not exist, can be made.
void require_makable(const fs::path& output) {
  std::error_code error;
  const fs::path parent = existing_part(output.parent_path());
  if (!fs::is_directory(parent, error))
    throw Misuse("run.output", output,
                 "no directory can be made in " + parent.string() + ", which is a file");
  if (access(parent.c_str(), W_OK) != 0)
    refuse(output, "no directory can be made in " + parent.string(),
           std::error_code(errno, std::generic_category()));
  require_short_names(output, parent);
  // Read-only and virtual file systems show only now that no folder can be made in them.
  std::string probe = (parent / ".hearsay-XXXXXX").string();
  if (mkdtemp(probe.data()) == nullptr)
    refuse(output, "it cannot be made", std::error_code(errno, std::generic_category()));
  fs::remove(probe, error);
}

}  // namespace

fs::path existing_part(fs::path path) {
  std::error_code ignored;
  while (!fs::exists(path, ignored) && path.has_relative_path()) path = path.parent_path();
  return path;
}

void require_free_output(const fs::path& directory, bool overwrite) {
  const fs::path output = fs::absolute(directory).lexically_normal();
  const OutputSite site = look_at(output, overwrite);
  if (const auto why = why_not_free(site, overwrite)) throw Misuse("run.output", output, *why);
  if (site.kind == OutputSite::Kind::nothing) require_makable(output);
}

void create_output(const fs::path& directory, bool overwrite) {
  require_free_output(directory, overwrite);
  std::error_code error;
  // A link stays, and the output goes where it leads: to a larger disk, say.
  const fs::path target = fs::is_symlink(directory, error) ? fs::canonical(directory) : directory;
  fs::remove_all(target, error);
  if (!error) fs::create_directories(target, error);
  if (error) refuse(directory, "it cannot be made", error);
}

namespace {

/// Returns the lines of a file, each a JSON object, whose "iteration" is less than `iteration`. Empty if
/// there is no such file.
std::string lines_before(const fs::path& file, std::uint64_t iteration, LineChecksum& checksum) {
  std::string kept;
  for (const auto& object : read_record_lines(file).objects)
    if (object.value("iteration", iteration) < iteration) kept += checksum.line(object.dump()) + "\n";
  return kept;
}

}  // namespace

RunDirectory::RunDirectory(fs::path directory, EarlierOutput earlier, Notice notice)
    : directory_(std::move(directory)), earlier_(earlier), notice_(std::move(notice)) {
  std::error_code ignored;
  if (earlier_ == EarlierOutput::left_to_the_sweep) return;
  if (earlier_ != EarlierOutput::refused && fs::is_directory(directory_, ignored))
    lock_.emplace("run.output", directory_);
  if (earlier_ == EarlierOutput::continued) {
    EarlierRecord found = earlier_record(directory_);
    has_ended_ = found.has_ended;
    if (!found.evaluations.empty()) record_ = std::move(found.evaluations);
  }
  if (!record_) require_free_output(directory_, earlier_ != EarlierOutput::refused);
}

void RunDirectory::begin(const RunSettings& settings, std::uint64_t first) {
  std::string kept;
  fs::path made;
  metrics_checksum_ = consensus_checksum_ = models_checksum_ = {};
  if (created()) record_ = recorded_evaluations(directory_);  // this run goes back to a checkpoint
  if (record_) {
    for (const Evaluation& evaluation : *record_)
      if (evaluation.iteration < first) kept += metrics_checksum_.line(to_json(evaluation).dump()) + "\n";
    std::error_code ignored;
    fs::remove(directory_ / "summary.json", ignored);
    fs::remove_all(directory_ / per_peer_folder, ignored);
  } else {
    const fs::path missing = first_missing(fs::absolute(directory_).lexically_normal());
    create_output(directory_, earlier_ != EarlierOutput::refused);
    lock_.emplace("run.output", directory_);
    made = missing;
  }
  try {
    // A run.toml alone may be a user's own, so it is never the first.
    if (!provenance_.empty()) write_file(directory_ / "provenance.json", {provenance_});
    write_file(directory_ / "run.toml", {to_toml(settings)});
  } catch (const Misuse&) {  // the disk is full, say: no empty folder is left behind
    std::error_code error;
    if (made.empty()) throw;
    fs::remove_all(directory_, error);
    // Other runs may have begun in the folders above, which then stay.
    for (fs::path above = fs::absolute(directory_).lexically_normal(); above != made && !error;) {
      above = above.parent_path();
      fs::remove(above, error);
    }
    throw;
  }
  if (record_) {
    const fs::path consensus = directory_ / "consensus.jsonl";
    write_file(consensus, {lines_before(consensus, first, consensus_checksum_)});
    write_file(directory_ / "metrics.jsonl", {kept});
    models_checksum_ = forget_models_from(directory_, first);
  }
  // The file that stands first is there whenever the other has a line.
  consensus_ = LineFile(directory_ / "consensus.jsonl", false);
  // After a power failure no checkpoint may be newer than the record, so with checkpoints lines go to the
  // disk.
  metrics_ = LineFile(directory_ / "metrics.jsonl", settings.failure.keeps_checkpoints());
}

void RunDirectory::note_beginning(const nlohmann::ordered_json& provenance) {
  provenance_ = checksummed_text(provenance);
}

void RunDirectory::append(const RunSettings& settings, const Evaluation& evaluation) {
  if (!created()) begin(settings, evaluation.iteration);
  if (!evaluation.distances.values.empty())
    consensus_.append(consensus_checksum_.line(distances_to_json(evaluation).dump()));
  metrics_.append(metrics_checksum_.line(to_json(evaluation).dump()));
  if (metrics_.defect() && !std::exchange(said_that_it_waits_, true))
    notice_(*metrics_.defect() + "; training goes on, and it is written when there is room");
  if (!metrics_.defect()) said_that_it_waits_ = false;
}

namespace {

constexpr std::string_view best_stem = "model-best-";

/// Returns the iterations of the best models in the directory, ascending.
std::vector<std::uint64_t> best_iterations(const fs::path& directory) {
  std::vector<std::uint64_t> iterations;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(directory, ignored)) {
    const std::string name = file.path().stem().string();
    std::uint64_t iteration = 0;
    if (file.path().extension() != ".npy" || !name.starts_with(best_stem)) continue;
    const char* const begin = name.data() + best_stem.size();
    const char* const end = name.data() + name.size();
    if (const auto read = std::from_chars(begin, end, iteration); read.ec == std::errc() && read.ptr == end)
      iterations.push_back(iteration);
  }
  std::ranges::sort(iterations);
  return iterations;
}

fs::path best_file(const fs::path& directory, std::uint64_t iteration) {
  return directory / (std::string(best_stem) + std::to_string(iteration) + ".npy");
}

}  // namespace

template <class Scalar>
void RunDirectory::keep_best(const KeptModel& best) {
  Vector<Scalar> model(static_cast<Index>(best.model.size() / sizeof(Scalar)));
  std::ranges::copy(best.model, std::as_writable_bytes(view(model)).begin());
  try {
    write_npy<Scalar>(best_file(directory_, best.of.iteration), model);
  } catch (const Misuse& misuse) {
    notice_(std::string(misuse.what()) + "; training goes on");
    return;
  }
  std::error_code ignored;
  for (const std::uint64_t iteration : best_iterations(directory_))
    if (iteration != best.of.iteration) fs::remove(best_file(directory_, iteration), ignored);
}

template <class Scalar>
void RunDirectory::keep(const RunSettings& settings, const ModelSet& models) {
  try {
    keep_models<Scalar>(directory_, settings, models, models_checksum_);
  } catch (const Misuse& misuse) {
    notice_(std::string(misuse.what()) + "; training goes on without the models of iteration " +
            std::to_string(models.iteration));
  }
}

template <class Scalar>
std::optional<KeptModel> RunDirectory::kept_best() const {
  if (!record_) return std::nullopt;
  const std::vector<std::uint64_t> iterations = best_iterations(directory_);
  const auto of = std::ranges::find_if(record_->rbegin(), record_->rend(), [&](const Evaluation& evaluation) {
    return std::ranges::binary_search(iterations, evaluation.iteration);
  });
  if (of == record_->rend()) return std::nullopt;
  try {
    const Vector<Scalar> model = read_npy<Scalar>(best_file(directory_, of->iteration)).values;
    const auto bytes = std::as_bytes(view(model));
    return KeptModel{*of, {bytes.begin(), bytes.end()}};
  } catch (const Misuse& misuse) {  // training does not need it
    notice_(misuse.what());
    return std::nullopt;
  }
}

template <class Scalar>
void RunDirectory::save_models(const RunOutcome<Scalar>& outcome, SaveModels save) {
  if (!created()) return;
  // A full disk may have room for these, and none for a model.
  for (LineFile* const file : {&metrics_, &consensus_}) file->write_waiting();
  const bool has_mean = outcome.kept_model().size() != 0;  // not if the models stay at their peers
  if (has_mean) write_npy<Scalar>(directory_ / "model.npy", outcome.kept_model());
  if (save == SaveModels::peers || !has_mean)
    for (std::size_t id = 0; id < outcome.models.size(); ++id)
      if (outcome.models[id].size() != 0)  // a peer that is gone has no model
        write_npy<Scalar>(directory_ / ("model-" + std::to_string(id) + ".npy"), outcome.models[id]);
}

void RunDirectory::save_peers(const std::vector<PeerOutcome>& peers) {
  if (created()) write_columns(directory_, peers);
}

void RunDirectory::finish(const nlohmann::ordered_json& summary) {
  if (!created()) return;
  for (LineFile* const file : {&metrics_, &consensus_}) {
    file->write_waiting();
    if (file->defect()) throw HostRefusal(*file->defect());
  }
  nlohmann::ordered_json whole = summary;
  whole["crc32_of"] = {{"metrics.jsonl", metrics_checksum_.text()},
                       {"consensus.jsonl", consensus_checksum_.text()}};
  std::error_code ignored;
  if (fs::exists(directory_ / models_index, ignored))
    whole["crc32_of"][models_index] = models_checksum_.text();
  write_file(directory_ / "summary.json", {checksummed_text(whole)});
  fs::remove(directory_ / "provenance.json", ignored);
  for (const LineFile* const file : {&metrics_, &consensus_})
    if (file->was_removed())
      throw Misuse(file->path().string() + " was removed while the run went on, and its lines with it");
}

template void RunDirectory::keep<float>(const RunSettings&, const ModelSet&);
template void RunDirectory::keep<double>(const RunSettings&, const ModelSet&);
template void RunDirectory::keep_best<float>(const KeptModel&);
template void RunDirectory::keep_best<double>(const KeptModel&);
template std::optional<KeptModel> RunDirectory::kept_best<float>() const;
template std::optional<KeptModel> RunDirectory::kept_best<double>() const;
template void RunDirectory::save_models<float>(const RunOutcome<float>&, SaveModels);
template void RunDirectory::save_models<double>(const RunOutcome<double>&, SaveModels);

}  // namespace hearsay
