#include "tools/training/learned_point.hpp"

#include <filesystem>
#include <system_error>
#include <utility>

#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/experiment/quickest_reduce.hpp"
#include "runtime/experiment/resolve.hpp"
#include "runtime/record/run_directory.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tools/terminal/notice.hpp"
#include "tools/training/provenance.hpp"

namespace hearsay {

namespace {

/// Copies the network, who is there when, and the output directory of a run.
void take_network(RunSettings& to, const RunSettings& from) {
  to.network = from.network;
  to.framing = from.framing;
  to.evaluations = from.evaluations;
  to.peer_networks = from.peer_networks;
  to.link_overrides = from.link_overrides;
  to.links_file = from.links_file;
  to.pair_links = from.pair_links;
  to.topology.availability = from.topology.availability;
  to.availability = from.availability;
  to.run.output = from.run.output;
}

/// Makes the equal models of two outputs one file on disk each, if the file system has hard links. This is
/// safe because files of an output are replaced, never written into.
void share_models(const std::filesystem::path& output, const std::filesystem::path& equal_output) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  for (const fs::directory_entry& file : fs::directory_iterator(output, ignored)) {
    if (file.path().extension() != ".npy") continue;
    const fs::path partial = file.path().string() + ".partial";
    std::error_code error;
    fs::create_hard_link(equal_output / file.path().filename(), partial, error);
    if (!error) fs::rename(partial, file.path(), error);
  }
}

template <class Scalar>
class LearnedPointOf final : public LearnedPoint {
 public:
  LearnedPointOf(Experiment<Scalar> experiment, TracedRun<Scalar> traced, Duration measured_gradient)
      : experiment_(std::move(experiment)),
        traced_(std::move(traced)),
        measured_gradient_(measured_gradient) {}

  bool is_the_same_on_network_of(const RunSettings& settings) const override {
    RunSettings there = experiment_.settings;
    take_network(there, resolved(settings, experiment_.topology));
    return chosen_reduce(settings.algorithm.options, there,
                         experiment_.problem.objectives.front()->segments()) ==
           experiment_.settings.algorithm.options.find(option::reduce);
  }

  FinishedRun on_network_of(const RunSettings& settings, EarlierOutput earlier, Extras extras) override {
    const Provenance provenance(extras.command);
    RunDirectory directory(settings.run.output, earlier, print_notice);
    take_network(experiment_.settings, resolved(settings, experiment_.topology));
    const RunOutcome<Scalar> outcome = retime(experiment_, traced_, experiment_.settings, measured_gradient_);
    for (const Evaluation& evaluation : outcome.evaluations)
      directory.append(experiment_.settings, evaluation);
    FinishedRun finished;
    finished.status = outcome.status;
    finished.has_target = settings.run.target_loss.has_value();
    finished.keeps_best = settings.run.keep == RunSettings::Run::Keep::best;
    finished.reason = outcome.reason;
    finished.warnings = experiment_.warnings;
    finished.summary = summarize(experiment_, outcome, Driver::simulator);
    finished.summary["provenance"] = provenance.record(settings.run.seed, finished.warnings);
    finished.output = directory.path();
    directory.save_models(outcome, extras.save);
    if (extras.per_peer) directory.save_peers(outcome.peers);
    directory.finish(finished.summary);
    if (timed_before_.empty())
      timed_before_ = directory.path();
    else
      share_models(directory.path(), timed_before_);
    finished.output_created = directory.created();
    return finished;
  }

 private:
  Experiment<Scalar> experiment_;  // with the network of the previous point
  TracedRun<Scalar> traced_;
  Duration measured_gradient_;
  std::filesystem::path timed_before_ = {};  // the output of the first point, which has the same models
};

}  // namespace

std::string all_but_the_network(const RunSettings& settings) {
  RunSettings others = settings;
  take_network(others, RunSettings());
  return to_toml(others);
}

template <class Scalar>
std::unique_ptr<LearnedPoint> learned_point(Experiment<Scalar> experiment, TracedRun<Scalar> traced,
                                            Duration measured_gradient) {
  if (!may_be_retimed(experiment, traced)) return nullptr;
  return std::make_unique<LearnedPointOf<Scalar>>(std::move(experiment), std::move(traced),
                                                  measured_gradient);
}

#define HEARSAY_LEARNED_POINT(Scalar)                                                                 \
  template std::unique_ptr<LearnedPoint> learned_point<Scalar>(Experiment<Scalar>, TracedRun<Scalar>, \
                                                               Duration);
HEARSAY_LEARNED_POINT(float)
HEARSAY_LEARNED_POINT(double)
#undef HEARSAY_LEARNED_POINT

}  // namespace hearsay
