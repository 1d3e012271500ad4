#include "runtime/observer/evaluation_schedule.hpp"

#include <algorithm>
#include <limits>

#include "runtime/observer/checkpoint_period.hpp"
#include "runtime/observer/evaluation_period.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

EvaluationSchedule::EvaluationSchedule(const ObserverInput& input, Evaluator& evaluator, RunRecord earlier)
    : input_(input), evaluator_(evaluator), earlier_(std::move(earlier)), peers_(input.peer_count) {
  for (const PeerId id : input_.failure.join_later) drop(id);
  if (!earlier_.evaluations.empty())
    resume_from(std::numeric_limits<std::uint64_t>::max());
  else if (const auto verdict = evaluator_.begin())
    verdicts_ = {*verdict};
}

void EvaluationSchedule::resume_from(std::uint64_t iteration) {
  if (earlier_.evaluations.empty()) return;
  for (const Evaluation& evaluation : earlier_.evaluations)
    if (evaluation.iteration <= iteration) seconds_before_ = evaluation.seconds;
  std::erase_if(earlier_.evaluations, [&](const Evaluation& evaluation) {
    return evaluation.iteration != 0 && evaluation.iteration >= iteration;
  });
  verdicts_ = evaluator_.resume(earlier_.evaluations, earlier_.best);
  pass(*last_judged());
}

std::optional<std::string> EvaluationSchedule::bridge_lost_evaluations() {
  std::optional<std::uint64_t> known;  // to any peer, and the newest; none is less than any
  for (const Peer& peer : peers_) known = std::max(known, peer.last_verdict);
  const std::uint64_t recorded = last_judged().value_or(0);
  if (!known || *known <= recorded) return std::nullopt;
  if (input_.evaluate_period != Duration{0})
    return "the record ends with the evaluation of iteration " + std::to_string(recorded) +
           ", though peers know of one at " + std::to_string(*known) +
           ", and with run.evaluate_every as a time only the record tells when the next ones are; expected "
           "--overwrite, which begins anew";
  lost_evaluations_ = {recorded, *known};
  verdicts_.push_back({*known, true});
  pass(*known);
  return std::nullopt;
}

/// Notes that every peer has sent the evaluation at `iteration`.
void EvaluationSchedule::pass(std::uint64_t iteration) {
  for (Peer& peer : peers_) peer.evaluated = iteration;
}

std::vector<Verdict> EvaluationSchedule::take(const FrameHeader& header, std::span<const std::byte> payload) {
  Peer& peer = peers_[header.sender];
  const std::optional<std::uint64_t> next = after(peer.evaluated);
  if (!next) return {};
  const std::uint64_t in_turn = std::min(*next, input_.iterations);
  if (header.iteration != in_turn || in_turn == peer.evaluated) return {};
  auto verdicts = evaluator_.take_payload(header.sender, in_turn, payload);
  if (!verdicts) return {};
  peer.evaluated = in_turn;
  return noted(std::move(*verdicts));
}

std::vector<Verdict> EvaluationSchedule::take_answer(PeerId id, std::uint64_t iteration,
                                                     const LocalScore& score) {
  return noted(evaluator_.answer(id, iteration, score));
}

std::vector<Verdict> EvaluationSchedule::noted(std::vector<Verdict> verdicts) {
  verdicts_.insert(verdicts_.end(), verdicts.begin(), verdicts.end());
  if (const auto verdict = bridge_unmade_evaluations()) verdicts.push_back(*verdict);
  return verdicts;
}

/// A peer may wait for the verdict on an evaluation that nobody makes: all that count have come back since,
/// and begin with later ones. Returns a verdict by which they go on.
std::optional<Verdict> EvaluationSchedule::bridge_unmade_evaluations() {
  const std::uint64_t evaluated = all_have_evaluated();
  if (!last_judged() || evaluated <= *last_judged()) return std::nullopt;
  if (std::ranges::none_of(peers_, &Peer::counts) || !questions().empty()) return std::nullopt;
  return verdicts_.emplace_back(Verdict{evaluated, true});
}

