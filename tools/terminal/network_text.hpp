#pragma once

#include <string>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the emulated network of a run in words: "10 Mbit/s, latency 5 ms; 2 links differ".
std::string network_text(const RunSettings& settings);

/// Returns how much of the time the peers are there, and how slow they compute, under topology.availability:
/// "100, 87.5, 50 % of the time, peer by peer, anew after 24 h; gradients take up to 2.5 times as long".
std::string availability_text(const RunSettings& settings);

}  // namespace hearsay
