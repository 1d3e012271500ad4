#include "runtime/experiment/drop_policy.hpp"

#include <string>

#include "algorithms/methods/registry.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

void require_droppable(const RunSettings& settings, const MethodInfo& method) {
  if (!settings.failure.drops()) return;
  const auto refuse = [](const std::string& why) {
    throw Misuse("failure.policy", "\"drop\"", why + "; expected \"wait\"");
  };
  const auto refuse_method = [&](const std::string& why) {
    const auto could = [&](const MethodInfo& other) {
      return other.pattern.has_hub == method.pattern.has_hub && goes_on_without(other.membership);
    };
    throw Misuse("failure.policy", "\"drop\"",
                 method.name + why + "; expected \"wait\", or one of " + methods_that(could));
  };
  const MethodOptions& options = settings.algorithm.options;
  if (method.membership == Membership::reinitialise)
    refuse_method(" keeps sums over all peers, which a peer that is gone takes along");
  if (method.membership == Membership::refuse) refuse_method(" cannot do without any peer");
  const std::string why = method.keeps_all_because ? method.keeps_all_because(options) : "";
  if (!why.empty()) refuse(method.name + " " + why);
  if (staleness_of(settings) != 0)
    refuse("the two ends of a broken link would part as many iterations apart as algorithm.staleness says");
  if (method.membership == Membership::forgotten && settings.topology.participation < 1.0)
    throw Misuse("topology.participation", number_text(settings.topology.participation),
                 "under failure.policy = \"drop\" the hub of " + method.name +
                     " forgets what a worker has said that does not answer; expected 1" +
                     (method.permits_time_varying ? ", or failure.policy = \"wait\"" : ""));
  const bool all_take_part = settings.topology.participation == 1.0 || method.pattern.has_hub;
  if (settings.topology.schedule != "static" || !all_take_part)
    refuse("it wants a static schedule with all peers");
  if (settings.failure.keeps_checkpoints())
    refuse("who comes back joins with a neighbor's model, so failure.checkpoint_every is to be 0");
}

}  // namespace hearsay
