#include "runtime/process/freed_pages.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "runtime/foundation/pages.hpp"

namespace hearsay {

namespace {

bool pages_are_kept = false;  // set before the process has other threads

struct Pages {
  void* begin;
  std::size_t bytes;
};

/// Returns the pages that lie wholly in a block.
Pages whole_pages(const void* block, std::size_t bytes) {
  const std::uintptr_t page = page_bytes();
  const std::uintptr_t begin = (reinterpret_cast<std::uintptr_t>(block) + page - 1) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(block) + bytes) / page * page;
  return {reinterpret_cast<void*>(begin), begin < end ? end - begin : 0};
}

}  // namespace

void keep_freed_pages() {
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, std::numeric_limits<int>::max());
  mallopt(M_ARENA_MAX, 1);
  pages_are_kept = true;
}

void warm_pages(std::size_t bytes) {
  if (!pages_are_kept) return;
  void* const block = std::malloc(bytes);
  if (block == nullptr) return;
  if (const Pages pages = whole_pages(block, bytes); pages.bytes > 0) {
    // Advice: a kernel without one of these clears the pages later.
    madvise(pages.begin, pages.bytes, MADV_HUGEPAGE);
    madvise(pages.begin, pages.bytes, MADV_POPULATE_WRITE);
  }
  std::free(block);
}

bool give_back_zeros(std::span<const std::byte> bytes) {
  const auto is_zero = [](std::byte byte) { return byte == std::byte{0}; };
  if (!std::ranges::all_of(bytes, is_zero)) return false;
  give_back_known_zeros(bytes);
  return true;
}

void give_back_known_zeros(std::span<const std::byte> bytes) {
  if (const Pages pages = whole_pages(bytes.data(), bytes.size()); pages.bytes > 0)
    madvise(pages.begin, pages.bytes, MADV_DONTNEED);
}

}  // namespace hearsay
