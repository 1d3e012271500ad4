#include "tools/terminal/open_files.hpp"

#include <sys/resource.h>

#include <algorithm>

namespace hearsay {

void raise_limit_of_open_files() {
  constexpr rlim_t plenty = 65536;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::min(limit.rlim_max, plenty);
  if (limit.rlim_cur >= wanted) return;
  limit.rlim_cur = wanted;
  setrlimit(RLIMIT_NOFILE, &limit);  // if it fails, the limit stays
}

}  // namespace hearsay
