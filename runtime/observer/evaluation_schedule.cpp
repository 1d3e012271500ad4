#include "runtime/observer/evaluation_schedule.hpp"

#include <algorithm>
#include <limits>

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
  std::erase_if(earlier_.evaluations, [&](const Evaluation& evaluation) {
    return evaluation.iteration != 0 && evaluation.iteration >= iteration;
  });
  verdicts_ = evaluator_.resume(earlier_.evaluations, earlier_.best);
  pass(*last_judged());
}

void EvaluationSchedule::bridge_lost_evaluations() {
  std::optional<std::uint64_t> known;  // to any peer, and the newest; none is less than any
  for (const Peer& peer : peers_) known = std::max(known, peer.last_verdict);
  const std::uint64_t recorded = last_judged().value_or(0);
  if (!known || *known <= recorded) return;
  lost_evaluations_ = {recorded, *known};
  verdicts_.push_back({*known, true});
  pass(*known);
}

/// Notes that every peer has sent the evaluation at `iteration`.
void EvaluationSchedule::pass(std::uint64_t iteration) {
  for (Peer& peer : peers_) peer.evaluated = iteration;
}

std::vector<Verdict> EvaluationSchedule::take(const FrameHeader& header, std::span<const std::byte> payload) {
  Peer& peer = peers_[header.sender];
  const std::uint64_t every = input_.evaluate_every;
  const std::uint64_t in_turn = std::min(peer.evaluated + every, input_.iterations);
  if (header.iteration != in_turn || in_turn == peer.evaluated || in_turn > all_have_evaluated() + 2 * every)
    return {};
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
  return verdicts;
}

/// Returns the newest evaluation that all peers have sent that count, but at least that of the last verdict.
std::uint64_t EvaluationSchedule::all_have_evaluated() const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const Peer& peer : peers_)
    if (peer.counts) first = std::min(first, peer.evaluated);
  return std::max(first, last_judged().value_or(0));
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

void EvaluationSchedule::take_back(PeerId id, std::uint64_t iteration) {
  enter(id, iteration);
  evaluator_.take_back(id, std::min(iteration, input_.iterations));
}

void EvaluationSchedule::take_in(PeerId id, std::uint64_t iteration) {
  enter(id, iteration);
  evaluator_.take_in(id, std::min(iteration, input_.iterations));
}

void EvaluationSchedule::enter(PeerId id, std::uint64_t iteration) {
  peers_[id].counts = true;
  peers_[id].evaluated = iteration - input_.evaluate_every;
}

bool EvaluationSchedule::has_sent_all(PeerId id, std::uint64_t iterations) const {
  const std::uint64_t every = input_.evaluate_every;
  const std::uint64_t last = iterations >= input_.iterations ? input_.iterations : iterations / every * every;
  return peers_[id].evaluated >= last;
}

std::span<const Verdict> EvaluationSchedule::last_verdicts(std::size_t most) const {
  return std::span(verdicts_).last(std::min(verdicts_.size(), most));
}

}  // namespace hearsay
