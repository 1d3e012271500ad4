#pragma once

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// Times of the emulated network are cut off here, after some 30 years: what would take longer takes that.
/// The sum of a few such times fits into 64 bits.
inline constexpr Duration longest_time{1'000'000'000'000'000'000};

}  // namespace hearsay
