#include "runtime/foundation/thread_crew.hpp"

#include <hwy/cache_control.h>

#include <system_error>
#include <utility>

namespace hearsay {

namespace {

constexpr int looks_before_sleep = 2000;

/// Waits until the number is another one than `seen`. Looks for a while before it sleeps: waking a thread
/// takes longer than most works do.
void wait_while(const std::atomic<std::uint32_t>& number, std::uint32_t seen) {
  for (int look = 0; look < looks_before_sleep; ++look) {
    if (number.load(std::memory_order_acquire) != seen) return;
    hwy::Pause();
  }
  number.wait(seen);
}

}  // namespace

ThreadCrew::ThreadCrew(std::size_t size) : failures_(size) {
  threads_.reserve(size);
  try {
    for (std::size_t number = 1; number < size; ++number)
      threads_.emplace_back([this, number] { serve(number); });
  } catch (const std::system_error&) {  // a limit of threads, or of the memory for their stacks
  }
}

ThreadCrew::~ThreadCrew() {
  part_ = nullptr;
  ++works_;
  works_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadCrew::work(const std::function<void(std::size_t)>& part) {
  part_ = &part;
  busy_ = static_cast<std::uint32_t>(threads_.size());
  ++works_;
  works_.notify_all();
  do_part(0);
  for (std::uint32_t busy = busy_; busy != 0; busy = busy_) wait_while(busy_, busy);
  std::exception_ptr first;
  for (std::exception_ptr& failure : failures_)
    if (std::exception_ptr thrown = std::exchange(failure, nullptr); thrown && !first) first = thrown;
  if (first) std::rethrow_exception(first);
}

void ThreadCrew::serve(std::size_t number) {
  for (std::uint32_t seen = 0;; ++seen) {
    wait_while(works_, seen);
    if (!part_) return;
    do_part(number);
    if (--busy_ == 0) busy_.notify_one();
  }
}

void ThreadCrew::do_part(std::size_t number) {
  try {
    (*part_)(number);
  } catch (...) {
    failures_[number] = std::current_exception();
  }
}

}  // namespace hearsay
