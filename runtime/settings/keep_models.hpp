#pragma once

#include <string>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/value_kind.hpp"

namespace hearsay {

/// How run.keep_models is spelled: "never", "every 10" or "every 10, peers".
std::string keep_models_text(const RunSettings::Run::KeepModels& keep);
ValueKind<RunSettings::Run::KeepModels> keep_models_kind();

}  // namespace hearsay
