#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <span>
#include <vector>

#include "runtime/foundation/directory_lock.hpp"
#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/kept_models.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/toml/setting.hpp"
#include "tools/launch/launch_note.hpp"
#include "tools/launch/parcel.hpp"
#include "tools/launch/run_news.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/input_watch.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/peer_training.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

/// The least silence that means the launcher or its ssh connection is gone. The launcher looks around several
/// times a second.
constexpr Duration least_silence = std::chrono::seconds(2);

/// The first line of a parcel is short enough for its reader.
constexpr std::size_t most_files_in_parcel = 1000;

void empty(const fs::path& folder) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) fs::remove_all(entry.path());
}

/// Receives the run over standard input and locks its folder. Empty if the launcher went away before all of
/// it had arrived.
std::optional<LaunchNote> receive_run(std::optional<DirectoryLock>& lock) {
  std::optional<LaunchNote> note;
  bool complete = false;
  ParcelReader reader({.begins =
                           [&](const nlohmann::json& json) {
                             note = read_launch_note(json);
                             note->folder = fs::absolute(note->folder);
                             fs::create_directories(note->folder);
                             lock.emplace("run.name", note->folder);
                             if (!note->resume) empty(note->folder);
                             return note->folder;
                           },
                       .ends = [&] { complete = true; }});
  std::array<char, 65536> piece{};
  while (!complete) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), reader.safe_bytes()));
    const ssize_t length = read(STDIN_FILENO, piece.data(), wanted);
    if (length < 0 && errno == EINTR) continue;
    if (length <= 0) return std::nullopt;
    reader.feed({piece.data(), static_cast<std::size_t>(length)});
  }
  return note;
}

bool say(std::string_view bytes) { return write_all(STDOUT_FILENO, bytes) == bytes.size(); }

/// Returns the files in the folder, without those in folders inside; summary.json, which marks the output as
/// complete, last.
std::vector<ParcelFile> files_in(const fs::path& folder) {
  std::vector<ParcelFile> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file()) files.push_back({entry.path().filename(), entry.file_size()});
  std::ranges::sort(files, {},
                    [](const ParcelFile& file) { return std::pair(file.name == "summary.json", file.name); });
  return files;
}

/// Sends files of the folder to standard output, as one parcel. False if not all could be sent.
bool send_files(const char* event, const fs::path& folder, std::span<const ParcelFile> files) {
  if (!say(parcel_head({{"event", event}}, {files.begin(), files.end()}))) return false;
  for (const ParcelFile& file : files) {
    std::ifstream in(folder / file.name, std::ios::binary);
    std::array<char, 65536> piece{};
    std::uint64_t left = file.bytes;
    while (left > 0 &&
           in.read(piece.data(), static_cast<std::streamsize>(std::min<std::uint64_t>(piece.size(), left)))) {
      if (!say({piece.data(), static_cast<std::size_t>(in.gcount())})) return false;
      left -= static_cast<std::uint64_t>(in.gcount());
    }
    if (left > 0) return false;
  }
  return true;
}

/// Sends the output, the models of earlier iterations first. False if not all could be sent.
bool send_output(const fs::path& output) {
  const std::vector<ParcelFile> models = files_in(output / models_folder);
  for (std::size_t begin = 0; begin < models.size(); begin += most_files_in_parcel)
    if (!send_files("models", output / models_folder,
                    std::span(models).subspan(begin, std::min(most_files_in_parcel, models.size() - begin))))
      return false;
  const std::vector<ParcelFile> files = files_in(output);
  return files.empty() || send_files("output", output, files);
}

}  // namespace

int launched_peer_command(const PeerOptions& given) {
  given.stop->is_heeded = true;  // the folder is removed, whatever ends the peer
  // Locks the folder: an earlier launch of a run with this name may be under way.
  std::optional<DirectoryLock> lock;
  const std::optional<LaunchNote> note = receive_run(lock);
  if (!note) {
    std::fprintf(stderr, "hearsay: hearsay launch has gone before the run had arrived\n");
    return exit_lost;
  }
  PeerOptions options = given;
  options.file = note->folder / "run.toml";
  options.id = note->id;
  options.start_patience = note->start_patience;
  options.quiet = note->quiet;
  options.save = note->save;
  options.resume = note->resume;
  options.command = note->command;
  options.assignments = note->assignments;
  const auto put = [&](const char* key, const char* file) {
    options.assignments.push_back(key + ("=" + toml_text(spelled_path((note->folder / file).string()))));
  };
  put("topology.file", "topology.toml");
  put("run.output", "output");
  if (note->has_initial_model) put("model.init", "init.npy");
  if (note->has_links) put("network.links", "links.toml");
  if (note->has_availability) put("topology.availability", "availability.csv");

  // Relative paths in the run file start at the working directory of the peer, as they start at the folder of
  // the run file under `hearsay run`.
  const RunSettings settings =
      parse_run(read_text_file(options.file), fs::current_path(), options.assignments, note->run_file);
  const bool drops = settings.failure.drops();
  InputWatch watch(given.stop->interrupted, std::max(settings.failure.lost_after, least_silence),
                   drops ? EndOfInput::says_nothing : EndOfInput::ends_the_process);
  options.lost = [&watch] { return watch.lost(); };
  options.ended_peer = [&watch] { return watch.take_ended_peer(); };
  say(parcel_head({{"event", "started"}}, {}));
  NewsSender news([](const std::string& parcel) { say(parcel); }, NewsSender::Clock::now);
  if (note->sends_news) options.watcher = &news;
  const PeerTraining training = train_as_peer(settings, options, false);
  if (training.exit_code != 0 && !training.reason.empty()) print_notice(training.reason);
  // Writes to an ssh connection may seem to succeed although its other end is gone; the input knows better.
  if (watch.is_alone() || !send_output(note->folder / "output")) {
    std::fprintf(stderr, "hearsay: what is left of the run could not be sent and stays in %s\n",
                 note->folder.c_str());
    return training.exit_code == 0 ? static_cast<int>(exit_lost) : training.exit_code;
  }
  if (settings.failure.keeps_checkpoints()) return training.exit_code;  // the folder holds the checkpoints
  // Remove the folder, and the folders above it if they are empty.
  std::error_code ignored;
  fs::remove_all(note->folder, ignored);
  for (fs::path above = note->folder.parent_path(); above.string().find(launch_folder) != std::string::npos;
       above = above.parent_path())
    fs::remove(above, ignored);
  return training.exit_code;
}

}  // namespace hearsay
