#pragma once

#include <string>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// "10 Mbit/s, latency 5 ms; 2 links differ": the emulated network of a run.
std::string network_text(const RunSettings& settings);

}  // namespace hearsay
