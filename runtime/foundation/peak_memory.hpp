#pragma once

#include <cstdint>

namespace hearsay {

/// Returns the largest resident set size of this process so far, as the kernel counts it.
std::uint64_t peak_memory_bytes();

}  // namespace hearsay
