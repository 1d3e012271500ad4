#include "runtime/process/freed_pages.hpp"

#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/process.hpp"
#include "tests/support/sanitizers.hpp"

#ifndef HEARSAY_TESTS_ARE_SANITIZED
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

/// Returns how many pages a process gives back of a block that holds one number, and whether it still does.
std::string pages_given_back(int number) {
  const test::Process process([number] {
    keep_freed_pages();
    std::vector<std::byte> block(block_bytes);
    block[block_bytes / 2] = static_cast<std::byte>(number);
    give_back_zeros(block);
    std::vector<unsigned char> is_resident(block_bytes / 4096 + 2);
    const auto begin = reinterpret_cast<std::uintptr_t>(block.data()) / 4096 * 4096;
    mincore(reinterpret_cast<void*>(begin), block_bytes, is_resident.data());
    const auto gone = std::count(is_resident.begin(), is_resident.begin() + block_bytes / 4096, 0);
    const bool is_same = block[0] == std::byte{0} && block[block_bytes / 2] == static_cast<std::byte>(number);
    return test::Ended{is_same ? 0 : 1, std::to_string(gone)};
  });
  const test::Ended end = process.join();
  CHECK(end.exit_code == 0);
  return end.text;
}

}  // namespace

TEST_CASE("zeros: a block of zeros costs no pages once it is given back, and one with a number stays") {
  constexpr int pages = static_cast<int>(block_bytes / 4096);
  CHECK(std::stoi(pages_given_back(0)) > pages - pages / 100);
  CHECK(pages_given_back(3) == "0");
}

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
