#include "runtime/process/open_file_limit.hpp"

#include <sys/resource.h>

#include "topology/foundation/host_refusal.hpp"

namespace hearsay {

void require_open_files(std::size_t needed, const std::string& who) {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= needed) return;
  throw HostRefusal(who + " opens up to " + std::to_string(needed) +
                    " files, and this machine allows a process " + std::to_string(limit.rlim_cur) +
                    "; expected a higher limit (ulimit -n), fewer peers or fewer neighbors");
}

}  // namespace hearsay
