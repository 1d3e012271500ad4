#pragma once

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <span>

namespace hearsay {

inline std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Returns the bytes of the pages that so many bytes take.
inline std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = page_bytes();
  return (bytes + page - 1) / page * page;
}

/// True if the user limits a resource of the process (getrlimit) to less than that.
inline bool is_limited(int resource, rlim_t least) {
  rlimit limit{};
  return getrlimit(resource, &limit) != 0 || (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < least);
}

/// Address space is no memory, but a user who limits it counts on what the processes take.
inline bool is_address_space_limited() { return is_limited(RLIMIT_AS, RLIM_INFINITY); }

inline bool holds(std::span<const std::byte> shared, std::span<const std::byte> bytes) {
  return bytes.data() >= shared.data() && bytes.data() < shared.data() + shared.size();
}

/// These bytes of a shared mapping, which begins at a page, count no more as memory of this process until it
/// uses them again. They stay as they are.
inline void let_go_of_pages(std::span<std::byte> shared, std::span<const std::byte> bytes) {
  const auto offset = static_cast<std::size_t>(bytes.data() - shared.data());
  const std::size_t begin = offset / page_bytes() * page_bytes();
  const std::size_t end = std::min(whole_pages(offset + bytes.size()), shared.size());
  madvise(shared.data() + begin, end - begin, MADV_DONTNEED);
}

}  // namespace hearsay
