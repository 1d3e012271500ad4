#include "runtime/foundation/machine.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

std::uint64_t memory_of_all() {
  return static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// Returns the least number in the files `name` of the group `path` and of those around it, up to `root`.
std::optional<std::uint64_t> least_in_groups(const std::filesystem::path& root, std::filesystem::path path,
                                             const char* name) {
  std::optional<std::uint64_t> least;
  for (;; path = path.parent_path()) {
    std::ifstream file(root / path / name);
    std::string text;
    std::uint64_t limit = 0;
    if (std::getline(file, text) && parse_whole(text, limit)) least = std::min(limit, least.value_or(limit));
    if (path.empty()) return least;
  }
}

std::uint64_t limit_of_groups() {
  std::ifstream file("/proc/self/cgroup");
  const std::string membership{std::istreambuf_iterator<char>(file), {}};
  return memory_limit_of(membership, "/sys/fs/cgroup").value_or(std::numeric_limits<std::uint64_t>::max());
}

/// In gigabytes, rounded down; to a tenth if they are few.
std::string gigabytes_text(std::uint64_t bytes) {
  const double tenths = std::floor(static_cast<double>(bytes) / 1e8);
  return number_text(tenths < 100.0 ? tenths / 10.0 : std::floor(tenths / 10.0));
}

}  // namespace

std::uint64_t machine_memory() { return std::min(memory_of_all(), limit_of_groups()); }

std::uint64_t memory_of_process() {
  rlimit addresses{};
  const bool has_limit = getrlimit(RLIMIT_AS, &addresses) == 0;
  return has_limit ? std::min<std::uint64_t>(machine_memory(), addresses.rlim_cur) : machine_memory();
}

std::optional<std::uint64_t> memory_limit_of(std::string_view membership,
                                             const std::filesystem::path& groups) {
  std::optional<std::uint64_t> least;
  while (!membership.empty()) {  // lines such as "0::/job" of version 2, "4:cpu,memory:/job" of version 1
    const std::string_view line = membership.substr(0, membership.find('\n'));
    membership.remove_prefix(std::min(membership.size(), line.size() + 1));
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == line.npos) continue;
    const std::string controllers = "," + std::string(line.substr(first + 1, second - first - 1)) + ",";
    const std::filesystem::path path =
        std::filesystem::path(line.substr(second + 1)).lexically_normal().relative_path();
    std::optional<std::uint64_t> limit;
    if (line.starts_with("0::")) limit = least_in_groups(groups, path, "memory.max");
    if (controllers.find(",memory,") != controllers.npos)
      limit = least_in_groups(groups / "memory", path, "memory.limit_in_bytes");
    if (limit) least = std::min(*limit, least.value_or(*limit));
  }
  return least;
}

std::optional<std::string> beyond_memory(double bytes, std::uint64_t memory) {
  if (bytes <= static_cast<double>(memory)) return std::nullopt;
  return number_text(std::ceil(bytes / 1e9)) + " GB of memory, and " +
         (memory < memory_of_all() ? "this process may use " : "this machine has ") + gigabytes_text(memory);
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
