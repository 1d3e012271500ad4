#include "runtime/program/program_rules.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/program/program_failure.hpp"

namespace hearsay::test::program_rules_test {

namespace {

using Outcome = ProgramAnswer::Outcome;

ProgramAnswer answer(std::uint64_t number, Outcome outcome, const std::string& text = "") {
  return {.number = number, .outcome = outcome, .text = text};
}

/// Returns the failure that the answers to question 7 throw, the last of which is the end of the program;
/// "answered" or "ended" if they throw none.
std::string course(const std::vector<ProgramAnswer>& answers) {
  AwaitedAnswer awaited(7);
  try {
    for (const ProgramAnswer& one : answers)
      if (awaited.is(one)) return "answered";
    awaited.give_up();
  } catch (const ProgramFailure& failure) {
    return failure.what();
  } catch (const StopAsked&) {
    return "stops";
  }
  return "ended";
}

}  // namespace

TEST_CASE("program rules: one that was killed is started anew, three times at one question at most") {
  const EndAtQuestion killed{.can_be_started = true, .by_itself = false, .how = ", by signal 9 (Killed)"};
  CHECK_FALSE(why_given_up(killed, 1));
  CHECK_FALSE(why_given_up(killed, 2));
  CHECK(why_given_up(killed, 3) ==
        "its program has ended 3 times at the same question, by signal 9 (Killed)");
  for (const int ends : {1, 2, 3}) {
    CAPTURE(ends);
    CHECK(why_given_up({true, true, ", with exit code 1"}, ends) ==
          "its program has ended, with exit code 1");
    for (const bool by_itself : {false, true})  // whoever has started it knows how it ended
      CHECK(why_given_up({false, by_itself, ""}, ends) == "its program has ended");
  }
}

TEST_CASE(
    "program rules: the answer to this question counts, and those to a process that was killed do not") {
  CHECK(course({answer(7, Outcome::answered)}) == "answered");
  CHECK(course({answer(5, Outcome::answered), answer(6, Outcome::answered), answer(7, Outcome::answered)}) ==
        "answered");
  CHECK(course({answer(6, Outcome::failed, "before"), answer(7, Outcome::answered)}) == "answered");
  CHECK(course({answer(5, Outcome::answered)}) == "ended");
  CHECK(course({}) == "ended");
}

TEST_CASE("program rules: what a program says when it fails, leaves or stops is why, whomever it answers") {
  CHECK(course({answer(7, Outcome::failed, "a bad sample")}) == "a bad sample");
  CHECK(course({answer(7, Outcome::failed)}) == "without a reason");
  CHECK(course({answer(6, Outcome::failed, "before")}) == "before");  // and then it has ended
  CHECK(course({answer(5, Outcome::failed, "first"), answer(6, Outcome::failed)}) == "without a reason");
  for (const std::uint64_t number : {6, 7}) {
    CHECK(course({answer(number, Outcome::leaves, "enough")}) == "enough");
    CHECK(course({answer(number, Outcome::leaves)}) == "its program left");
    CHECK(course({answer(number, Outcome::stops)}) == "stops");
  }
}

TEST_CASE("program rules: after a good end a program has a minute, after Ctrl-C half a second") {
  CHECK(patience_with_ends_ms(0) == 60'000);
  CHECK(patience_with_ends_ms(130) == 500);
  for (const int code : {2, 3, 4}) CHECK(patience_with_ends_ms(code) == 5000);
}

TEST_CASE(
    "program rules: a program that goes on, or ends badly, is a failure of the run unless its peer was "
    "dropped") {
  CHECK(failure_of({.has_ended = true}, 60'000).empty());
  CHECK(failure_of({true, true, "with exit code 1"}, 60'000) ==
        "has failed after its last answer, with exit code 1");
  CHECK(failure_of({false, false, ""}, 60'000) == "goes on 60 s after the end of the run, and is ended");
  const std::vector<EndedProgram> programs = {
      {0, "program 0", "fails"}, {1, "program 1", ""}, {2, "program 2", "fails, too"}};
  CHECK(failures_of(programs, {}) == "program 0 fails; program 2 fails, too");
  CHECK(failures_of(programs, std::vector<PeerId>{0}) == "program 2 fails, too");
  CHECK(failures_of(programs, std::vector<PeerId>{0, 2}).empty());
}

}  // namespace hearsay::test::program_rules_test
