#pragma once

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// A queue from one thread to another: a mutex, a vector and an eventfd. The eventfd is readable while the
/// queue is not empty, so that the receiver can poll it beside its sockets.
template <class Item>
class Handover {
 public:
  Handover() : fd_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    ensure(fd_ >= 0, "the kernel gives out eventfds");
  }
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;
  ~Handover() { close(fd_); }

  void push(Item item) {
    bool first = false;
    {
      const std::lock_guard lock(mutex_);
      first = items_.empty();
      items_.push_back(std::move(item));
    }
    if (first) {
      const std::uint64_t one = 1;
      ensure(write(fd_, &one, sizeof one) == sizeof one, "an eventfd takes one more");
    }
  }

  /// Moves all items into `into`, in order, in place of its content. The two vectors are swapped, so nothing
  /// is allocated once both are large enough.
  void drain(std::vector<Item>& into) {
    into.clear();
    std::uint64_t count = 0;
    const std::lock_guard lock(mutex_);
    [[maybe_unused]] const auto read_bytes = read(fd_, &count, sizeof count);
    into.swap(items_);
  }

  int fd() const { return fd_; }

  /// Waits until the queue is not empty, or a signal comes.
  void wait() const {
    pollfd waited{fd_, POLLIN, 0};
    poll(&waited, 1, -1);
  }

 private:
  int fd_;
  std::mutex mutex_;
  std::vector<Item> items_;
};

}  // namespace hearsay
