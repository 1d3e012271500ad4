#include "runtime/experiment/agreed_options.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace hearsay {

namespace {

const std::string unset = "unset";

/// The options that protocol 7 lists.
constexpr std::string_view listed[] = {
    "restart_every", "feedback",     "consensus_step",  "damping",     "momentum",        "optimizer",
    "local_steps",   "staleness",    "trigger",         "rank",        "memory",          "form",
    "estimator",     "inner_length", "inner_growth",    "snapshot",    "consensus",       "gossip",
    "prox_order",    "outer",        "inner_state",     "error_decay", "fragments",       "overlap",
    "own_share",     "aggregate",    "down_compressor", "proximal",    "memory_step",     "down_memory_step",
    "control",       "worker_steps", "dense_rounds",    "rounds",      "threshold",       "vote",
    "trust",         "predictors",   "rate_weight",     "quantizers",  "side_information"};

/// Returns the name under which protocol 7 lists an option: four were one.
std::string_view listed_name(std::string_view name) {
  const bool was_form = name == "order" || name == "signs" || name == "memories" || name == "mixes";
  return was_form ? "form" : name;
}

/// Returns the value as protocol 7 spells it. When it was made, choco-sgd alone had a choice of `memory`.
std::string listed_value(const MethodOptions::Entry& option, const MethodInfo& method) {
  const std::string value = option.text();
  if (option.row->name == "memory" && method.name != "choco-sgd" && value == "replicas") return unset;
  if (option.row->name != "mixes") return value;
  return value == "momentum" ? "mixed" : value == "models" ? "published" : value;
}

}  // namespace

std::vector<AgreedSetting> agreed_options(const MethodOptions& options, const MethodInfo& method) {
  std::vector<AgreedSetting> agreed;
  for (const std::string_view name : listed) {
    const auto is_it = [&](const MethodOptions::Entry& option) {
      return listed_name(option.row->name) == name;
    };
    const auto found = std::ranges::find_if(options, is_it);
    agreed.push_back(
        {"algorithm." + std::string(name), found == options.end() ? unset : listed_value(*found, method)});
  }
  for (const MethodOptions::Entry& option : method.options)
    if (std::ranges::find(listed, listed_name(option.row->name)) == std::end(listed))
      agreed.push_back(
          {"algorithm." + option.row->name, options.has(*option.row) ? options.text(*option.row) : unset});
  return agreed;
}

}  // namespace hearsay
