#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace hearsay {

/// One iteration of a method, as a coroutine that suspends where the paper says "exchange with neighbors" or
/// "evaluate the gradient". A task starts suspended. Its owner resumes it when the awaited result is there. A
/// method never nests tasks.
class Task {
 public:
  struct promise_type {
    Task get_return_object() { return Task(std::coroutine_handle<promise_type>::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_void() noexcept {}
    void unhandled_exception() noexcept { std::terminate(); }  // methods do not throw: this is a bug
  };

  Task() = default;
  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }

  bool done() const { return !coroutine_ || coroutine_.done(); }
  void resume() { coroutine_.resume(); }

 private:
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace hearsay
