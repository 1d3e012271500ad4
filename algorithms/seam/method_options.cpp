#include "algorithms/seam/method_options.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/methods/registry.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

using Number = OptionKey::Number;
using Count = OptionKey::Count;
using Text = OptionKey::Text;
using O = MethodOptions;

std::string spelled(double value) { return number_text(value); }
std::string spelled(std::uint64_t value) { return std::to_string(value); }
std::string spelled(const std::string& value) { return value; }

}  // namespace

bool OptionKey::set_in(const MethodOptions& options) const {
  return std::visit([&](const auto& of) { return (options.*of.member).has_value(); }, kind);
}

std::string OptionKey::text(const MethodOptions& options) const {
  return std::visit([&](const auto& of) { return spelled(*(options.*of.member)); }, kind);
}

void OptionKey::copy(const MethodOptions& from, MethodOptions& to) const {
  std::visit([&](const auto& of) { to.*of.member = from.*of.member; }, kind);
}

std::span<const OptionKey> option_keys() {
  constexpr double tiny = std::numeric_limits<double>::min();  // more than 0
  constexpr double below_1 = 1.0 - std::numeric_limits<double>::epsilon();
  constexpr double any = std::numeric_limits<double>::max();
  static const std::vector<OptionKey> keys = {
      {"restart_every", Count{&O::restart_every, 0}},
      {"feedback", Text{&O::feedback, {}}},
      {"consensus_step", Number{&O::consensus_step, tiny, 2.0}},
      {"damping", Number{&O::damping, tiny, 1.0}},
      {"momentum", Number{&O::momentum, 0.0, below_1}},
      {"optimizer", Text{&O::optimizer, {}}},
      {"local_steps", Count{&O::local_steps, 1}},
      {"staleness", Count{&O::staleness, 0}},
      {"trigger", Number{&O::trigger, 0.0, any}},
      {"rank", Count{&O::rank, 1}},
      {"memory", Text{&O::memory, {"replicas", "aggregate"}}},
      {"form", Text{&O::form, {"plain", "pipelined"}}},
      {"estimator", Text{&O::estimator, {"svrg", "loopless-svrg", "saga"}}},
      {"inner_length", Count{&O::inner_length, 1}},
      {"inner_growth", Number{&O::inner_growth, 1.0, 16.0}},
      {"snapshot", Text{&O::snapshot, {"last", "average"}}},
      {"consensus", Text{&O::consensus, {}, true}},
      {"gossip", Text{&O::gossip, {"plain", "chebyshev"}}},
      {"prox_order", Text{&O::prox_order, {"mix-then-prox", "prox-then-mix"}}},
  };
  return keys;
}

MethodOptions resolved_options(const MethodOptions& set, const MethodInfo& method) {
  MethodOptions resolved = method.options;
  for (const OptionKey& key : option_keys()) {
    if (!key.set_in(set)) continue;
    if (!key.set_in(method.options))
      throw Misuse("algorithm." + key.name, key.text(set),
                   method.name + " does not read it; leave it out (those that do: " +
                       methods_that([&](const MethodInfo& reader) { return key.set_in(reader.options); }) +
                       ")");
    key.copy(set, resolved);
  }
  if (!method.unread_options) return resolved;
  const UnreadOptions unread = method.unread_options(resolved);
  for (const OptionKey& key : option_keys()) {
    if (std::ranges::find(unread.names, key.name) == unread.names.end()) continue;
    if (key.set_in(set))
      throw Misuse("algorithm." + key.name, key.text(set),
                   method.name + " with " + unread.because_of + " does not read it; leave it out");
    key.copy({}, resolved);
  }
  return resolved;
}

}  // namespace hearsay
