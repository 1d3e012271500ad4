#include "tools/check/measure_network.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "runtime/security/credentials.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/zmq/network_survey.hpp"
#include "tools/terminal/command_line.hpp"
#include "tools/terminal/exit_code.hpp"
#include "tools/terminal/human_text.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/terminal/patient_line.hpp"
#include "tools/terminal/table.hpp"
#include "tools/terminal/written_file.hpp"
#include "tools/training/peer_training.hpp"
#include "tools/training/scalar_dispatch.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

namespace {

using Json = nlohmann::ordered_json;

const std::string what_is_written = "links file";
constexpr std::string_view mark = "# Measured by `hearsay check --connect --measure`.\n";

SurveyLimits limits_of(const CheckOptions& options) {
  constexpr Duration least_time = std::chrono::milliseconds(200);
  constexpr std::uint64_t least_bytes = 64'000;
  const Duration time = parse_duration("--time", options.time);
  const std::uint64_t bytes = parse_bytes("--bytes", options.bytes);
  if (time < least_time) throw Misuse("--time", options.time, "expected at least " + to_text(least_time));
  if (bytes < least_bytes)
    throw Misuse("--bytes", options.bytes, "expected at least 64 kB, of which a bandwidth can be told");
  return {.time = time / 2, .bytes = bytes};
}

void require_pairs(PeerId peers) {
  constexpr PeerId most = 2'000;
  if (peers < 2 || peers > most)
    throw Misuse("topology.peers", std::to_string(peers),
                 "expected from 2 to " + std::to_string(most) + " peers, between which links are measured");
}

/// Knows how long the steps still take, by those that are over.
class Pace {
 public:
  explicit Pace(Duration time_of_step) : step_s_(seconds(time_of_step)) {}

  /// Returns what is going on in a step (from 1; 0 before the first one), and how long all of it still takes.
  std::string text(std::uint64_t step, std::size_t steps) {
    if (step == 0) return "waiting until all peers have tested their connections";
    if (step != newest_) {
      const Clock::time_point now = Clock::now();
      if (newest_ == 0) {
        first_ = step;
        began_ = now;
      } else {
        step_s_ = std::chrono::duration<double>(now - began_).count() / static_cast<double>(step - first_);
      }
      newest_ = step;
    }
    return "measuring: " + grouped(step) + " of " + grouped(steps) + ", about " +
           seconds_text(static_cast<double>(steps + 1 - step) * step_s_) + " left";
  }

 private:
  using Clock = std::chrono::steady_clock;
  double step_s_;
  std::uint64_t first_ = 0;
  std::uint64_t newest_ = 0;
  Clock::time_point began_{};
};

std::vector<LinkOverride> slowest_first(const LinksFile& file) {
  std::vector<LinkOverride> links = file.links;
  std::ranges::stable_sort(links, {}, [](const LinkOverride& link) { return link.bandwidth->bytes_per_s; });
  return links;
}

/// Returns all links, or, if they are many, the slowest and the fastest ones.
std::string links_as_text(const LinksFile& file) {
  using enum Table::Align;
  constexpr std::size_t most = 12, at_each_end = 5;
  const std::vector<LinkOverride> links = slowest_first(file);
  Table table({{"from", left}, {"to", left}, {"bandwidth", right}, {"latency", right}});
  for (std::size_t k = 0; k < links.size(); ++k) {
    if (links.size() > most && k == at_each_end) {
      table.add({"...", "...", "...", "..."});
      k = links.size() - at_each_end;
    }
    const LinkOverride& link = links[k];
    table.add({file.names[link.from], file.names[link.to], to_text(*link.bandwidth),
               seconds_text(seconds(*link.latency))});
  }
  return table.text();
}

Json links_as_json(const LinksFile& file) {
  Json links = Json::array();
  for (const LinkOverride& link : file.links)
    links.push_back({{"from", file.names[link.from]},
                     {"to", file.names[link.to]},
                     {"bits_per_second", 8.0 * link.bandwidth->bytes_per_s},
                     {"latency_seconds", seconds(*link.latency)}});
  return links;
}

void print_result(PeerId id, const LinksFile& file, const CheckOptions& options) {
  if (options.json) {
    Json record = {{"peer", id}, {"works", true}};
    if (id == 0) record.update({{"written", options.links.string()}, {"links", links_as_json(file)}});
    std::printf("%s\n", json_text(record).c_str());
  } else if (id == 0 && !options.quiet) {
    std::printf("%swritten   %s: %s links between %s\n", links_as_text(file).c_str(), options.links.c_str(),
                grouped(file.links.size()).c_str(), counted(file.names.size(), "peer").c_str());
  } else if (!options.quiet) {
    std::printf("all links are measured; peer 0 has written the links file\n");
  }
}

/// Says why there is no result; what was measured all the same, if peer 0 could not write `file`, is printed.
/// Returns the exit code.
int print_failure(PeerId id, const SurveyEnd& end, const LinksFile& file, const CheckOptions& options) {
  const bool is_broken =
      std::ranges::any_of(end.edges, [](const CheckedEdge& edge) { return !edge.works(); });
  if (is_broken && end.exit_code != exit_interrupted) return print_connections(id, end.edges, options);
  if (options.json) {
    Json record = {{"peer", id}, {"works", false}, {"wrong", end.reason}};
    if (!file.links.empty()) record["links"] = links_as_json(file);
    std::printf("%s\n", json_text(record).c_str());
  } else if (!file.links.empty()) {
    std::fputs(links_as_text(file).c_str(), stdout);
  }
  print_notice(end.reason + "; no links file is written");
  return end.exit_code;
}

class Measuring {
 public:
  Measuring(const CheckOptions& options, PeerId id)
      : options_(options),
        id_(id),
        limits_(limits_of(options)),
        pace_(limits_.time),
        progress_(options.quiet) {
    if (id == 0) require_replaceable("--write", options.links, mark, what_is_written, options.overwrite);
  }

