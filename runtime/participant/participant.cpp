#include "runtime/participant/participant.hpp"

#include <algorithm>

#include "runtime/participant/participant_hearing.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
Participant<Scalar>::Participant(ParticipantInput<Scalar> input, PeerSessionInput session)
    : part_(std::move(input), std::move(session)),
      losses_(part_),
      ending_(part_),
      round_clock_(part_.experiment().settings.topology.round_deadline) {
  if (members_agree(part_.experiment())) views_.emplace(part_);
}

template <class Scalar>
bool Participant<Scalar>::advance(Instant now) {
  part_.come_to(now);
  part_.detector.look(now);
  if (ended_) return false;
  if (views_) views_->look();
  if (!hands_over_events()) return false;
  go_on_in_next_view();
  const bool had_one = hand_over_next();
  if (!had_one && listens()) losses_.check_deadlines();
  settle();
  return had_one;
}

template <class Scalar>
void Participant<Scalar>::go_on_in_next_view() {
  if (!views_ || under_way_) return;
  for (DataArrived& data : views_->go_on()) take_in(std::move(data));  // heard when they came
}

template <class Scalar>
bool Participant<Scalar>::hand_over_next() {
  if (next_event_ == events_.size()) {
    events_.clear();
    next_event_ = 0;
    events_.swap(part_.session.events());
    if (events_.empty()) return false;
  }
  std::visit([this](auto& event) { on(event); }, events_[next_event_++]);
  return true;
}

template <class Scalar>
Instant Participant<Scalar>::look_again() const {
  if (ended_) return Instant::max();
  if (views_ && part_.has_started() && !hands_over_events()) return views_->look_again();
  if (!hands_over_events() || !listens()) return Instant::max();
  const Instant first =
      std::min(views_ ? views_->look_again() : part_.detector.look_again(), ending_.lingers_until());
  return part_.peer->may_close_round() ? std::min(first, round_clock_.over_at()) : first;
}

template <class Scalar>
void Participant<Scalar>::interrupt(Instant now) {
  part_.come_to(now);
  if (ended_) return;
  ending_.interrupt();
  settle();
}

template <class Scalar>
void Participant<Scalar>::leave(Instant now) {
  part_.come_to(now);
  if (ended_) return;
  ending_.leave();
  settle();
}

template <class Scalar>
bool Participant<Scalar>::is_told_to_stop() {
  const auto stops = [](const SocketEvent& event) { return std::holds_alternative<RunStops>(event); };
  return part_.phase != Phase::trains || std::ranges::any_of(events_, stops) ||
         std::ranges::any_of(part_.session.events(), stops);
}

// What it does.

template <class Scalar>
const Work* Participant<Scalar>::next_work(Instant now) {
  part_.come_to(now);
  if (ended_ || under_way_) return nullptr;
  under_way_ = wanted_work();
  return under_way_ ? &*under_way_ : nullptr;
}

template <class Scalar>
std::optional<Work> Participant<Scalar>::wanted_work() {
  const Peer<Scalar>& peer = *part_.peer;
  if (to_restore_) return RestorePeer{std::exchange(to_restore_, std::nullopt)->iteration};
  if (!questions_.empty() && has_started()) {
    ComputeScore score{std::move(questions_.front())};
    questions_.erase(questions_.begin());
    return score;
  }
  if (part_.phase == Phase::keeps_model) return KeepModel{};
  if (part_.phase == Phase::concludes) {
    // An evaluation may have become due in the last iteration.
    if (has_evaluated_last_ || !peer.owes_evaluation() || part_.detector.unobserved()) return MakeResult{};
    has_evaluated_last_ = true;
    return MakeEvaluation{peer.iteration()};
  }
  if (part_.phase != Phase::trains || stands_still()) return std::nullopt;
  switch (peer.state()) {
    case PeerState::needs_gradient:
      return ComputeGradient{peer.gradient_work()};
    case PeerState::checkpoint_due:
      // Peer and session are saved in states that fit each other: nothing that was heard is between them.
      if (hand_over_next()) {
        while (hand_over_next()) continue;
        settle();
        return ended_ ? std::nullopt : wanted_work();
      }
      return TakeCheckpoint{part_.session.state()};
    case PeerState::evaluation_due:
      return may_evaluate() ? std::optional<Work>(MakeEvaluation{peer.iteration()}) : std::nullopt;
    default:
      return std::nullopt;
  }
}

template <class Scalar>
void Participant<Scalar>::restored(std::unique_ptr<Peer<Scalar>> peer, SessionState state, PeerMeters meters,
                                   Instant now) {
  finish<RestorePeer>(now);
  ensure(peer != nullptr && part_.phase == Phase::awaits_start, "a peer is restored before it trains");
  part_.replace_peer(std::move(peer));
  part_.meter.resume_from(std::move(meters));
  part_.session.resume(std::move(state));
  part_.phase = Phase::restored;
  settle();
}

template <class Scalar>
void Participant<Scalar>::gradient_arrived(Instant began, Instant ended, Instant now) {
  finish<ComputeGradient>(now);
  part_.meter.computes(began, ended, part_.peer->gradient_iteration());
  if (stands_still())
    go_on_in_next_view();  // which asks for a gradient of its own
  else
    part_.peer->gradient_arrived();
  settle();
}

template <class Scalar>
void Participant<Scalar>::checkpoint_taken(Instant now) {
  finish<TakeCheckpoint>(now);
  part_.peer->checkpoint_taken();
  settle();
}

