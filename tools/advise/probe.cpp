#include "tools/advise/probe.hpp"

#include <cmath>

#include "runtime/observer/observer.hpp"
#include "runtime/simulator/simulator.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
Probe probe(const Experiment<Scalar>& experiment, const ProbeLimits& limits) {
  constexpr double blown_up = 10.0;
  Probe probe;
  std::optional<Probe::End> enough;
  RunControl control;
  control.on_evaluation = [&](const Evaluation& evaluation) {
    if (enough) return;
    probe.evaluations.push_back(evaluation);
    limits.progress(evaluation);
    if (evaluation.loss <= limits.target_loss)
      enough = Probe::End::reached;
    else if (evaluation.loss > blown_up * std::abs(probe.evaluations.front().loss))
      enough = Probe::End::diverged;
    else if (evaluation.seconds >= limits.virtual_seconds)
      enough = Probe::End::slower;
  };
  control.out_of_patience = [&] {
    if (!enough && limits.interrupted()) enough = Probe::End::interrupted;
    if (!enough && limits.out_of_time()) enough = Probe::End::out_of_time;
    return enough.has_value();
  };
  const RunOutcome<Scalar> outcome = simulate(experiment, Duration{0}, control);
  if (outcome.status == RunStatus::diverged && enough != Probe::End::reached) enough = Probe::End::diverged;
  probe.moved = consensus_distance<Scalar>({outcome.mean_model}, experiment.problem.initial);
  probe.end = enough.value_or(Probe::End::ended);
  return probe;
}

template Probe probe(const Experiment<float>&, const ProbeLimits&);
template Probe probe(const Experiment<double>&, const ProbeLimits&);

}  // namespace hearsay
