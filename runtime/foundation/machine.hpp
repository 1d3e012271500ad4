#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns the bytes of this machine's memory.
std::uint64_t machine_memory();

/// Returns "45 GB of memory, and this machine has 25" for bytes that it has not: the kernel would grant them,
/// and later kill the process. Nothing if it has them.
std::optional<std::string> beyond_memory(double bytes);

/// Returns the bytes of a size, "8 GB", or of a share of this machine's memory, "50%". Throws Misuse, which
/// names the setting by `key`, unless it is one of them and at least a byte.
std::uint64_t parse_memory(std::string_view key, std::string_view text);

/// Returns how many of this machine's processor cores this process may use; at least 1.
std::size_t usable_cores();

/// Returns the model name of this machine's first processor; empty if the machine does not tell.
std::string processor_name();

}  // namespace hearsay
