#include "runtime/rules/soundness.hpp"

#include "algorithms/seam/method.hpp"
#include "algorithms/stability/compressor_need.hpp"
#include "algorithms/stability/mixing_need.hpp"
#include "runtime/rules/hub_rules.hpp"
#include "runtime/rules/round_deadline.hpp"

namespace hearsay {

template <class Scalar>
Soundness check_soundness(const RunSettings& settings, const Graph& graph, const RunView& view,
                          bool user_sets_consensus_step) {
  Soundness found;
  Advice advice(settings.algorithm.allow_unsound, found.warnings);
  check_round_deadline(settings, view, advice);
  check_mixing_need(view, advice);
  if (view.method.pattern.has_hub) check_centre(settings, graph, advice);
  for (const MethodOptions::Entry& option : view.options)
    if (option.row->check) option.row->check(view, advice);
  if (view.method.check) view.method.check(view, advice);
  found.omega_limit = check_compressor_need(view, advice);
  const ConsensusStepFound step = check_consensus_step<Scalar>(view, user_sets_consensus_step, advice);
  found.consensus_step_limit = step.limit;
  found.consensus_step = step.chosen;
  return found;
}

template Soundness check_soundness<float>(const RunSettings&, const Graph&, const RunView&, bool);
template Soundness check_soundness<double>(const RunSettings&, const Graph&, const RunView&, bool);

}  // namespace hearsay
