#pragma once

#include <filesystem>
#include <string>

#include "runtime/foundation/bandwidth_trace.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// The key bandwidth_trace: the name of a file (relative paths start at `directory`) of lines
/// "SECONDS,BANDWIDTH", after a heading "seconds,bandwidth" if there is one; or an array of such lines:
///
///     seconds,bandwidth
///     0,100 Mbit/s
///     1.5,0 Mbit/s
///     2,unlimited
///
/// Misuse, naming the line: one of another form, a first time that is not 0, a time that is not later than
/// the one before, and a bandwidth of 0 for ever.
BandwidthTrace read_trace(const Setting& setting, const std::filesystem::path& directory);

/// The array, which reads back as an equal trace, so that a resolved run needs no other file.
std::string spelled_trace(const BandwidthTrace& trace);

}  // namespace hearsay
