#include "runtime/program/program_rules.hpp"

#include <algorithm>

#include "algorithms/objectives/stop_asked.hpp"
#include "runtime/program/program_failure.hpp"

namespace hearsay {

using Outcome = ProgramAnswer::Outcome;

std::optional<std::string> why_given_up(const EndAtQuestion& end, int ends) {
  if (!end.can_be_started) return "its program has ended";
  if (end.by_itself) return "its program has ended" + end.how;
  if (ends < most_ends_at_one_question) return std::nullopt;
  return "its program has ended " + std::to_string(ends) + " times at the same question" + end.how;
}

bool AwaitedAnswer::is(const ProgramAnswer& answer) {
  if (answer.outcome == Outcome::leaves)
    throw ProgramFailure(answer.text.empty() ? "its program left" : answer.text);
  if (answer.outcome == Outcome::stops) throw StopAsked();
  const bool answers_this = answer.number == question_;
  if (answer.outcome == Outcome::failed) {
    const std::string why = answer.text.empty() ? "without a reason" : answer.text;
    if (answers_this) throw ProgramFailure(why);
    earlier_failure_ = why;
  }
  return answers_this;
}

void AwaitedAnswer::give_up() const {
  if (!earlier_failure_.empty()) throw ProgramFailure(earlier_failure_);
}

int patience_with_ends_ms(int code) {
  constexpr int after_a_good_end_ms = 60'000;  // a program may save its model
  constexpr int after_an_interrupt_ms = 500;   // the user waits
  constexpr int otherwise_ms = 5000;
  return code == 0 ? after_a_good_end_ms : code == 130 ? after_an_interrupt_ms : otherwise_ms;
}

std::string failure_of(const EndOfRun& end, int patience_ms) {
  if (!end.has_ended)
    return "goes on " + std::to_string(patience_ms / 1000) + " s after the end of the run, and is ended";
  return end.badly ? "has failed after its last answer, " + end.how : "";
}

std::string failures_of(std::span<const EndedProgram> programs, std::span<const PeerId> dropped) {
  std::string all;
  for (const EndedProgram& program : programs) {
    if (program.failure.empty() || std::ranges::find(dropped, program.peer) != dropped.end()) continue;
    all += (all.empty() ? "" : "; ") + program.name + " " + program.failure;
  }
  return all;
}

}  // namespace hearsay
