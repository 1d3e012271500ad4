#pragma once

#include <string>
#include <vector>

#include "tools/sweep/sweep_rows.hpp"

namespace hearsay {

/// Returns the table at the end of a sweep, and below it what has to be said about single rows. A sweep
/// without repeats has a row for every point that was tried. With repeats there is a row for every variant
/// and place, whose figures are means with 95 % intervals.
std::string table_of(const Sweep& sweep, const std::vector<SweepRow>& rows);

}  // namespace hearsay
