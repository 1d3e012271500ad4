#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/process/hosts_run.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/settings/run_settings.hpp"
#include "runtime/settings/sweep_settings.hpp"
#include "tools/terminal/run_options.hpp"

namespace hearsay {

/// A run that has ended, whatever its scalar.
struct FinishedRun {
  RunStatus status = RunStatus::done;
  bool has_target = false;
  std::string reason;
  nlohmann::ordered_json summary;
  std::vector<std::string> warnings;
  std::filesystem::path output;
  bool output_created = false;
};

class LearnedPoint;

/// What slows real processes down.
enum class SlowedBy { shaper, kernel };

struct TrainingOptions {
  Driver driver = Driver::zmq;
  EarlierOutput earlier = EarlierOutput::refused;
  bool quiet = false;
  SaveModels save = SaveModels::mean;
  const std::atomic<bool>* interrupted = nullptr;
  const std::atomic<bool>* asked_to_leave = nullptr;
  /// Driver::zmq: the other peers are started by somebody else, on their hosts; this process is peer 0.
  std::optional<ClusterPatience> as_first_of_cluster = std::nullopt;
  SlowedBy network = SlowedBy::shaper;  ///< Driver::zmq, all peers here
  PeerPlace place = {};                 ///< of the first of a cluster
  bool tells_others = false;            ///< the first of a cluster, where it cannot go on with the run
  std::function<std::optional<std::string>()> lost = [] { return std::nullopt; };  ///< as in RunControl
  std::optional<std::uint16_t> live_port =
      std::nullopt;   ///< of a page that shows the run as it goes on; 0: any
  std::string title;  ///< stands before the progress
  /// Driver::simulator: takes what it needs to time the run on other networks.
  std::unique_ptr<LearnedPoint>* learned = nullptr;
  std::function<void()> before_output = [] {};  ///< called when the output directory is about to be made
};

/// What becomes of an earlier output. Throws Misuse if the options contradict each other, or there can be no
/// checkpoints.
EarlierOutput earlier_output(const RunOptions& options, const RunSettings& settings);

/// One run from its settings to its output directory, with progress and warnings on standard error. Throws
/// Misuse.
FinishedRun train(const RunSettings& settings, const TrainingOptions& options);

/// Says how the run ended, as `options` want it said, and returns the exit code.
int report_run(const FinishedRun& run, const RunFileOptions& options);

/// The table at the end of a run, on standard output.
void print_closing_words(const FinishedRun& run);

/// What a gradient of the experiment's takes on this machine, one at a time: the mean of a few, by the real
/// clock. 0 where network.compute leaves nothing to measure.
template <class Scalar>
Duration measured_gradient_of(const Experiment<Scalar>& experiment);

/// "DCD 4 bit, network.bandwidth = 10 Mbit/s"; the run's name where it has neither variant nor axes.
std::string label_of(const SweepPoint& point);

int exit_code_of(RunStatus status);

}  // namespace hearsay
