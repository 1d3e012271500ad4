#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns the bytes of this machine's memory, or how many of them all processes here may use together, if
/// that is less: a container and a job of Slurm have limits.
std::uint64_t machine_memory();

/// Returns how many bytes of it this process may use alone: `ulimit -v` is a limit of each process.
std::uint64_t memory_of_process();

/// Returns the least limit of memory of the control groups of a process, in bytes; nothing if there is none.
/// `membership`: the content of its /proc/PID/cgroup; `groups`: where the groups are, /sys/fs/cgroup. Reads
/// version 2 and version 1.
std::optional<std::uint64_t> memory_limit_of(std::string_view membership,
                                             const std::filesystem::path& groups);

/// Returns "45 GB of memory, and this machine has 25" for more bytes than `memory`, or "and this process may
/// use 4" if the machine has more: the kernel would grant them, and later kill the process. Else nothing.
std::optional<std::string> beyond_memory(double bytes, std::uint64_t memory);

/// Returns the bytes of a size, "8 GB", or of a share of this machine's memory, "50%". Throws Misuse, which
/// names the setting by `key`, unless it is one of them and at least a byte.
std::uint64_t parse_memory(std::string_view key, std::string_view text);

/// Returns how many of this machine's processor cores this process may use; at least 1.
std::size_t usable_cores();

/// Returns the model name of this machine's first processor; empty if the machine does not tell.
std::string processor_name();

}  // namespace hearsay
