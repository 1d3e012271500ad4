#include "runtime/observer/observer_session.hpp"

#include <algorithm>
#include <limits>

#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/observer/checkpoint_period.hpp"
#include "runtime/foundation/little_endian.hpp"
#include "runtime/record/json.hpp"

namespace hearsay {

namespace {

constexpr Duration patience_after_stop = std::chrono::seconds(5);
/// More than a peer can have missed while it was away: it is never further than two from the last that it heard.
constexpr std::size_t verdicts_told_again = 4;

}  // namespace

template <class Scalar>
ObserverSession<Scalar>::ObserverSession(const Experiment<Scalar>& experiment, Agreement agreement,
                                         Duration start_patience, Instant now,
                                         const std::vector<Evaluation>& record)
    : experiment_(experiment),
      agreement_(std::move(agreement)),
      run_id_(run_id(agreement_)),
      observer_(experiment.problem, experiment.settings.run.target_loss),
      record_(record),
      peers_(experiment.peer_count()),
      lost_after_(experiment.settings.failure.lost_after),
      attention_(lost_after_),
      start_deadline_(now + start_patience),
      next_heartbeat_(now + heartbeat_interval(lost_after_)) {
  for (const PeerId id : experiment.settings.failure.join_later) {
    peers_[id].gone = true;
    observer_.drop(id);
  }
  if (record_.empty())
    verdicts_ = {observer_.begin()};
  else
    take_up(std::numeric_limits<std::uint64_t>::max());
}

/// What is known of the run from before, but for what peers that go on from the checkpoint at `iteration` will say again.
template <class Scalar>
void ObserverSession<Scalar>::take_up(std::uint64_t iteration) {
  std::erase_if(record_, [&](const Evaluation& evaluation) {
    return evaluation.iteration != 0 && evaluation.iteration >= iteration;
  });
  verdicts_ = observer_.resume(record_);
  for (PeerSeen& peer : peers_) peer.evaluated = verdicts_.back().evaluated;
}

template <class Scalar>
void ObserverSession<Scalar>::take_holds(PeerId sender, std::span<const std::byte> payload) {
  PeerSeen& peer = peers_[sender];
  if (!peer.resumes) return;
  peer.holds.clear();
  for (std::size_t at = 0; at + 8 <= payload.size(); at += 8)
    peer.holds.push_back(load_little_endian<std::uint64_t>(payload.subspan(at, 8)));
  peer.said_what_it_holds = true;
  if (under_way_ || resumed_from_) return say_resume(sender);
  choose_checkpoint();
}

template <class Scalar>
void ObserverSession<Scalar>::say_resume(PeerId to) {
  FrameHeader header = header_of(FrameKind::resume);
  header.iteration = resumed_from_.value_or(0);
  header.slot = under_way_ ? 1 : 0;
  outbox_.push_back({to, header, {}});
}

/// Some peer is in the middle of the run: those that come back join it.
template <class Scalar>
void ObserverSession<Scalar>::take_note_that_it_is_under_way() {
  if (under_way_) return;
  under_way_ = true;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (peers_[id].resumes && peers_[id].said_what_it_holds && !peers_[id].ready) say_resume(id);
}

template <class Scalar>
void ObserverSession<Scalar>::hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now,
                                   const std::string& host) {
  if (header.kind == FrameKind::hello) return answer_hello(header, payload, now, host);
  if (header.run_id != run_id_ || header.sender >= peers_.size()) return;
  PeerSeen& peer = peers_[header.sender];
  if (header.kind == FrameKind::join) return take_in(header, now);
  if (header.kind == FrameKind::alive) note_whether_it_is_alone(header, now);
  if (peer.gone && (header.kind != FrameKind::alive || !take_back(header, now))) return;
  if (!peer.welcomed || header.incarnation != peer.incarnation) {  // who greets will be answered
    // What is said with every sign of life, before the run and in it.
    if (header.kind != FrameKind::alive && header.kind != FrameKind::holds && header.kind != FrameKind::ready)
      return;
    say(header.sender, FrameKind::again);
    outbox_.back().only_to = header.incarnation;
    return;
  }
  peer.heard_at = now;
  switch (header.kind) {
    case FrameKind::ready:
      if (header.slot == 0) return take_ready(header, now);
      peer.waits_for = printable_text(payload);
      return;
    case FrameKind::holds:
      return take_holds(header.sender, payload);
    case FrameKind::alive: {
      if (header.slot != 0) take_note_that_it_is_under_way();
      if (!peer.ready) return take_ready(header, now);  // it shows life to the observer once it is
      const bool has_begun = header.slot != 0;
      if (started_ && (!has_begun || header.sequence <= verdicts_.back().evaluated))
        start(header.sender, now);
      return;
    }
    case FrameKind::evaluation:
      return take_evaluation(header, peer, payload);
    case FrameKind::result:
      return take_result(peer, payload);
    case FrameKind::parted:
      return lose_peer(header.sender, "peer " + std::to_string(header.sender) + " has left");
    case FrameKind::stop:
      // One that was started wrongly in the middle of the run, and refused, takes no part.
      if (under_way_ && !peer.ready && (header.slot == 2 || experiment_.settings.failure.drops())) return;
      return payload.empty() || header.slot == 130 ? interrupt(now)
                                                   : lose(printable_text(payload), header.slot);
    default:
      return;
  }
}