/// Returns the newest evaluation that all peers have sent that count, but at least that of the last verdict.
std::uint64_t EvaluationSchedule::all_have_evaluated() const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const Peer& peer : peers_)
    if (peer.counts) first = std::min(first, peer.evaluated);
  return std::max(first, last_judged().value_or(0));
}

/// Returns the evaluation after the one at `evaluated`. Returns nothing if no peer can have come to it yet.
std::optional<std::uint64_t> EvaluationSchedule::after(std::uint64_t evaluated) const {
  if (input_.evaluate_period == Duration{0}) {
    const std::uint64_t every = input_.evaluate_every;
    return evaluated > all_have_evaluated() + every ? std::nullopt : std::optional(evaluated + every);
  }
  const auto later = std::ranges::upper_bound(evaluations(), evaluated, {}, &Evaluation::iteration);
  if (later != evaluations().end()) return later->iteration;
  for (const std::uint64_t coming : next_evaluations(input_.evaluate_period, evaluations()))
    if (coming > evaluated) return coming;
  return std::nullopt;
}

std::vector<Verdict> EvaluationSchedule::drop(PeerId id) {
  peers_[id].counts = false;
  return noted(evaluator_.drop(id));
}

std::optional<std::uint64_t> EvaluationSchedule::first_evaluation_from(std::uint64_t next_iteration) const {
  const std::uint64_t every = input_.evaluate_every;
  std::uint64_t judged = last_judged().value_or(0);
  for (const Question& question : questions()) judged = std::max(judged, question.iteration);
  if (next_iteration > input_.iterations || judged >= input_.iterations) return std::nullopt;
  // The last evaluation of the run may come earlier than the result; the caller lowers it to the number of
  // iterations.
  return std::max((next_iteration + every - 1) / every * every, judged + every);
}

std::vector<Verdict> EvaluationSchedule::take_back(PeerId id, std::uint64_t iteration) {
  enter(id, iteration);
  evaluator_.take_back(id, std::min(iteration, input_.iterations));
  return noted({});
}

std::vector<Verdict> EvaluationSchedule::take_in(PeerId id, std::uint64_t iteration) {
  enter(id, iteration);
  evaluator_.take_in(id, std::min(iteration, input_.iterations));
  return noted({});
}

void EvaluationSchedule::enter(PeerId id, std::uint64_t iteration) {
  ensure(!peers_[id].counts, "a peer that comes back was dropped");
  ensure(iteration >= input_.evaluate_every, "a peer that comes back has x_0 behind it");
  peers_[id].counts = true;
  peers_[id].evaluated = iteration - input_.evaluate_every;
}

std::uint64_t EvaluationSchedule::last_evaluation_up_to(std::uint64_t iteration) const {
  if (input_.evaluate_period == Duration{0}) return iteration / input_.evaluate_every * input_.evaluate_every;
  std::uint64_t last = last_judged().value_or(0);
  for (const std::uint64_t coming : next_evaluations(input_.evaluate_period, evaluations()))
    if (coming <= iteration) last = coming;
  return last;
}

bool EvaluationSchedule::has_sent_all(PeerId id, std::uint64_t iterations) const {
  std::uint64_t last = std::min(iterations, input_.iterations);
  if (last < input_.iterations) last = last_evaluation_up_to(last);
  return peers_[id].evaluated >= last;
}

std::span<const Verdict> EvaluationSchedule::last_verdicts(std::size_t most) const {
  return std::span(verdicts_).last(std::min(verdicts_.size(), most));
}

Announced EvaluationSchedule::announced_with(std::uint64_t evaluated) const {
  Announced announced = announced_evaluations(input_.evaluate_period, evaluations(), evaluated);
  announced.checkpoint_every = checkpoint_every_for(input_.failure.checkpoint_period, evaluations());
  return announced;
}

}  // namespace hearsay
