#pragma once

#include <cstdint>
#include <string>

namespace hearsay {

/// Returns the bytes of this machine's memory.
std::uint64_t machine_memory();

/// Returns the model name of this machine's first processor; empty if the machine does not tell.
std::string processor_name();

}  // namespace hearsay
