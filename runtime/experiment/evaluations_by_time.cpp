#include "runtime/experiment/evaluations_by_time.hpp"

#include <string>

#include "runtime/settings/evaluate_every.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay {

template <class Scalar>
void check_evaluations_by_time(const Experiment<Scalar>& experiment) {
  const RunSettings& settings = experiment.settings;
  if (!settings.run.evaluates_by_time()) return;
  const auto refuse = [&](const std::string& why) {
    throw Misuse("run.evaluate_every", evaluate_every_text(settings.run),
                 why + "; expected a number of iterations");
  };
  if (experiment.method->asynchronous)
    refuse("in " + experiment.method->name +
           ", an asynchronous method, only evaluations keep peers together");
  if (settings.topology.rounds_close())
    refuse("with topology.round_deadline only evaluations keep workers and hub together");
  if (settings.failure.drops())
    refuse("with failure.policy = \"drop\" peers come back at an evaluation that is known beforehand");
  if (settings.run.keep_models.every != 0)
    refuse("run.keep_models keeps the models of evaluations whose iterations are known beforehand");
  if (settings.failure.checkpoint_period != Duration{0})
    refuse(
        "failure.checkpoint_every is a time, too, and is counted in iterations from the first evaluation on");
  if (settings.failure.keeps_checkpoints() && !lead_by_messages(experiment))
    refuse(
        "peers whose links change may be any number of iterations apart between two evaluations, and would "
        "keep every checkpoint (failure.checkpoint_every = 0 keeps none)");
}

template void check_evaluations_by_time<float>(const Experiment<float>&);
template void check_evaluations_by_time<double>(const Experiment<double>&);

}  // namespace hearsay
