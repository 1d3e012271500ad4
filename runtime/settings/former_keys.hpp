#pragma once

#include <vector>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// Throws Misuse for a key of earlier versions, with a sentence that says what there is instead. `kind` is
/// the method's name; empty if it is not known yet.
void refuse_former_keys(const std::vector<Setting>& settings, const std::string& kind);

}  // namespace hearsay
