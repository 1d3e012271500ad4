#include "runtime/process/freed_pages.hpp"

#include <sys/resource.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <doctest/doctest.h>

#include "tests/support/process.hpp"

// The sanitizers bring an allocator of their own.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEARSAY_HAS_ANOTHER_MALLOC
#endif
#endif

#ifndef HEARSAY_HAS_ANOTHER_MALLOC
namespace hearsay::freed_pages_test {

namespace {

constexpr std::size_t block_bytes = std::size_t{64} << 20;  // beyond what malloc keeps by itself

void use_a_block() {
  void* volatile block = std::malloc(block_bytes);
  std::memset(block, 1, block_bytes);
  std::free(block);
}

long page_faults() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

/// Returns how many pages the kernel clears if a process uses a block once more, in another thread.
int pages_cleared_again() {
  const test::Process process([&] {
    keep_freed_pages();
    use_a_block();
    const long before = page_faults();
    std::thread(use_a_block).join();
    return test::Ended{0, std::to_string(page_faults() - before)};
  });
  return std::stoi(process.join().text);
}

/// Returns how many pages the kernel clears if a process uses a block for the first time, its pages warmed.
int pages_cleared_at_first() {
  const test::Process process([&] {
    keep_freed_pages();
    warm_pages(block_bytes + (std::size_t{1} << 20));
    const long before = page_faults();
    use_a_block();
    return test::Ended{0, std::to_string(page_faults() - before)};
  });
  return std::stoi(process.join().text);
}

}  // namespace

TEST_CASE("warmed pages: the first large block that a process uses does not wait for the kernel") {
  constexpr int pages = static_cast<int>(block_bytes / 4096);
  CHECK(pages_cleared_at_first() < pages / 100);
}

TEST_CASE("freed pages: a large block that one thread has freed serves another without the kernel") {
  constexpr int pages = static_cast<int>(block_bytes / 4096);
  CHECK(pages_cleared_again() < pages / 100);
}

}  // namespace hearsay::freed_pages_test
#endif
