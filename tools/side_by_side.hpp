#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace hearsay {

/// action(0), ..., action(count - 1), begun in this order, by as many threads as the machine has cores.
template <class Action>
void side_by_side(std::size_t count, const Action& action) {
  std::atomic<std::size_t> next{0};
  const auto work = [&] {
    for (std::size_t k = next++; k < count; k = next++) action(k);
  };
  std::vector<std::jthread> threads;
  for (std::size_t k = 1; k < std::min<std::size_t>(std::thread::hardware_concurrency(), count); ++k)
    threads.emplace_back(work);
  work();
}

}  // namespace hearsay
