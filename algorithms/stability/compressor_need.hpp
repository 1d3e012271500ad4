#pragma once

#include <optional>

#include "algorithms/seam/advice.hpp"
#include "algorithms/seam/run_view.hpp"

namespace hearsay {

/// Checks that the compressors of a run are such as the method needs (MethodInfo::compressor, and
/// MethodInfo::down_compressor for what a hub says). Warns of one whose messages are not shorter. Returns the
/// relative variance below which compressors are tolerated, if it is known: DCD-PSGD's limit (dcd_limit.hpp).
std::optional<double> check_compressor_need(const RunView& view, Advice& advice);

/// Returns the warning about a compressor whose messages take at least as many bits as uncompressed ones.
std::string no_shorter_than_none(const std::string& compressor, double bits_per_coordinate,
                                 std::size_t bits_of_none);

}  // namespace hearsay
