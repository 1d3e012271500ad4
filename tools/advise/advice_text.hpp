#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tools/advise/advice.hpp"

namespace hearsay {

/// "dcd-psgd dither(linf, bits=4, bucket=512) on torus(2x4)"
std::string label_of(const Prospect& prospect);

/// Returns the advice for people: the best candidates and the user's own run, how sure that is, and which
/// candidates were left out and why.
std::string text_of(const RankedAdvice& advice);

/// Returns the whole advice as JSON.
nlohmann::ordered_json record_of(const RankedAdvice& advice);

/// Returns the run of the best candidate, with its own name and output, the target loss of the advice, and
/// enough iterations to reach it.
RunSettings run_of_winner(const RankedAdvice& advice);

/// Returns the comment at the top of the run file of the best candidate; `command` is the command line of the
/// user.
std::string heading_of(const RankedAdvice& advice, const std::string& command);

}  // namespace hearsay
