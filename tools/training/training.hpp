#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "runtime/process/hosts_run.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/settings/run_settings.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "tools/terminal/run_options.hpp"

namespace hearsay {

/// A run that has ended, of either scalar type.
struct FinishedRun {
  RunStatus status = RunStatus::done;
  bool has_target = false;
  bool keeps_best = false;  ///< run.keep = "best"
  std::string reason;
  std::string program_failure;  ///< of a program, after a good end of the run; empty if there is none
  nlohmann::ordered_json summary;
  std::vector<std::string> warnings;
  std::filesystem::path output;
  bool output_created = false;
  std::string slowness;  ///< words about a run that took longer than predicted; empty if none are due
};

class LearnedPoint;
class RunWatcher;

/// What slows real processes down.
enum class SlowedBy { shaper, kernel };

struct TrainingOptions {
  Driver driver = Driver::zmq;
  EarlierOutput earlier = EarlierOutput::refused;
  bool quiet = false;
  SaveModels save = SaveModels::mean;
  bool per_peer = false;    ///< write what is recorded of every peer, in columns
  std::size_t threads = 1;  ///< Driver::simulator: that compute
  StopRequest* stop = nullptr;
  /// Driver::zmq: this process is peer 0, and the other peers are started elsewhere.
  std::optional<HostsPatience> as_first_of_hosts = std::nullopt;
  int program_channel = -1;             ///< as in Home, with `as_first_of_hosts`
  SlowedBy network = SlowedBy::shaper;  ///< Driver::zmq, all peers here
  Placement place = {};                 ///< with `as_first_of_hosts`: where all peers are
  bool tells_others = false;            ///< with `as_first_of_hosts`: tell the others if peer 0 cannot go on
  std::function<std::optional<std::string>()> lost = [] { return std::nullopt; };      ///< as in RunControl
  std::function<std::optional<EndedPeer>()> ended_peer = [] { return std::nullopt; };  ///< the same
  RunWatcher* watcher = nullptr;                              ///< follows the run; may be null
  std::function<void(const PeerProgress&)> on_progress = {};  ///< as in RunControl, with `as_first_of_hosts`
  std::function<void()> on_listening = [] {};                 ///< the same
  std::string title;                                          ///< stands before the progress
  std::string command = {};  ///< the command line for the record; empty: that of this process
  /// Driver::simulator: receives what is needed to time the run on other networks.
  std::unique_ptr<LearnedPoint>* learned = nullptr;
  Timeline* timeline = nullptr;                 ///< as in RunControl
  std::function<void()> before_output = [] {};  ///< called when the output directory is about to be made
};

/// Returns what happens to an earlier output. Throws Misuse if the options contradict each other, or if the
/// run is to be resumed and takes no checkpoints.
EarlierOutput earlier_output(const RunOptions& options, const RunSettings& settings);

/// Trains one run, from its settings to its output directory. Prints progress and warnings on standard error.
/// Throws Misuse.
FinishedRun train(const RunSettings& settings, const TrainingOptions& options);

/// Prints how the run ended, as `options` say, and returns the exit code.
int report_run(const FinishedRun& run, const RunFileOptions& options);

/// Prints the table at the end of a run on standard output.
void print_closing_words(const FinishedRun& run);

/// Returns the time of one gradient on this machine: the mean of up to 16, one at a time, by the real clock.
/// 0 if network.compute gives the time of every gradient.
template <class Scalar>
Duration measured_gradient_of(const Experiment<Scalar>& experiment);

/// Returns the variant and the values of the axes, also of those that are tuned away: "DCD 4 bit,
/// network.bandwidth = 10 Mbit/s". If the point has neither, the name of the run.
std::string label_of(const SweepPoint& point);

/// Tells the programs of the run how it has ended. Prints, and returns, which programs have not ended well
/// after a good end, those of `dropped` peers aside; empty if there are none.
template <class Scalar>
std::string say_end(const Problem<Scalar>& problem, int code, const std::string& reason,
                    const std::string& output, std::span<const PeerId> dropped);

int exit_code_of(RunStatus status);
/// The same of the whole of it: a program that fails after the run has left undone what the user wanted.
int exit_code_of(const FinishedRun& run);

}  // namespace hearsay
