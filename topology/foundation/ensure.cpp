#include "topology/foundation/ensure.hpp"

#include <cstdio>
#include <cstdlib>

namespace hearsay {

void fail_ensure(std::string_view what, const char* file, int line) {
  std::fprintf(stderr, "hearsay: broken invariant: %.*s (%s:%d)\n", static_cast<int>(what.size()),
               what.data(), file, line);
  std::abort();
}

}  // namespace hearsay
