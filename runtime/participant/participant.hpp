#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/participant/ending.hpp"
#include "runtime/participant/losses.hpp"
#include "runtime/participant/part.hpp"
#include "runtime/participant/views.hpp"
#include "runtime/participant/work.hpp"
#include "runtime/peer/round_clock.hpp"
#include "runtime/session/heard.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// One peer's part in a run, from its first hello to its end: peer, session, failure detector, round clock
/// and meters, and all that is decided between them. Whom it takes for lost, and what it does then; when a
/// round is over; how it joins, and in which words it leaves. Pure: frames, time and finished work go in;
/// frames, wanted work, news and an end come out. Processes drive it, real and simulated ones.
///
/// The driver must
///
///   1. hand frames, with the time, to `session`, and data to its `release` once they are due; let it `tick`;
///   2. call `advance` until it returns false: after frames, at `look_again`, and several times a second;
///   3. do what `next_work` asks for, and report it done by the call that work.hpp names;
///   4. after every call here, write `heard` to the log, then send the outbox of the session, and clear both;
///   5. pass on the `news`, and go when there is an `end`.
///
/// While work is under way, events wait in the session, since work uses the peer. Only the gradient of an
/// asynchronous method lets them through: it may be computed in another thread.
template <class Scalar>
class Participant {
 public:
  /// `session`: as `session_input` makes it. What it holds is the driver's to say.
  Participant(ParticipantInput<Scalar> input, PeerSessionInput session);

  PeerSession& session() { return part_.session; }
  Peer<Scalar>& peer() { return *part_.peer; }
  const Peer<Scalar>& peer() const { return *part_.peer; }
  PeerId id() const { return part_.id(); }

  /// Hands over the next event of the session. If there is none, gives up neighbors, and the observer, that
  /// are silent for too long, and returns false.
  bool advance(Instant now);
  /// When to call `advance` again at the latest; never while work is under way that uses the peer.
  Instant look_again() const;

  /// The user wants the run to end, at all peers.
  void interrupt(Instant now);
  /// This process has to end. The run goes on without it, waits for its successor, or ends.
  void leave(Instant now);
  /// The process of the observer is known to have ended.
  void note_end_of_observer() { part_.detector.note_end_of_observer(); }

  /// Returns what is to be done next; null if there is nothing, or work is under way. It stays until it is
  /// reported done.
  const Work* next_work(Instant now);
  /// `peer` has replayed its log, and goes on with `state` and `meters`.
  void restored(std::unique_ptr<Peer<Scalar>> peer, SessionState state, PeerMeters meters, Instant now);
  /// The gradient took from `began` to `ended`, emulated time included.
  void gradient_arrived(Instant began, Instant ended, Instant now);
  void checkpoint_taken(Instant now);
  void evaluation_made(SharedBytes payload, Instant now);
  /// `answer` is empty if the question was malformed.
  void scored(std::optional<std::vector<std::byte>> answer, Instant now);
  void result_made(SharedBytes payload, Instant now);
  /// `where`: a clause.
  void model_kept(const std::string& where, Instant now);
  /// The objective has failed in the work that is under way.
  void failed(const ObjectiveFailure& failure, Instant now);
  /// The work that is under way could not be done, so this peer ends.
  void give_up(PeerEnd end, Instant now);

  /// What the peer has taken in: for the log, in order. Empty unless the run takes checkpoints.
  std::vector<Heard>& heard() { return heard_; }
  std::vector<PeerNews>& news() { return part_.news; }
  /// How this peer's part in the run ended; empty before.
  const std::optional<PeerEnd>& end() const { return ended_; }

  bool has_started() const { return part_.has_started(); }
  /// True if it trains no more, or will be told so once the work under way is done.
  bool is_told_to_stop();
  /// True if it waits for messages of the method.
  bool awaits_messages() const { return wait_ == PeerState::needs_messages; }
  /// The meters of peer and session. The counters of the driver's sockets are not among them.
  PeerMeters meters(Instant now) const {
    return part_.meter.read(now, part_.peer->counters(), part_.session.counters());
  }

