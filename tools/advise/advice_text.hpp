#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/advise/advice.hpp"

namespace hearsay {

/// "dcd-psgd dither(linf, bits=4, bucket=512) on torus(2x4)"
std::string label_of(const Prospect& prospect);

/// The best and the user's own, how sure that is, and who was left out and why: for people.
std::string text_of(const Advice& advice);

/// The same, all of it, for machines.
nlohmann::ordered_json record_of(const Advice& advice);

/// The run of the best, under a name and with an output of its own, to the target that was advised on, and
/// long enough.
RunSettings run_of_winner(const Advice& advice);

/// What the run file of the best says above its keys; `command` is what was typed.
std::string heading_of(const Advice& advice, const std::string& command);

}  // namespace hearsay
