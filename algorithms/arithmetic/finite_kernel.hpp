#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// `all_finite` of reductions.hpp for scalars of 4 or 8 bytes that begin at any address. Uses the widest
/// vectors of the machine, chosen at run time. Checks every message, and the model once an iteration.
bool all_finite_4(std::span<const std::byte> bytes);
bool all_finite_8(std::span<const std::byte> bytes);

}  // namespace hearsay
