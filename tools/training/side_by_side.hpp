#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace hearsay {

/// Calls action(0), ..., action(count - 1), begun in this order, on at most so many threads.
/// If a call throws, no further call begins, and the first exception is thrown again when all threads are
/// done.
template <class Action>
void side_by_side(std::size_t count, std::size_t threads, const Action& action) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < count; k = next++) action(k);
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t k = 1; k < std::min(threads, count); ++k) others.emplace_back(work);
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace hearsay
