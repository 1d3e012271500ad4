#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace hearsay {

/// A wait of several steps that a method awaits as one: the hops of a ring, the gradients of local steps.
///
///     co_await ring_.sum(it, vector);
///
/// Each step requests one result of the host. The wait is a part of the method's frame and no task of its
/// own, so it allocates nothing. Its task goes on with it whenever the host resumes the task, and resumes the
/// method after the last step.
class StepwiseWait {
 public:
  StepwiseWait() = default;
  // g++ 12 would await a copy of what a function returns by reference.
  StepwiseWait(const StepwiseWait&) = delete;
  StepwiseWait& operator=(const StepwiseWait&) = delete;

  /// Goes on once the result requested last is there. True if no step is left.
  virtual bool go_on() = 0;

  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> coroutine) {
    coroutine.promise().wait = this;
  }
  void await_resume() {}

 protected:
  ~StepwiseWait() = default;
};

/// The wait of the class `Wait`, class Wait final : public StepsOf<Wait>, which has three functions:
///
///     bool has_more() const    true if another step follows
///     bool begin_step()        begins a step; true if the result that it requests is there already
///     void end_step()          ends the step: takes in the result
template <class Wait>
class StepsOf : public StepwiseWait {
 public:
  bool go_on() final {
    wait().end_step();
    return await_ready();
  }
  bool await_ready() {
    while (wait().has_more()) {
      if (!wait().begin_step()) return false;
      wait().end_step();
    }
    return true;
  }

 protected:
  ~StepsOf() = default;

 private:
  Wait& wait() { return static_cast<Wait&>(*this); }
};

/// One iteration of a method, as a coroutine that suspends where the paper says "exchange with neighbors" or
/// "evaluate the gradient". A task starts suspended. Its owner resumes it when the awaited result is there. A
/// method never nests tasks.
class Task {
 public:
  struct promise_type {
    StepwiseWait* wait = nullptr;  ///< in which the method is suspended; null if in none

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
  void resume() {
    StepwiseWait*& wait = coroutine_.promise().wait;
    if (wait && !wait->go_on()) return;
    wait = nullptr;
    coroutine_.resume();
  }

 private:
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_;
};

}  // namespace hearsay
