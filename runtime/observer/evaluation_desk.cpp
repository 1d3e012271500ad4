#include "runtime/observer/evaluation_desk.hpp"

#include "runtime/record/score_payload.hpp"
#include "runtime/wire/words_from_observer.hpp"

namespace hearsay {

namespace {

/// More than a peer can miss while it is away: it is at most two evaluations past its last verdict.
constexpr std::size_t verdicts_told_again = 4;

}  // namespace

void EvaluationDesk::take_answer(const FrameHeader& header, std::span<const std::byte> payload) {
  if (const auto score = decode_score(payload))
    settle(schedule_.take_answer(header.sender, header.iteration, *score));
}

void EvaluationDesk::inform(PeerId id) {
  for (const Verdict& verdict : schedule_.last_verdicts(verdicts_told_again)) tell(id, verdict);
  inquiry_.ask(id, beat_);
}

void EvaluationDesk::note_alive(PeerId id, std::uint32_t heard,
                                std::span<const std::uint64_t> being_answered) {
  inquiry_.note_alive(id, heard, being_answered, beat_);
}

void EvaluationDesk::beat(const IdClaims& claims, const std::string& waits) {
  ++beat_;
  using State = from_observer::Alive::State;
  for (PeerId id = 0; id < peer_count_; ++id)
    if (!claims.is_absent(id)) {
      const State state = members_.has_finished(id) ? State::has_result : State::lacks_result;
      words_.say(id, from_observer::Alive{state, schedule_.evaluated(id), {beat_, members_[id].beat}}, waits);
    }
}

void EvaluationDesk::tell(const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts)
    for (PeerId id = 0; id < peer_count_; ++id) tell(id, verdict);
}

void EvaluationDesk::tell(PeerId to, const Verdict& verdict) {
  words_.say(to, from_observer::Verdict{verdict.evaluated, verdict.proceed,
                                        schedule_.announced_with(verdict.evaluated)});
}

}  // namespace hearsay
