#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "algorithms/methods/parts/in_turn.hpp"
#include "tests/methods/echo_host.hpp"

namespace hearsay::test::stepwise_wait_test {

namespace {

/// Logs its steps. What step k requests is there at once if there[k].
class LoggedWait final : public StepsOf<LoggedWait> {
 public:
  LoggedWait(std::string& log, char name, std::vector<bool> there)
      : log_(log), name_(name), there_(std::move(there)) {}

  bool has_more() const { return done_ < there_.size(); }
  bool begin_step() {
    log_ += name_;
    return there_[done_];
  }
  void end_step() { log_ += std::to_string(++done_); }

 private:
  std::string& log_;
  char name_;
  std::vector<bool> there_;
  std::size_t done_ = 0;
};

Task awaits(LoggedWait& first, LoggedWait& second, std::string& log) {
  log += "(";
  co_await first;
  log += ")(";
  co_await second;
  log += ")";
}

Task awaits_in_turn(LoggedWait& first, LoggedWait& second, std::string& log) {
  co_await InTurn(first, second);
  log += ".";
}

/// Resumes the task until it is done, with a bar in the log before each time.
void finish(Task task, std::string& log) {
  while (!task.done()) {
    log += "|";
    task.resume();
  }
}

}  // namespace

TEST_CASE("stepwise wait: the host resumes the task after each step, the method goes on after the last") {
  std::string log;
  LoggedWait first(log, 'a', {false, true, false});
  LoggedWait second(log, 'b', {false});
  finish(awaits(first, second, log), log);
  CHECK(log == "|(a|1a2a|3)(b|1)");
}

TEST_CASE("stepwise wait: steps whose results are there do not suspend, nor does a wait without steps") {
  std::string log;
  LoggedWait first(log, 'a', {true, true});
  LoggedWait second(log, 'b', {});
  finish(awaits(first, second, log), log);
  CHECK(log == "|(a1a2)()");
}

TEST_CASE("in turn: a step of the first, a step of the second, then the steps that one of them has left") {
  std::string log;
  LoggedWait longer(log, 'a', {false, false, false, true});
  LoggedWait shorter(log, 'b', {false, true});
  finish(awaits_in_turn(longer, shorter, log), log);
  CHECK(log == "|a|1b|1a|2b2a|3a4.");

  log.clear();
  LoggedWait one(log, 'a', {false});
  LoggedWait two(log, 'b', {false, false});
  finish(awaits_in_turn(one, two, log), log);
  CHECK(log == "|a|1b|1b|2.");
}

TEST_CASE("stepwise wait: a ring gives the same bits whether its messages are there already or not") {
  for (const std::string method : {"allreduce-sgd", "local-sgd", "streaming-diloco", "powersgd"}) {
    CAPTURE(method);
    EchoHost<double> prompt(5, 60, false), late(5, 60, true);
    const auto one = prompt.make(method);
    const auto other = late.make(method);
    CHECK(prompt.run(*one, 1) == 0);
    const int suspended = late.run(*other, 1);
    CHECK(suspended > late.sent());  // for every message, and for the gradients
    CHECK(one->model() == other->model());
    CHECK(prompt.sent() == late.sent());
  }
}

}  // namespace hearsay::test::stepwise_wait_test
