#pragma once

#include <filesystem>
#include <string>

#include "runtime/foundation/bandwidth_trace.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// Reads the key bandwidth_trace. Its value is an array of lines "SECONDS,BANDWIDTH", or the name of a file
/// of such lines (relative paths start at `directory`). The file may begin with the heading
/// "seconds,bandwidth":
///
///     seconds,bandwidth
///     0,100 Mbit/s
///     1.5,0 Mbit/s
///     2,unlimited
///
/// Throws Misuse, which names the line, for: a line of another form, a first time other than 0, and a time
/// that is not later than the time before. Throws Misuse, too, if there are no lines, or if all bandwidths
/// are 0.
BandwidthTrace read_trace(const Setting& setting, const std::filesystem::path& directory);

/// Returns the trace as an array of lines, so that a resolved run needs no other file. The array reads back
/// as an equal trace.
std::string spelled_trace(const BandwidthTrace& trace);

}  // namespace hearsay