 private:
  using Phase = typename Part<Scalar>::Phase;

  bool is_computing() const { return under_way_ && std::holds_alternative<ComputeGradient>(*under_way_); }
  /// True if the members agree on who they are, and have another view to go on in first.
  bool stands_still() const { return views_ && views_->stands_still(); }
  /// Goes on in the next view, if there is one and nothing uses the peer.
  void go_on_in_next_view();
  /// False if the evaluation that is due is to wait until all members have completed its iteration.
  bool may_evaluate() { return !views_ || views_->all_have_completed(); }
  bool hands_over_events() const {
    return !under_way_ || (is_computing() && part_.experiment().method->asynchronous);
  }
  /// True if silences count: it waits for others, or ends.
  bool listens() const { return part_.phase != Phase::trains || wait_ || under_way_; }
  bool hand_over_next();
  std::optional<Work> wanted_work();
  template <class Done>
  Done finish(Instant now) {
    part_.come_to(now);
    Done* const done = under_way_ ? std::get_if<Done>(&*under_way_) : nullptr;
    ensure(done != nullptr, "what is done was under way");
    Done finished = std::move(*done);
    under_way_.reset();
    return finished;
  }
  /// Goes on as far as it can after anything has changed.
  void settle();
  bool send_and_go_on();
  void note_wait(bool has_sent);
  void end_now(PeerEnd end) {
    ensure(!ended_, "a peer ends once");
    ended_ = std::move(end);
    ended_->took_part = has_started();
  }

  void on(DataArrived& data) {
    if (part_.phase == Phase::awaits_start)
      early_.push_back(std::move(data));
    else
      hear(std::move(data));
  }
  void on(const ResumeFrom& resume);
  void on(const RunStarts& start);
  void on(const VerdictArrived& verdict) {
    note_heard(verdict);
    part_.peer->verdict(verdict.evaluated, verdict.proceed, verdict.announced);
  }
  void on(RunStops& stops) { ending_.hear(stops); }
  void on(const EveryPeerEnded& ended) { ending_.hear(ended); }
  void on(ScoreAsked& asked) { questions_.push_back(std::move(asked)); }
  void on(const PeerDeparted& departed) { views_ ? views_->hear(departed) : losses_.hear(departed); }
  void on(const NeighborReturned& returned) { hear_of_edge(returned); }
  void on(const AttachmentOffered& offered) { hear_of_edge(offered); }
  void on(const OfferAnswered& answered) { hear_of_edge(answered); }
  void on(const ModelAsked& asked) { part_.peer->ask_for_model(asked.by); }
  void on(const ModelArrived& arrived);
  void on(const StillWaits& waits);
  void on(TakesNoPart& refusal) { part_.end_with({refusal.exit_code, std::move(refusal.reason)}); }

  /// Members that agree on who they are take nobody back.
  template <class News>
  void hear_of_edge(const News& news) {
    if (!views_) losses_.send(respond(*part_.peer, news));
  }
  void hear(DataArrived data);
  /// Hands a message to the peer, or to those that wait for a later view.
  void take_in(DataArrived data);
  template <class Event>
  void note_heard(Event event) {
    if (part_.input.checkpoints.any()) heard_.push_back(std::move(event));
  }
  /// True if there was something to send.
  bool send_outbox();

  Part<Scalar> part_;
  Losses<Scalar> losses_;
  Ending<Scalar> ending_;
  std::optional<Views<Scalar>> views_;  // if the members agree on who they are
  RoundClock round_clock_;
  std::optional<PeerState> wait_;    // what it waits for
  std::vector<SocketEvent> events_;  // of the session, being handed over
  std::size_t next_event_ = 0;
  std::vector<DataArrived> early_;  // kept before the start: the log that has them is not begun
  std::optional<ResumeFrom> to_restore_;
  std::vector<ScoreAsked> questions_;  // of the observer, not answered yet
  std::optional<Work> under_way_;
  bool has_evaluated_last_ = false;  // what it owed when it stopped
  std::vector<Heard> heard_;
  std::optional<PeerEnd> ended_;
};

}  // namespace hearsay
