#pragma once

#include <string>
#include <vector>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// A setting with which the method is predicted not to work, and what was expected.
struct Unsound {
  std::string key;
  std::string value;
  std::string expectation;
};

/// Throws it as a Misuse, or adds it to the warnings if algorithm.allow_unsound is true.
void refuse_unless_allowed(const RunSettings& settings, const Unsound& found,
                           std::vector<std::string>& warnings);

}  // namespace hearsay
