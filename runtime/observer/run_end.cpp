#include "runtime/observer/run_end.hpp"

#include "runtime/record/json.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_observer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

using Standing = Members::Standing;
using HelloState = to_observer::Hello::State;

constexpr Duration patience_after_stop = std::chrono::seconds(5);

}  // namespace

RunEnd::RunEnd(const ObserverInput& input, const Evaluator& evaluator, const IdClaims& claims,
               const RunStart& start, const EvaluationSchedule& schedule, Chronicle& chronicle,
               Members& members, ObserverFrames& words)
    : input_(input),
      evaluator_(evaluator),
      claims_(claims),
      start_(start),
      schedule_(schedule),
      chronicle_(chronicle),
      members_(members),
      words_(words) {}

void RunEnd::come_to(Progress next) {
  ensure(progress_ < next, "the end of a run goes on, and never back");
  progress_ = next;
}

// What ends the run.

void RunEnd::interrupt(Instant now, const std::string& by) {
  if (is_parting() && !interrupted_) come_to(Progress::over);  // the user does not wait
  if (interrupted_ || is_over()) return;
  const bool is_plain = start_.has_begun() || (by.empty() && input_.addresses.empty());
  interrupted_ = is_plain ? "interrupted" : by.empty() ? "peer 0 was interrupted before the run began" : by;
  // Before the start, peers have no results to send: they end with the sentence.
  if (!start_.has_begun()) return part_unless_it_goes_on(Stop{130}, *interrupted_);
  stop();
  results_due_ = now + patience_after_stop;
  expect_no_results_of_killed_peers();
}

void RunEnd::lose(const std::string& reason, int exit_code) {
  if (is_parting() || is_over() || interrupted_) return;  // it ends already, and this is not why
  loss_ = Loss{reason, exit_code == 2 && !start_.has_begun()};
  part_unless_it_goes_on(Stop{exit_code}, reason);
}

void RunEnd::lose(PeerId id, const std::string& reason) {
  if (is_open()) chronicle_.note(RunEvent::What::lost, id);
  lose(reason, 3);
}

void RunEnd::take_stop(const FrameHeader& header, std::span<const std::byte> payload, Instant now) {
  const int exit_code = as_stop(header).exit_code;
  // The `stop` of a process that was refused in the middle of the run does not count.
  const bool was_refused = !start_.is_gathering() && !claims_.is_ready(header.sender);
  if (was_refused && (exit_code == 2 || input_.failure.drops())) return;
  const std::string reason = printable_text(payload);
  payload.empty() || exit_code == 130 ? interrupt(now, reason) : lose(reason, exit_code);
  if (!payload.empty()) note_end_of(header.sender);
}

void RunEnd::take_result(PeerId sender, std::span<const std::byte> payload) {
  if (members_.has_finished(sender)) return;
  const std::optional<PeerOutcome> outcome = decode_outcome(payload);
  if (!outcome || (!outcome->divergence && !schedule_.has_sent_all(sender, outcome->iterations))) return;
  members_.finish(sender, *outcome);
  if (outcome->divergence) stop();
  end_if_all_have();
}

void RunEnd::leave_to_others() {
  if (is_over()) return;
  interrupted_ = "interrupted";
  come_to(Progress::over);
}

/// Under policy "drop", a run that an earlier observer has started goes on without this one.
void RunEnd::part_unless_it_goes_on(Stop word, const std::string& reason) {
  if (input_.failure.drops() && start_.is_under_way())
    come_to(Progress::over);
  else
    part(word, reason);
}

void RunEnd::stop() {
  if (!is_open()) return;
  come_to(Progress::stopping);
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (!claims_.is_absent(id)) words_.say(id, Stop{});
}

void RunEnd::expect_no_results_of_killed_peers() {
  if (progress_ != Progress::stopping || !start_.has_begun()) return;
  for (PeerId id = 0; id < input_.peer_count; ++id)
    if (start_.resumes(id) && !claims_.is_ready(id) && members_[id].standing == Standing::member)
      members_.expect_no_result(id);
  end_if_all_have();
}

void RunEnd::note_end_of(PeerId id) {
  if (progress_ == Progress::stopping && members_[id].standing == Standing::member) {
    members_.expect_no_result(id);
    end_if_all_have();
  }
  forget(id);
}

void RunEnd::end_if_all_have() {
  if (members_.all_have_ended() && schedule_.questions().empty()) end();
}

bool RunEnd::ends_without_results(Instant now) {
  const bool is_due = progress_ == Progress::stopping && results_due_ && now > *results_due_;
  if (is_due) end();
  return is_due;
}

void RunEnd::end() {
  const RunStatus status = outcome().status;
  const int exit_code = status == RunStatus::diverged ? 4 : status == RunStatus::interrupted ? 130 : 0;
  part(from_observer::Bye{exit_code}, {});
}

void RunEnd::part(Farewell::LastWord word, const std::string& reason) {
  come_to(Progress::parting);
  farewell_.emplace(word, reason, input_.peer_count, claims_, members_, words_);
  leave_if_all_have_heard();
}

// A run that cannot begin.

void RunEnd::refuse(const FrameHeader& hello) {
  const bool runs_already = to_observer::as_hello(hello).state == HelloState::is_under_way;
  if (runs_already || turning_away_->tell(hello.sender, words_)) come_to(Progress::over);
}

// After the last word.

void RunEnd::hear(const FrameHeader& header, Instant now) {
  farewell_->hear(header, now);
  leave_if_all_have_heard();
}

void RunEnd::answer_hello(const FrameHeader& hello) {
  const PeerId sender = hello.sender;
  if (claims_.is_holder(hello)) return farewell_->say(sender);
  const HelloState state = to_observer::as_hello(hello).state;
  // An earlier observer has begun the run, which goes on.
  if (input_.failure.drops() && !start_.has_begun() && state == HelloState::is_under_way)
    return come_to(Progress::over);
  if (!start_.has_begun())
    return farewell_->say(sender, hello.incarnation);  // it is late, and hears what all heard
  if (state != HelloState::resumes || loss_) {
    words_.say(sender, FrameKind::refuse, "the run has ended").only_to = hello.incarnation;
  } else {
    words_.say(sender, stop_of_a_successor()).only_to = hello.incarnation;
    forget(sender);
  }
}

void RunEnd::forget(PeerId id) {
  if (farewell_) farewell_->forget(id);
  leave_if_all_have_heard();
}

void RunEnd::note_unreachable(PeerId id) {
  if (farewell_) farewell_->note_unreachable(id);
  leave_if_all_have_heard();
}

void RunEnd::judge_silence(Instant now) {
  farewell_->judge_silence(now, input_.failure.lost_after);
  leave_if_all_have_heard();
}

RunResult RunEnd::outcome() const {
  RunResult result = members_.conclude(schedule_, evaluator_);
  if (loss_ || interrupted_) {
    result.status = loss_ ? RunStatus::lost : RunStatus::interrupted;
    result.reason = loss_ ? loss_->reason : *interrupted_;
  }
  return result;
}

}  // namespace hearsay
