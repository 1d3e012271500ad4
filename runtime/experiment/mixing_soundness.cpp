#include "runtime/experiment/mixing_soundness.hpp"

#include <string>

#include "algorithms/methods/choco_sgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/stability/outer_gossip_limit.hpp"
#include "runtime/experiment/chosen_weights.hpp"
#include "runtime/experiment/unsound.hpp"
#include "runtime/foundation/units.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

namespace {

class MixingCheck {
 public:
  MixingCheck(const RunSettings& settings, const MethodInfo& method, const NamedTopology& topology,
              const Schedule& schedule, std::vector<std::string>& warnings)
      : settings_(settings), method_(method), topology_(topology), schedule_(schedule), warnings_(warnings) {}

  void run() const {
    const MixingMatrix& mixing = topology_.mixing;
    const std::string& weights = topology_.weights;
    if (!mixing.doubly_stochastic() && !method_.push_sum && method_.pattern.reads_weights)
      throw Misuse("algorithm.kind", method_.name,
                   "the topology has one-way links, and averages along them favor some peers; expected " +
                       methods_that([](const MethodInfo& other) { return other.push_sum; }) +
                       ", or links both ways");
    if (method_.asynchronous && !mixing.mutual())
      throw Misuse(
          "algorithm.kind", method_.name,
          "of some links one end only hears the other, and its answers have no way back; expected links "
          "both ways");
    if (method_.needs_symmetric_mixing && !mixing.symmetric())
      unsound("topology.weights", weights, method_.name + " needs a symmetric mixing matrix");
    if (!method_.permits_negative_weights && !mixing.non_negative())
      unsound("topology.weights", weights,
              method_.name +
                  " needs weights of at least 0, and this matrix has negative ones; fastest-chain and "
                  "metropolis have none");
    if (!method_.permits_time_varying && schedule_.period() != 1) refuse_changing_links();
    if (!method_.pattern.uses_graph && settings_.topology.participation < 1.0)
      throw Misuse("topology.participation", three_digits(settings_.topology.participation),
                   method_.name + " needs every peer in every iteration; use 1, or d-psgd");
    check_options_of_changing_links();
    if (schedule_.period() == 1)
      check_smallest_eigenvalue();
    else
      check_outer_gossip();
  }

 private:
  /// Throws the Misuse that names what makes the links change: the schedule, or participation if that is
  /// static.
  [[noreturn]] void refuse_changing_links() const {
    const TopologySettings& topology = settings_.topology;
    if (method_.pattern.has_hub)
      throw Misuse("topology.participation", three_digits(topology.participation),
                   method_.name + " needs all workers in every round; expected 1, or one of " +
                       methods_that([](const MethodInfo& other) {
                         return other.permits_time_varying && other.pattern.has_hub;
                       }));
    const std::string why = method_.name + " needs the same mixing in every round; expected ";
    const std::string others =
        ", or one of " + methods_that([](const MethodInfo& other) {
          return other.permits_time_varying && other.pattern.uses_graph && !other.pattern.has_hub;
        });
    if (topology.schedule == "static")
      throw Misuse("topology.participation", three_digits(topology.participation), why + "1" + others);
    throw Misuse("topology.schedule", topology.schedule, why + "static" + others);
  }

  /// Throws Misuse for options that need fixed links, although the method itself does not.
  void check_options_of_changing_links() const {
    if (schedule_.period() == 1) return;
    const MethodOptions& options = settings_.algorithm.options;
    const std::string remedy = ", or topology.schedule = \"static\" with topology.participation = 1";
    if (options.find(option::memory) == "aggregate")
      throw Misuse("algorithm.memory", options[option::memory],
                   "it sums up what fixed neighbors say, and here they change from round to round; expected "
                   "replicas" +
                       remedy);
    if (options.find(option::order) == "pipelined")
      throw Misuse("algorithm.order", options[option::order],
                   "what travels during the gradient is for the next round's mixing, and here its neighbors "
                   "are others; expected plain" +
                       remedy);
  }

  void check_smallest_eigenvalue() const {
    const MixingMatrix& mixing = topology_.mixing;
    const MethodOptions& options = settings_.algorithm.options;
    if (eigenvalues_suffice(mixing, method_, options)) return;
    const double limit = smallest_eigenvalue_needed(method_, options);
    const double smallest = spectrum(mixing).smallest;
    unsound("topology.weights", topology_.weights,
            "the smallest eigenvalue of this mixing matrix is " + three_digits(smallest) + ", and " +
                method_.name + " needs one " + range_of_eigenvalues(limit) +
                (three_digits(smallest) == three_digits(limit) ? ", by more than rounding" : "") +
                "; expected \"lazy\", or link weights half as large");
  }

  void check_outer_gossip() const {
    const MethodOptions& options = settings_.algorithm.options;
    const std::string why = disagreement(method_, options, schedule_);
    if (!why.empty()) unsound("algorithm.consensus_step", three_digits(options[option::consensus_step]), why);
  }

  void unsound(const std::string& key, const std::string& value, const std::string& expectation) const {
    refuse_unless_allowed(settings_, {key, value, expectation}, warnings_);
  }

  const RunSettings& settings_;
  const MethodInfo& method_;
  const NamedTopology& topology_;
  const Schedule& schedule_;
  std::vector<std::string>& warnings_;
};

}  // namespace

void check_mixing(const RunSettings& settings, const MethodInfo& method, const NamedTopology& topology,
                  const Schedule& schedule, std::vector<std::string>& warnings) {
  MixingCheck(settings, method, topology, schedule, warnings).run();
}

}  // namespace hearsay
