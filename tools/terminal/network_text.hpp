#pragma once

#include <string>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the emulated network of a run in words: "10 Mbit/s, latency 5 ms; 2 links differ".
std::string network_text(const RunSettings& settings);

}  // namespace hearsay