template <class Scalar>
void Participant<Scalar>::evaluation_made(SharedBytes payload, Instant now) {
  const auto [iteration] = finish<MakeEvaluation>(now);
  part_.session.tell_observer({FrameKind::evaluation, iteration, std::move(payload)});
  if (part_.phase == Phase::trains) part_.peer->evaluation_taken();
  settle();
}

template <class Scalar>
void Participant<Scalar>::scored(std::optional<std::vector<std::byte>> answer, Instant now) {
  const auto [question] = finish<ComputeScore>(now);
  if (answer) part_.session.tell_observer({FrameKind::answer, question.iteration, std::move(*answer)});
  settle();
}

template <class Scalar>
void Participant<Scalar>::result_made(SharedBytes payload, Instant now) {
  finish<MakeResult>(now);
  part_.session.tell_observer({FrameKind::result, part_.peer->iteration(), std::move(payload)});
  ending_.linger();
  settle();
}

template <class Scalar>
void Participant<Scalar>::model_kept(const std::string& where, Instant now) {
  finish<KeepModel>(now);
  ending_.hand_over(where);
  settle();
}

template <class Scalar>
void Participant<Scalar>::failed(const ObjectiveFailure& failure, Instant now) {
  part_.come_to(now);
  ensure(under_way_.has_value(), "work that fails was under way");
  std::string when = "iteration " + std::to_string(part_.peer->gradient_iteration());
  if (const auto* const score = std::get_if<ComputeScore>(&*under_way_))
    when = "the evaluation of iteration " + std::to_string(score->question.iteration);
  else if (const auto* const own = std::get_if<MakeEvaluation>(&*under_way_))
    when = "the evaluation of iteration " + std::to_string(own->iteration);
  // The objective is not asked for this evaluation again.
  if (std::holds_alternative<MakeEvaluation>(*under_way_) && part_.phase == Phase::trains)
    part_.peer->evaluation_taken();
  under_way_.reset();
  ending_.fail(failure, when);
  settle();
}

template <class Scalar>
void Participant<Scalar>::give_up(PeerEnd end, Instant now) {
  part_.come_to(now);
  ensure(under_way_.has_value(), "work that cannot be done was under way");
  under_way_.reset();
  if (part_.phase == Phase::keeps_model) return end_now(std::move(end));  // the others need not know
  part_.end_with(std::move(end));
  settle();
}

// How it goes on.

template <class Scalar>
void Participant<Scalar>::settle() {
  if (ended_) return;
  if (part_.phase == Phase::trains && part_.detector.unobserved()) losses_.look_for_observer();
  note_wait(send_and_go_on());
  part_.session.offer_pieces();  // the method may wait for them now
  if (auto end = ending_.settle()) end_now(std::move(*end));
}

/// Goes on as far as the peer needs no work and no message. True if it has sent something.
template <class Scalar>
bool Participant<Scalar>::send_and_go_on() {
  const bool ends = part_.phase == Phase::lingers && part_.peer->has_ended();
  if (ends) return send_outbox();  // refusals of requests, and of peers that join
  if (part_.phase != Phase::trains && !is_computing()) return false;
  bool has_sent = send_outbox();
  for (;;) {
    const bool is_unheard = part_.phase == Phase::trains && part_.detector.unobserved() &&
                            part_.peer->state() == PeerState::evaluation_due;
    if (is_unheard && !under_way_ && !stands_still() && may_evaluate())
      part_.peer->evaluation_taken();
    else if (!round_clock_.close_if_over(*part_.peer, part_.now))
      break;
    has_sent |= send_outbox();
  }
  if (part_.peer->has_ended() && !under_way_) part_.stop();
  return has_sent;
}

/// A wait ends when the peer goes on, and begins when it cannot. A peer that has sent something and waits for
/// the answers begins another wait.
template <class Scalar>
void Participant<Scalar>::note_wait(bool has_sent) {
  const PeerState state = part_.peer->state();
  const bool waits = part_.phase == Phase::trains &&
                     (state == PeerState::needs_messages || state == PeerState::needs_verdict ||
                      state == PeerState::needs_agreement || state == PeerState::needs_copies);
  if (wait_ && (!waits || wait_ != state || has_sent)) {
    part_.meter.wait_ends(part_.now);
    wait_.reset();
  }
  if (!waits || wait_) return;
  wait_ = state;
  part_.detector.begin_wait(part_.now);
  part_.meter.wait_begins(part_.now, part_.peer->iteration() + 1, state == PeerState::needs_messages);
}

template <class Scalar>
bool Participant<Scalar>::send_outbox() {
  Peer<Scalar>& peer = *part_.peer;
  for (const ModelCopy& copy : peer.copies()) part_.session.give(copy);
  peer.copies().clear();
  if (peer.standby_hub())
    if (const auto why = peer.standby_hub()->take_word())
      part_.tell_user(PeerNews::Kind::stands_by_no_more, hub_id,
                      part_.self() + " stands by for the hub no longer: " + *why);
  round_clock_.note(peer.begun(), part_.now, availability_of(part_.experiment().settings, id()),
                    part_.meter.origin());
  if (peer.outbox().empty()) {
    part_.tell_progress();
    return false;
  }
  for (Outgoing& outgoing : peer.outbox()) {
    part_.announced_from = std::max(part_.announced_from, outgoing.key.iteration);
    if (views_) views_->address(outgoing);
    part_.meter.sends(outgoing, part_.now);
    part_.session.send(std::move(outgoing), part_.now);
  }
  peer.outbox().clear();
  return true;
}

template class Participant<float>;
template class Participant<double>;

}  // namespace hearsay
