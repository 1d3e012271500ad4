#pragma once

#include <nlohmann/json.hpp>

#include "algorithms/seam/method_options.hpp"

namespace hearsay {

/// Returns the options that are set, spelled as in a run file: {"consensus_step": "0.3", ...}.
inline nlohmann::ordered_json options_json(const MethodOptions& options) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const MethodOptions::Entry& option : options) json[option.row->name] = option.text();
  return json;
}

}  // namespace hearsay
