#pragma once

#include <filesystem>
#include <string>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

// run.evaluate_every: a number of iterations, or a time.

/// The value as a run file spells it: 10, or "30 s" with its quotes.
std::string evaluate_every_text(const RunSettings::Run& run);
void read_evaluate_every(const Setting& setting, const std::filesystem::path& directory,
                         RunSettings::Run& to);

}  // namespace hearsay