  template <class Scalar>
  SurveyEnd run(const RunSettings& settings, const Placement& place) {
    const Experiment<Scalar> experiment = prepare<Scalar>(settings, {.peer = id_});
    require_pairs(experiment.peer_count());
    if (const auto warning = plain_text_warning(settings.security, experiment.topology))
      print_notice("warning: " + *warning);
    for (const NamedPeer& peer : experiment.topology.peers) names_.push_back(peer.name);
    SurveyControl control;
    control.on_listening = [&](std::size_t steps) { announce(steps); };
    control.on_step = [&](std::uint64_t step, std::size_t steps) { progress_.show(pace_.text(step, steps)); };
    control.on_links = [&](const std::vector<MeasuredLink>& links) {
      file_ = links_file_of(names_, links);
      try {
        write_replaceable("--write", options_.links, mark, what_is_written, options_.overwrite,
                          to_toml(file_));
      } catch (const Misuse& misuse) {
        throw Misuse(std::string("peer 0: ") + misuse.what());
      }
    };
    control.is_interrupted = [&] { return options_.stop->interrupted.load(); };
    control.notice = print_notice;
    options_.stop->is_heeded = true;
    SurveyEnd end =
        survey_network(experiment, id_, place, parse_duration("--wait", options_.patience), limits_, control);
    progress_.close();
    return end;
  }

  const LinksFile& file() const { return file_; }

 private:
  void announce(std::size_t steps) const {
    if (options_.quiet) return;
    print_notice("peer " + std::to_string(id_) + " of " + std::to_string(names_.size()) +
                 ", testing its connections to all others; then " + counted(steps / 2, "round") +
                 " of pairs, " + to_text(2 * limits_.time) + " each: about " +
                 seconds_text(static_cast<double>(steps) * seconds(limits_.time)) +
                 ", more if round trips are long");
  }

  const CheckOptions& options_;
  PeerId id_;
  SurveyLimits limits_;
  Pace pace_;
  PatientLine progress_;
  std::vector<std::string> names_;
  LinksFile file_;
};

}  // namespace

void add_measure_options(CommandLine& command, CheckOptions& options) {
  command.flag("--measure", options.measure,
               "measure bandwidth and latency between any two peers; peer 0 writes a links file");
  command.option("--time", &options.time, "how long a pair of peers sends at most, both ways together [4 s]",
                 {.value_name = "TIME", .needs = "--measure"});
  command.option("--bytes", &options.bytes, "how much a pair sends at most, each way [64 MB]",
                 {.value_name = "SIZE", .needs = "--measure"});
  command.option("--write", &options.links, "where peer 0 writes the links file [links.toml]",
                 {.value_name = "FILE", .needs = "--measure"});
  command.flag("--overwrite", options.overwrite,
               "replace a links file that an earlier --measure has written");
}

int measure_network_command(const CheckOptions& options) {
  if (!options.connect) throw Misuse("--measure needs --connect, which names the peers that run at once");
  const RunSettings settings = load_run_file(options.file, options.assignments);
  const Placement place = placement_of(settings, options.id);
  Measuring measuring(options, *place.id);
  const SurveyEnd end = with_scalar(settings.run.scalar,
                                    [&]<class Scalar>() { return measuring.run<Scalar>(settings, place); });
  if (end.garbage > 0)
    print_notice("peer " + std::to_string(*place.id) + ": " + counted(end.garbage, "frame") +
                 " from the network fitted nothing, and changed nothing");
  if (end.exit_code != exit_done) return print_failure(*place.id, end, measuring.file(), options);
  print_result(*place.id, measuring.file(), options);
  return exit_done;
}

}  // namespace hearsay
