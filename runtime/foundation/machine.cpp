#include "runtime/foundation/machine.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::optional<std::string> beyond_memory(double bytes) {
  constexpr double gigabyte = 1e9;
  const auto memory = static_cast<double>(machine_memory());
  if (bytes <= memory) return std::nullopt;
  return number_text(std::ceil(bytes / gigabyte)) + " GB of memory, and this machine has " +
         number_text(std::floor(memory / gigabyte));
}

std::uint64_t parse_memory(std::string_view key, std::string_view text) {
  if (!text.ends_with('%')) return parse_bytes(key, text);
  const auto bytes =
      static_cast<std::uint64_t>(parse_share(key, text) * static_cast<double>(machine_memory()));
  if (bytes == 0)
    throw Misuse(std::string(key), '"' + std::string(text) + '"',
                 "expected a share above 0% of this machine's memory, such as \"50%\"");
  return bytes;
}

std::size_t usable_cores() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof cores, &cores) == 0) return static_cast<std::size_t>(CPU_COUNT(&cores));
  return static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN)));  // more than a set holds
}

std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  return "";
}

}  // namespace hearsay