template <class Scalar>
void ObserverSession<Scalar>::take_ready(const FrameHeader& header, Instant now) {
  peers_[header.sender].ready = true;
  peers_[header.sender].verdicts_told = header.sequence;
  if (started_) return start(header.sender, now);
  if (!std::ranges::all_of(peers_, [](const PeerSeen& peer) { return peer.ready || peer.gone; })) return;
  started_ = under_way_ = true;
  // A run that is taken up goes on from where its record ends.
  origin_ = now - std::chrono::round<Duration>(
                      std::chrono::duration<double>(observer_.evaluations().back().seconds));
  bridge_lost_evaluations();
  for (PeerSeen& peer : peers_) peer.heard_at = now;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (!peers_[id].gone) start(id, now);
}

/// Peers have passed evaluations of which the record, whose end was lost, knows nothing: they are not taken again.
template <class Scalar>
void ObserverSession<Scalar>::bridge_lost_evaluations() {
  std::uint64_t told = 0;
  for (const PeerSeen& peer : peers_) told = std::max(told, peer.verdicts_told);
  if (told == 0 || told - 1 <= verdicts_.back().evaluated) return;
  lost_evaluations_ = {verdicts_.back().evaluated, told - 1};
  verdicts_.push_back({told - 1, true});
  for (PeerSeen& peer : peers_) peer.evaluated = told - 1;
}

template <class Scalar>
void ObserverSession<Scalar>::start(PeerId id, Instant now) {
  FrameHeader header = header_of(FrameKind::start);
  header.due_ns = origin_.time_since_epoch().count();
  header.sequence = static_cast<std::uint64_t>((now - origin_).count());
  header.iteration = experiment_.iterations;
  outbox_.push_back({id, header, {}});
  const std::size_t first = verdicts_.size() - std::min(verdicts_.size(), verdicts_told_again);
  for (std::size_t k = first; k < verdicts_.size(); ++k) say_verdict(id, verdicts_[k]);
}

template <class Scalar>
void ObserverSession<Scalar>::take_evaluation(const FrameHeader& header, PeerSeen& peer,
                                              std::span<const std::byte> payload) {
  const std::uint64_t every = experiment_.settings.run.evaluate_every;
  const std::uint64_t in_turn = std::min(peer.evaluated + every, experiment_.iterations);
  if (!started_ || header.iteration != in_turn || in_turn == peer.evaluated ||
      in_turn > all_have_evaluated() + 2 * every)
    return;
  const auto snapshot = decode_snapshot<Scalar>(payload, experiment_.problem.dimension());
  if (!snapshot) return;
  peer.evaluated = in_turn;
  const auto verdict = observer_.take(header.sender, in_turn, snapshot->model, snapshot->meters);
  if (verdict) take_verdict(*verdict);
}

/// Mostly that of the last verdict: the one before the first that is still to come.
template <class Scalar>
std::uint64_t ObserverSession<Scalar>::all_have_evaluated() const {
  std::uint64_t first = std::numeric_limits<std::uint64_t>::max();
  for (const PeerSeen& peer : peers_)
    if (!peer.gone) first = std::min(first, peer.evaluated);
  return std::max(first, verdicts_.back().evaluated);
}

template <class Scalar>
void ObserverSession<Scalar>::take_verdict(const Verdict& verdict) {
  verdicts_.push_back(verdict);
  for (PeerId id = 0; id < peers_.size(); ++id) say_verdict(id, verdict);
}

template <class Scalar>
void ObserverSession<Scalar>::end_when_all_have() {
  if (!std::ranges::all_of(
          peers_, [](const PeerSeen& peer) { return peer.gone || peer.outcome || peer.has_no_last_words; }))
    return;
  end();
}

/// Where the run is to end, of peers that were killed and are not yet what they were.
template <class Scalar>
void ObserverSession<Scalar>::expect_no_last_words() {
  if (!started_ || !stopped_ || over_) return;
  for (PeerSeen& peer : peers_)
    if (peer.resumes && !peer.ready) peer.has_no_last_words = true;
  end_when_all_have();
}

template <class Scalar>
void ObserverSession<Scalar>::say_verdict(PeerId to, const Verdict& verdict) {
  FrameHeader header = header_of(FrameKind::verdict);
  header.iteration = verdict.evaluated;
  header.slot = verdict.go_on ? 1 : 0;
  header.sequence =
      checkpoint_every_for(experiment_.settings.failure.checkpoint_period, observer_.evaluations());
  outbox_.push_back({to, header, {}});
}

/// The newest one that a peer takes on its way to `iterations`.
template <class Scalar>
std::uint64_t ObserverSession<Scalar>::last_evaluation(std::uint64_t iterations) const {
  if (iterations >= experiment_.iterations) return experiment_.iterations;
  const std::uint64_t every = experiment_.settings.run.evaluate_every;
  return iterations / every * every;
}

