#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/foundation/crew.hpp"

namespace hearsay {

/// A crew whose threads live as long as it does, and sleep between two works.
class ThreadCrew final : public Crew {
 public:
  /// `size` is at least 1. If the system permits fewer threads, the crew has fewer.
  explicit ThreadCrew(std::size_t size);
  ~ThreadCrew() override;

  std::size_t size() const override { return threads_.size() + 1; }
  void work(const std::function<void(std::size_t)>& part) override;

 private:
  void serve(std::size_t number);
  void do_part(std::size_t number);

  const std::function<void(std::size_t)>* part_ = nullptr;  // of the present work; null: the crew disbands
  std::atomic<std::uint32_t> works_{0};                     // how many have begun
  std::atomic<std::uint32_t> busy_{0};                      // threads that have not done their part yet
  std::vector<std::exception_ptr> failures_;                // by part
  std::vector<std::thread> threads_;                        // last: they use the others
};

}  // namespace hearsay
