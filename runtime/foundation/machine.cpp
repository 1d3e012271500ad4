#include "runtime/foundation/machine.hpp"

#include <unistd.h>

#include <fstream>

namespace hearsay {

std::uint64_t machine_memory() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("model name"))
      if (const std::size_t colon = line.find(": "); colon != line.npos) return line.substr(colon + 2);
  return "";
}

}  // namespace hearsay
