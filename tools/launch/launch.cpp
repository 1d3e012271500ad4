#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "algorithms/methods/registry.hpp"
#include "runtime/cluster/topology_file.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "runtime/record/checksummed_record.hpp"
#include "runtime/record/json.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/rules/hub_rules.hpp"
#include "runtime/rules/transport_rules.hpp"
#include "runtime/settings/run_file.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tools/launch/launch_note.hpp"
#include "tools/launch/launched_run.hpp"
#include "tools/launch/parcel.hpp"
#include "tools/launch/run_news.hpp"
#include "tools/launch/ssh_command.hpp"
#include "tools/report/live_page.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/commands.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/provenance.hpp"
#include "tools/training/training.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

namespace fs = std::filesystem;

struct LaunchOptions : RunOptions {
  std::string start_patience = "2 min";
};

/// A temporary folder for peers on this machine, which leave nothing behind.
class LocalFolder {
 public:
  LocalFolder() {
    std::string pattern = (fs::temp_directory_path() / "hearsay-launch-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw Misuse("cannot make a folder in " + pattern);
    path_ = pattern;
  }
  ~LocalFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  LocalFolder(const LocalFolder&) = delete;
  LocalFolder& operator=(const LocalFolder&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

std::string whole_content(const fs::path& file) {
  const FileBytes read = read_bytes(file);
  if (!read.bytes) throw Misuse(read.defect);
  return {reinterpret_cast<const char*>(read.bytes->data()), read.bytes->size()};
}

/// Returns the settings that the launcher needs. Data are read by the peers, so neither their paths nor the
/// environment variables in those paths need to exist here.
RunSettings settings_of(const RunFile& file, const fs::path& directory) {
  RunFile without_data = file;
  without_data.assign(
      parse_assignments({"data.source=synthetic(samples=1, features=1, classes=2)", "data.test="}));
  return without_data.resolve(directory);
}

/// Returns the settings of the run for a page that shows it: with the data as the run file names them, if
/// that can be resolved here.
RunSettings shown_settings(const RunFile& file, const RunSettings& settings, const fs::path& home) {
  try {
    return file.resolve(home);
  } catch (const Misuse&) {  // an environment variable that is set on the hosts only
    return settings;
  }
}

/// Returns the topology file for the peers: without the hosts and the keys of ssh, which are of no use to
/// them.
std::string sent_topology(NamedTopology cluster) {
  for (NamedPeer& peer : cluster.peers) {
    peer.host.clear();
    peer.launch = {};
  }
  return to_toml(cluster);
}

std::string parcel_for(PeerId id, const std::vector<std::pair<std::string, std::string>>& files,
                       LaunchNote note) {
  note.id = id;
  std::vector<ParcelFile> listed;
  for (const auto& [name, content] : files) listed.push_back({name, content.size()});
  std::string parcel = parcel_head(to_json(note), listed);
  for (const auto& [name, content] : files) parcel += content;
  return parcel;
}

/// Returns the assignments for a peer on this machine. A program (`-- COMMAND`) runs in the folder in which
/// the user has called; on another host it runs in the `directory` of its peer, like the peer itself.
std::vector<std::string> assignments_here(std::vector<std::string> assignments) {
  const auto sets = [&](std::string_view key) {
    return std::ranges::any_of(assignments, [&](std::string_view text) { return text.starts_with(key); });
  };
  if (sets("model.program=") && !sets("model.directory="))
    assignments.push_back("model.directory=" + toml_text(spelled_path(fs::current_path().string())));
  return assignments;
}

void require_addresses(const NamedTopology& cluster) {
  for (const NamedPeer& peer : cluster.peers)
    if (peer.address.empty())
      throw Misuse("peer " + peer.name +
                   " has no address; a run that spans hosts needs one for every peer, \"tcp://HOST:PORT\"");
}

/// Rewrites the run.toml that peer 0 sent. The paths of the copies that were sent become the paths of the
/// originals here. The paths of the data become those here, too, if they can be resolved here.
void bring_home(const fs::path& run_file, const RunFile& original, const RunSettings& settings,
                const fs::path& home) {
  const auto spelled = [](const fs::path& path) { return toml_text(spelled_path(path)); };
  RunFile file(read_text_file(run_file), run_file);
  std::vector<std::string> here = {"topology.file=" + spelled(settings.topology.file),
                                   "run.output=" + spelled(settings.run.output),
                                   "model.init=" + spelled(settings.model.init)};
  if (!settings.links_file.empty()) here.push_back("network.links=" + spelled(settings.links_file));
  if (const fs::path& trace = settings.topology.availability; !trace.empty())
    here.push_back("topology.availability=" + spelled(trace));
  file.assign(parse_assignments(here));
  RunSettings resolved = file.resolve(home);
  try {
    resolved.data = original.resolve(home).data;
  } catch (const Misuse&) {  // an environment variable that is set on the hosts only
  }
  write_file(run_file, {to_toml(resolved)});
}

int report(const LaunchedRunEnd& end, const fs::path& output, const LaunchOptions& options,
           RunWatcher* watcher) {
  if (end.output_complete) {
    FinishedRun run;
    const std::filesystem::path summary = output / "summary.json";
    run.summary = parse_checksummed(read_text_file(summary), summary.string());
    if (run.summary.is_object()) run.summary.erase("crc32_of");
    run.output = output;
    run.output_created = true;
    for (const RunStatus status : {RunStatus::done, RunStatus::target, RunStatus::plateau,
                                   RunStatus::diverged, RunStatus::interrupted, RunStatus::lost})
      if (run.summary.is_object() && run.summary["status"] == to_text(status)) run.status = status;
    if (watcher && run.summary.is_object()) watcher->end(run.summary);
    if (options.json)
      std::printf("%s\n", json_text(run.summary).c_str());
    else if (!options.quiet && run.summary.is_object())
      print_closing_words(run);
  }
  if (end.exit_code != exit_done) print_notice(end.reason);
  return end.exit_code;
}

bool has_hub(const RunSettings& settings) { return find_method(settings.algorithm.kind).pattern.has_hub; }

/// The names and contents of the files that every peer is sent.
using SentFiles = std::vector<std::pair<std::string, std::string>>;

SentFiles sent_files(const std::string& run_file, const RunSettings& settings, const NamedTopology& cluster) {
  SentFiles files = {{"run.toml", run_file}, {"topology.toml", sent_topology(cluster)}};
  if (settings.model.init != "zeros") files.emplace_back("init.npy", whole_content(settings.model.init));
  if (!settings.links_file.empty()) files.emplace_back("links.toml", read_text_file(settings.links_file));
  if (const fs::path& trace = settings.topology.availability; !trace.empty())
    files.emplace_back("availability.csv", read_text_file(trace));
  return files;
}

/// Makes the plans of the peers. What they leave on this machine is there as long as it is.
class PeerPlans {
 public:
  /// `home` is the folder of the run file.
  PeerPlans(const LaunchOptions& options, const RunSettings& settings, const fs::path& home, SentFiles files)
      : options_(options), settings_(settings), home_(home), files_(std::move(files)) {
    note_.run_file = options.file;
    note_.command = own_command_line();
    note_.start_patience = options.start_patience;
    note_.save = options.save;
    note_.quiet = options.quiet;
    note_.resume = options.resume;
    note_.has_initial_model = settings.model.init != "zeros";
    note_.has_links = !settings.links_file.empty();
    note_.has_availability = !settings.topology.availability.empty();
    note_.sends_news = options.live_port.has_value();
  }

  LaunchedPeerPlan of(PeerId id, const NamedPeer& peer) const {
    const bool here = peer.host.empty();
    LaunchNote note = note_;
    note.assignments = here ? assignments_here(options_.assignments) : options_.assignments;
    note.folder = folder_of(id, here);
    return {
        .id = id,
        .label = label_of(peer),
        .name = peer.name,
        .words = here ? std::vector<std::string>{own_program_, "peer", "-"} : ssh_command(peer),
        .directory = home_,
        .parcel = parcel_for(id, files_, note),
        .host = peer.host,
        .leaves_in = here ? "" : peer.host + ":" + (fs::path(peer.launch.directory) / note.folder).string()};
  }

 private:
  /// Where the peer works.
  fs::path folder_of(PeerId id, bool here) const {
    const std::string folder = "peer-" + std::to_string(id);
    const fs::path stays = fs::path(launch_folder) / settings_.run.name / folder;
    const bool leaves = settings_.failure.keeps_checkpoints() || settings_.failure.drops();
    return !here ? stays : leaves ? home_ / stays : local_.path() / launch_folder / folder;
  }

  const LaunchOptions& options_;
  const RunSettings& settings_;
  const fs::path& home_;
  SentFiles files_;
  LaunchNote note_;
  LocalFolder local_;
  std::string own_program_ = fs::read_symlink("/proc/self/exe");
};

/// Returns the plan of the run, without its peers.
LaunchedRunPlan plan_of(const LaunchOptions& options, const RunSettings& settings) {
  LaunchedRunPlan plan;
  plan.output = settings.run.output;
  plan.overwrite = earlier_output(options, settings) != EarlierOutput::refused;
  plan.interrupted = &options.stop->interrupted;
  plan.beat_every = heartbeat_interval(settings.failure.lost_after);
  plan.drops = settings.failure.drops();
  plan.lost_after = settings.failure.lost_after;
  plan.has_hub = has_hub(settings) && !settings.failure.hub_standby;
  return plan;
}

/// Adds the peers of the cluster, but those that join later.
void add_peers(const NamedTopology& cluster, const RunSettings& settings, const PeerPlans& plans, bool quiet,
               LaunchedRunPlan& plan) {
  for (PeerId id = 0; id < cluster.graph.peer_count(); ++id) {
    const NamedPeer& peer = cluster.peers[id];
    if (!std::ranges::binary_search(settings.failure.join_later, id))
      plan.peers.push_back(plans.of(id, peer));
    else if (!quiet)
      std::fprintf(stderr, "hearsay: peer %s is left to you: it joins later (hearsay peer FILE --id %u)\n",
                   label_of(peer).c_str(), id);
  }
}

int launch_command(const LaunchOptions& options) {
  const std::string text = read_text_file(options.file);
  const fs::path home = fs::absolute(options.file).parent_path();
  RunFile file(text, options.file);
  if (file.has_sweep())
    throw Misuse(options.file.string() + " has a [sweep] table, so it is many runs: launch them one by one");
  file.assign(parse_assignments(options.assignments));
  const RunSettings settings = settings_of(file, home);
  if (settings.topology.file.empty())
    throw Misuse("topology.file is missing: hearsay launch starts the peers on the hosts that it names");
  const Duration start_patience = parse_duration("--wait", options.start_patience);
  const NamedTopology cluster = make_named_topology(settings.topology, settings.run.seed);
  require_addresses(cluster);
  require_tcp(settings, "hearsay launch");
  require_sensible_hub(settings);
  if (has_hub(settings)) require_star(settings, cluster.graph);
  LaunchedRunPlan plan = plan_of(options, settings);
  plan.start_patience = start_patience;
  require_free_output(settings.run.output, plan.overwrite);

  const PeerPlans plans(options, settings, home, sent_files(text, settings, cluster));
  std::optional<LivePage> live;
  if (options.live_port) live.emplace(*options.live_port, print_notice);
  if (live)
    plan.on_news = [&live, shown = shown_settings(file, settings, home)](const nlohmann::json& news) {
      pass_on(news, shown, *live);
    };
  options.stop->is_heeded = true;
  add_peers(cluster, settings, plans, options.quiet, plan);
  const LaunchedRunEnd end = run_launched(plan);
  if (end.output_complete) bring_home(settings.run.output / "run.toml", file, settings, home);
  return report(end, settings.run.output, options, live ? &*live : nullptr);
}

}  // namespace

void add_launch(CommandLine& program, Invocation& invocation) {
  CommandLine command =
      program.command("launch", "starts every peer over ssh, on the host that the topology file names");
  const auto options = std::make_shared<LaunchOptions>();
  options->stop = &invocation.stop;
  add_output_options(command, *options);
  add_resume_option(command, *options);
  add_live_option(command, *options);
  add_start_patience_option(command, options->start_patience);
  command.examples({"hearsay launch launch-run.toml"});
  command.when_chosen([options, &invocation] {
    invocation.on_signal = OnSignal::end_in_good_order;
    invocation.run = [options] { return launch_command(*options); };
  });
}

}  // namespace hearsay
