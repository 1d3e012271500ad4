#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// `all_finite` of reductions.hpp for scalars of 4 or 8 bytes that begin at any address, with the widest
/// vectors that the machine has (chosen at run time). Every message is checked by them, and once an iteration
/// the model.
bool all_finite_4(std::span<const std::byte> bytes);
bool all_finite_8(std::span<const std::byte> bytes);

}  // namespace hearsay
