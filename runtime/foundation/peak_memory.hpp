#pragma once

#include <cstdint>

namespace hearsay {

/// The largest resident set of this process so far, as the kernel counts it.
std::uint64_t peak_memory_bytes();

}  // namespace hearsay
