#include "algorithms/stability/mixing_need.hpp"

#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/stability/outer_gossip_limit.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

/// Refuses what makes the links change: the schedule, or participation if that is static.
void refuse_changing_links(const RunView& view, Advice& advice) {
  const MethodInfo& method = view.method;
  if (method.pattern.has_hub)
    advice.refuse("topology.participation", three_digits(view.participation),
                  method.name + " needs all workers in every round; expected 1, or one of " +
                      methods_that([](const MethodInfo& other) {
                        return other.permits_time_varying && other.pattern.has_hub;
                      }));
  const std::string why = method.name + " needs the same mixing in every round; expected ";
  const std::string others =
      ", or one of " + methods_that([](const MethodInfo& other) {
        return other.permits_time_varying && other.pattern.uses_graph && !other.pattern.has_hub;
      });
  if (view.schedule_name == "static")
    advice.refuse("topology.participation", three_digits(view.participation), why + "1" + others);
  advice.refuse("topology.schedule", view.schedule_name, why + "static" + others);
}

void check_smallest_eigenvalue(const RunView& view, Advice& advice) {
  if (eigenvalues_suffice(view.mixing, view.method, view.options)) return;
  const double limit = smallest_eigenvalue_needed(view.method, view.options);
  const double smallest = spectrum(view.mixing).smallest;
  advice.unsound("topology.weights", view.weights,
                 "the smallest eigenvalue of this mixing matrix is " + three_digits(smallest) + ", and " +
                     view.method.name + " needs one " + range_of_eigenvalues(limit) +
                     (three_digits(smallest) == three_digits(limit) ? ", by more than rounding" : "") +
                     "; expected \"lazy\", or link weights half as large");
}

void check_outer_gossip(const RunView& view, Advice& advice) {
  const std::string why = disagreement(view.method, view.options, view.schedule);
  if (!why.empty())
    advice.unsound("algorithm.consensus_step", three_digits(view.options[option::consensus_step]), why);
}

}  // namespace

void check_mixing_need(const RunView& view, Advice& advice) {
  const MethodInfo& method = view.method;
  const MixingMatrix& mixing = view.mixing;
  if (!mixing.doubly_stochastic() && !method.push_sum && method.pattern.reads_weights)
    advice.refuse("algorithm.kind", method.name,
                  "the topology has one-way links, and averages along them favor some peers; expected " +
                      methods_that([](const MethodInfo& other) { return other.push_sum; }) +
                      ", or links both ways");
  if (method.asynchronous && !mixing.mutual())
    advice.refuse(
        "algorithm.kind", method.name,
        "of some links one end only hears the other, and its answers have no way back; expected links "
        "both ways");
  if (method.needs_symmetric_mixing && !mixing.symmetric())
    advice.unsound("topology.weights", view.weights, method.name + " needs a symmetric mixing matrix");
  if (!method.permits_negative_weights && !mixing.non_negative())
    advice.unsound("topology.weights", view.weights,
                   method.name +
                       " needs weights of at least 0, and this matrix has negative ones; fastest-chain and "
                       "metropolis have none");
  if (!method.permits_time_varying && view.links_vary()) refuse_changing_links(view, advice);
  if (!method.pattern.uses_graph && view.participation < 1.0)
    advice.refuse("topology.participation", three_digits(view.participation),
                  method.name + " needs every peer in every iteration; use 1, or d-psgd");
  if (view.links_vary())
    check_outer_gossip(view, advice);
  else
    check_smallest_eigenvalue(view, advice);
}

bool eigenvalues_suffice(const MixingMatrix& mixing, const MethodInfo& method, const MethodOptions& options) {
  constexpr double rounding = 1e-9;
  const double limit = smallest_eigenvalue_needed(method, options);
  if (limit <= -1.0) return true;
  const double smallest = spectrum(mixing).smallest;
  return limit == 0.0 ? smallest >= -rounding : smallest > limit + rounding;
}

std::string range_of_eigenvalues(double limit) {
  return limit == 0.0 ? "of at least 0" : "above " + three_digits(limit);
}

}  // namespace hearsay