template <class Scalar>
void ObserverSession<Scalar>::take_result(PeerSeen& peer, std::span<const std::byte> payload) {
  if (peer.outcome) return;
  const std::optional<PeerOutcome> outcome = decode_outcome(payload);
  // An evaluation before it went astray: it will come again, and the result behind it.
  if (!outcome || (!outcome->divergence && peer.evaluated < last_evaluation(outcome->iterations))) return;
  peer.outcome = outcome;
  if (peer.outcome->divergence) stop({}, 0);
  end_when_all_have();
}

template <class Scalar>
void ObserverSession<Scalar>::tick(Instant now) {
  if (over_) return;
  attention_.look(now);
  if (!started_ && now > start_deadline_) return lose(missing_peers());
  if (end_deadline_ && now > *end_deadline_) return end();
  if (now < next_heartbeat_) return;
  next_heartbeat_ = now + heartbeat_interval(lost_after_);
  const std::string waits = started_ ? "" : for_whom_all_wait();
  for (PeerId id = 0; id < peers_.size(); ++id) {
    if (!peers_[id].welcomed) continue;
    say(id, FrameKind::alive, waits, peers_[id].outcome ? 1 : 0);
    outbox_.back().header.iteration = peers_[id].evaluated;
  }
}

template <class Scalar>
void ObserverSession<Scalar>::interrupt(Instant now) {
  if (interrupted_ || over_) return;
  interrupted_ = true;
  stop({}, 0);
  // Peers that have not begun have no last words.
  end_deadline_ = now + (started_ ? patience_after_stop : Duration{0});
  expect_no_last_words();
}

template <class Scalar>
void ObserverSession<Scalar>::leave(Instant now) {
  if (!started_ || !experiment_.settings.failure.bears_a_leave()) return interrupt(now);
  interrupted_ = over_ = true;
}

template <class Scalar>
void ObserverSession<Scalar>::lose(const std::string& reason, Slot exit_code) {
  if (over_) return;
  lost_ = reason;
  lost_by_misuse_ = exit_code == 2 && !started_;
  stop(reason, exit_code);
  over_ = true;
}

template <class Scalar>
void ObserverSession<Scalar>::stop(const std::string& reason, Slot exit_code) {
  if (stopped_) return;
  stopped_ = true;
  // The run of an earlier observer goes on without this one, which came anew and never got it to begin.
  const bool is_another = !started_ && experiment_.settings.failure.drops();
  if (is_another && under_way_) return;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (!is_another || peers_[id].welcomed) say(id, FrameKind::stop, reason, exit_code);
}

template <class Scalar>
void ObserverSession<Scalar>::end() {
  const RunStatus status = outcome().status;
  const Slot exit_code = status == RunStatus::diverged ? 4 : status == RunStatus::interrupted ? 130 : 0;
  for (PeerId id = 0; id < peers_.size(); ++id) say(id, FrameKind::bye, {}, exit_code);
  over_ = true;
}

template <class Scalar>
void ObserverSession<Scalar>::say(PeerId to, FrameKind kind, const std::string& text, Slot slot) {
  const auto bytes = std::as_bytes(std::span(text));
  FrameHeader header = header_of(kind);
  header.slot = slot;
  outbox_.push_back({to, header, {bytes.begin(), bytes.end()}});
}

template <class Scalar>
FrameHeader ObserverSession<Scalar>::header_of(FrameKind kind) const {
  FrameHeader header;
  header.kind = kind;
  header.run_id = run_id_;
  return header;
}

template <class Scalar>
RunOutcome<Scalar> ObserverSession<Scalar>::outcome() const {
  std::vector<PeerOutcome> outcomes;
  Duration last{0};
  for (const PeerSeen& peer : peers_) {
    outcomes.push_back(peer.outcome.value_or(PeerOutcome{}));
    if (peer.gone || (peer.has_no_last_words && !peer.outcome)) {
      outcomes.back().gone = true;
      outcomes.back().iterations = peer.evaluated;
      outcomes.back().meters = observer_.last_meters(static_cast<PeerId>(outcomes.size() - 1));
    }
    last = std::max(last, outcomes.back().meters.now);
  }
  RunOutcome<Scalar> result = conclude(observer_, std::move(outcomes));
  if (interrupted_) {
    result.status = RunStatus::interrupted;
    result.reason = "interrupted";
  }
  if (lost_) {
    result.status = RunStatus::lost;
    result.reason = *lost_;
  }
  result.seconds = seconds(last);
  const std::vector<PeerId>& later = experiment_.settings.failure.join_later;
  for (PeerId id = 0; id < peers_.size(); ++id) {
    const bool never_came = !peers_[id].joined && std::ranges::binary_search(later, id);
    if (peers_[id].gone && !never_came) result.dropped.push_back(id);
  }
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (peers_[id].joined) result.joined.push_back(id);
  result.returned = returned_;
  return result;
}

template class ObserverSession<float>;
template class ObserverSession<double>;

}  // namespace hearsay
