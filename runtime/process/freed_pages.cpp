#include "runtime/process/freed_pages.hpp"

#include <malloc.h>

#include <limits>

namespace hearsay {

void keep_freed_pages() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_ARENA_MAX, 1);
}

}  // namespace hearsay
