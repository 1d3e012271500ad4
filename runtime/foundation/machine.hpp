#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns the bytes of this machine's memory.
std::uint64_t machine_memory();

/// Returns the bytes of a size, "8 GB", or of a share of this machine's memory, "50%". Throws Misuse, which
/// names the setting by `key`, unless it is one of them and at least a byte.
std::uint64_t parse_memory(std::string_view key, std::string_view text);

/// Returns the model name of this machine's first processor; empty if the machine does not tell.
std::string processor_name();

}  // namespace hearsay
