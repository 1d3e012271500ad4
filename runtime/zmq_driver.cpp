#include "runtime/zmq_driver.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>

#include "runtime/attention.hpp"
#include "runtime/compute_time.hpp"
#include "runtime/gradient_thread.hpp"
#include "runtime/peak_memory.hpp"
#include "runtime/peer_archive.hpp"
#include "runtime/peer_outcome.hpp"
#include "runtime/records.hpp"
#include "runtime/replay.hpp"
#include "runtime/zmq_clock.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

constexpr Duration notice_after = std::chrono::seconds(10);
constexpr int look_around_every_ms = 200;
constexpr Duration patience_of_the_interrupted = std::chrono::seconds(5);

/// The compute thread of a peer: hands events to the peer and its effects to the socket thread. Of an asynchronous method it
/// only listens and answers, and gradients (with the time that is emulated for them) go to a third thread: the peer still
/// belongs to one thread, no lock is needed, and a message never waits for a gradient.
template <class Scalar>
class PeerDriver {
 public:
  PeerDriver(const Experiment<Scalar>& experiment, PeerId id, PeerSockets& sockets, const RunControl& control)
      : experiment_(experiment),
        control_(control),
        network_(network_of(experiment.settings, id)),
        sockets_(sockets),
        lost_after_(experiment.settings.failure.lost_after),
        id_(id),
        attention_(lost_after_) {
    if (experiment.method->asynchronous) gradient_thread_.emplace();
    if (experiment.settings.failure.checkpoint_every != 0)
      archive_.emplace(experiment, id, archive_directory(experiment.settings));
    peer_ = make_peer(experiment, id, packets_, experiment.settings.failure.checkpoint_every);
  }

  PeerEnd run() {
    while (!started_ && !end_) receive();
    while (!stopped_ && !end_) {
      leave_if_interrupted();
      send_outbox();
      switch (peer_->state()) {
        case PeerState::needs_gradient:
          take_gradient();
          break;
        case PeerState::checkpoint_due:
          keep();
          break;
        case PeerState::evaluation_due: {
          const std::uint64_t iteration = peer_->iteration();
          sockets_.commands().push(
              TellObserver{{FrameKind::evaluation, iteration, encode_snapshot(meters(), peer_->model())}});
          peer_->evaluation_taken();
          break;
        }
        case PeerState::idle:
        case PeerState::needs_messages:
        case PeerState::needs_verdict:
          wait_for_others();
          break;
        case PeerState::finished:
        case PeerState::diverged:
          stopped_ = true;
          break;
      }
    }
    if (end_) return leave();
    // The socket thread counts what it sends; its counters are whole when it has sent everything.
    sockets_.commands().push(AskWhenObeyed{});
    while (!commands_obeyed_ && !end_) receive_and_answer();
    sockets_.commands().push(
        TellObserver{{FrameKind::result, peer_->iteration(),
                      encode_outcome(peer_outcome(*peer_, meters(), peak_memory_bytes()))}});
    // Neighbors may still need what this peer sent; it leaves when all have ended.
    waits_since_ = monotonic_now();
    const std::optional<Instant> enough =
        interrupted_ ? std::optional(waits_since_ + patience_of_the_interrupted) : std::nullopt;
    while (!all_ended_ && !end_ && !(enough && monotonic_now() > *enough)) receive_and_answer();
    if (interrupted_) return {130, "interrupted"};
    if (end_) return leave();
    return {run_code_, run_code_ == 4     ? "the run diverged"
                       : run_code_ == 130 ? "the run was interrupted"
                                          : ""};
  }

 private:
  /// Takes a checkpoint: what neighbors and observer may ask for again is the socket thread's to say.
  void keep() {
    session_state_.reset();
    sockets_.commands().push(AskState{});
    while (!session_state_ && !end_) receive();
    if (end_) return;
    const bool all_went_well = !std::exchange(failed_to_keep_, false);
    const auto failure = archive_->save(*peer_, *session_state_, meters());
    if (all_went_well && !failure) complained_ = false;
    complain(failure);
    peer_->checkpoint_taken();
  }

  /// Becomes what an earlier process under this id was, or all were at one iteration.
  void come_back(std::optional<std::uint64_t> iteration) {
    try {
      RevivedPeer<Scalar> revived =
          iteration ? archive_->revive_at(*iteration, packets_) : archive_->revive(packets_);
      peer_ = std::move(revived.peer);
      meters_ = earlier_ = revived.meters;
      sockets_.commands().push(
          GoOn{replay(experiment_, *peer_, std::move(revived.session), revived.log, meters_)});
      gradients_ = peer_->iteration();
      came_back_ = true;
    } catch (const Misuse& misuse) {
      end_with({2, misuse.what()});
    }
  }

  /// The disk did not take it: no reason to stop training, but worth a word. One, until from one checkpoint to the next
  /// all went well again.
  void complain(const std::optional<std::string>& failure) {
    if (!failure) return;
    failed_to_keep_ = true;
    if (std::exchange(complained_, true)) return;
    std::fprintf(stderr,
                 "hearsay: peer %u could not keep what it would need to come back (%s); training goes on\n",
                 id_, failure->c_str());
  }

  void take_gradient() {
    const Instant begin = monotonic_now();
    if (gradient_thread_) {
      gradient_computed_ = false;
      std::exception_ptr failure;
      gradient_thread_->give([this, begin, &failure] {
        try {
          compute_gradient(begin);
        } catch (...) {
          failure = std::current_exception();
        }
        sockets_.events().push(GradientComputed{});
      });
      while (!gradient_computed_) {
        receive();
        send_outbox();
      }
      if (failure) std::rethrow_exception(failure);
    } else {
      compute_gradient(begin);
    }
    meters_.compute += monotonic_now() - begin;
    peer_->gradient_arrived();
  }

  /// In the time that the run's network says, if it says one.
  void compute_gradient(Instant begin) {
    peer_->compute_gradient();
    const RunSettings& settings = experiment_.settings;
    const Duration takes = compute_time(network_.compute, settings.run.seed, peer_->id(), gradients_++,
                                        peer_->gradient_work(), Duration{0});
    if (takes > Duration{0}) sleep_until(begin + takes);
  }

  void send_outbox() {
    if (peer_->outbox().empty()) return tell_progress();
    const Instant now = monotonic_now();
    for (Outgoing& outgoing : peer_->outbox()) {
      const std::uint64_t frame_bytes = header_bytes + outgoing.packet->size();
      meters_.bytes_sent += frame_bytes;
      meters_.messages_sent += 1;
      told_from_ = std::max(told_from_, outgoing.key.iteration);
      meters_.wire += network_.bandwidth_up.time_for(wire_bytes(experiment_.settings.framing, frame_bytes));
      sockets_.commands().push(SendData{std::move(outgoing), now});
    }
    peer_->outbox().clear();
  }

  /// Where it says nothing to its neighbors in this iteration, they are to know all the same what it needs no more.
  void tell_progress() {
    const std::uint64_t needed_from = peer_->iteration() + 1;
    if (experiment_.method->asynchronous || needed_from <= told_from_) return;
    told_from_ = needed_from;
    sockets_.commands().push(NeedsFrom{needed_from});
  }

  void wait_for_others() {
    waits_since_ = monotonic_now();
    const PeerState awaited = peer_->state();
    if (awaited == PeerState::needs_messages) meters_.waits.begin(waits_since_);
    while (peer_->state() == awaited && peer_->outbox().empty() && !stopped_ && !end_) receive();
    meters_.wait += monotonic_now() - waits_since_;
  }

  /// When the peer has ended: those who ask it are told so.
  void receive_and_answer() {
    receive();
    if (peer_->state() == PeerState::finished || peer_->state() == PeerState::diverged) send_outbox();
  }

  /// Waits for events, at most a little while, and hands them to the peer.
  void receive() {
    attention_.look(monotonic_now());
    sockets_.events().drain(drained_);
    if (drained_.empty()) {
      leave_if_interrupted();
      if (!sockets_.events().wait(look_around_every_ms)) return look_at_the_clock();
      sockets_.events().drain(drained_);
    }
    for (SocketEvent& event : drained_) handle(event);
    drained_.clear();
  }

  void handle(SocketEvent& event) {
    if (auto* data = std::get_if<DataArrived>(&event)) {
      // Nothing is taken in before the log of it is begun.
      if (started_ || came_back_)
        hear(*data);
      else
        early_.push_back(std::move(*data));
    } else if (const auto* verdict = std::get_if<VerdictArrived>(&event)) {
      if (archive_) complain(archive_->hear_verdict(verdict->evaluated, verdict->go_on));
      peer_->verdict(verdict->evaluated, verdict->go_on);
    } else if (const auto* start = std::get_if<RunStarts>(&event)) {
      origin_ = start->origin;
      begin();
    } else if (auto* stop = std::get_if<RunStops>(&event)) {
      stopped_ = true;
      if (!stop->reason.empty() || !started_) end_with({stop->exit_code, std::move(stop->reason)});
    } else if (std::holds_alternative<EveryPeerEnded>(event)) {
      all_ended_ = true;
      run_code_ = std::get<EveryPeerEnded>(event).exit_code;
    } else if (const auto* resume = std::get_if<ResumeFrom>(&event)) {
      come_back(resume->iteration);
    } else if (auto* told = std::get_if<StateTold>(&event)) {
      session_state_ = std::move(told->state);
    } else if (std::holds_alternative<CommandsObeyed>(event)) {
      commands_obeyed_ = true;
    } else if (auto* refusal = std::get_if<TakesNoPart>(&event)) {
      end_with({refusal->exit_code, std::move(refusal->reason)});
    } else if (std::holds_alternative<GradientComputed>(event)) {
      gradient_computed_ = true;
    }
  }

  void begin() {
    started_ = true;
    if (came_back_) return;
    if (archive_) complain(archive_->begin());
    peer_->start();
    for (const DataArrived& data : std::exchange(early_, {})) hear(data);
  }

  void hear(const DataArrived& data) {
    meters_.bytes_received += header_bytes + data.packet->size();
    if (archive_) complain(archive_->hear(data.key, data.packet));
    const std::uint64_t rounds = peer_->counters().gossip_rounds;
    const Instant came = monotonic_now();
    peer_->deliver(data.key, data.packet);
    if (peer_->counters().gossip_rounds != rounds)
      meters_.waits.ended_by(data.key.sender, came, peer_->state() == PeerState::needs_messages);
  }

  /// The first reason to end is the true one; what follows are its echoes.
  void end_with(PeerEnd end) {
    if (!end_) end_ = std::move(end);
  }

  /// The user wants this peer to stop: the observer is to end the run everywhere.
  void leave_if_interrupted() {
    if (interrupted_ || !control_.is_interrupted()) return;
    interrupted_ = stopped_ = true;
    sockets_.commands().push(TellObserver{{FrameKind::stop, peer_->iteration(), {}}});
    if (!started_) end_with({130, "interrupted"});
  }

  /// No silent waiting: says from whom nothing comes any more, and gives up where no parent process watches. A peer that
  /// is merely slow, or waits itself, still sends signs of life.
  void look_at_the_clock() {
    if (!started_) return;  // the socket thread watches over the start
    const Instant now = monotonic_now();
    attention_.look(now);
    const Instant listens_since = std::max(waits_since_, attention_.since());
    for (const PeerId source : peer_->waiting_for())
      judge_silence("peer " + std::to_string(source),
                    now - std::max(listens_since, sockets_.last_heard_from(source)));
    // The observer is silent, too, while it evaluates.
    if (peer_->waiting_for().empty() &&
        now - std::max(listens_since, sockets_.last_heard_from_observer()) > 5 * lost_after_)
      end_with({3, "the observer, at peer 0, was lost: it has said nothing for a long time"});
  }

  void judge_silence(const std::string& who, Duration silence) {
    const std::string sentence =
        who + " has said nothing for " +
        std::to_string(std::chrono::duration_cast<std::chrono::seconds>(silence).count()) + " s (iteration " +
        std::to_string(peer_->iteration() + 1) + ")";
    if (silence > lost_after_) end_with({3, who + " was lost: " + sentence});
    if (silence < notice_after) return;
    if (silence / notice_after > notices_) {
      notices_ = silence / notice_after;
      std::fprintf(stderr, "hearsay: peer %u waits: %s\n", peer_->id(), sentence.c_str());
    }
  }

  /// Tells the others why this peer leaves; each tells its own neighbors in turn, so that all know even without observer.
  PeerEnd leave() {
    if (end_->exit_code == 130 && interrupted_)
      end_->reason = "peer " + std::to_string(peer_->id()) + " was interrupted";
    if (end_->exit_code != 0) sockets_.commands().push(SayStop{end_->exit_code, end_->reason});
    return *end_;
  }

  const PeerMeters& meters() {
    meters_.now = monotonic_now() - origin_;
    meters_.counters = peer_->counters();
    const SocketCounters counters = sockets_.counters();
    meters_.garbage = earlier_.garbage + counters.garbage;
    meters_.refused = earlier_.refused + counters.refused;
    meters_.gaps = earlier_.gaps + counters.gaps;
    meters_.repeated = earlier_.repeated + counters.repeated;
    meters_.retransmitted = earlier_.retransmitted + counters.retransmitted;
    return meters_;
  }

  const Experiment<Scalar>& experiment_;
  const RunControl& control_;
  const NetworkSettings& network_;
  PeerSockets& sockets_;
  Duration lost_after_;
  PeerId id_;
  PacketPool packets_;
  std::optional<PeerArchive<Scalar>> archive_;  // where checkpoints are to be taken
  std::unique_ptr<Peer<Scalar>> peer_;
  std::vector<SocketEvent> drained_;
  PeerMeters meters_;
  PeerMeters earlier_;  // of the processes before this one
  std::uint64_t gradients_ = 0;
  std::uint64_t told_from_ = 1;  // the first iteration of which neighbors know that messages are needed
  std::optional<GradientThread> gradient_thread_;  // after the peer, which it computes for
  Instant origin_{};
  Instant waits_since_{};
  Attention attention_;
  std::int64_t notices_ = 0;
  std::optional<SessionState> session_state_;  // once it was told
  std::vector<DataArrived> early_;             // before the run began here
  bool came_back_ = false;
  bool started_ = false;
  bool stopped_ = false;
  bool all_ended_ = false;
  bool commands_obeyed_ = false;
  bool gradient_computed_ = false;
  bool interrupted_ = false;
  bool failed_to_keep_ = false;  // something, since the last checkpoint was due
  bool complained_ = false;
  int run_code_ = 0;
  std::optional<PeerEnd> end_;
};

}  // namespace

template <class Scalar>
PeerEnd drive_peer(const Experiment<Scalar>& experiment, PeerId id, PeerSockets& sockets,
                   const Addresses& addresses, const std::string& observer_address,
                   const RunControl& control) {
  const RunSettings& settings = experiment.settings;
  std::vector<Destination> destinations;
  for (const PeerId to : partners_of(experiment, id).destinations)
    destinations.push_back(
        {to, addresses[to], Link(settings.run.seed, id, to, link_settings(settings, id, to))});
  sockets.start(std::move(destinations), observer_address);
  return PeerDriver<Scalar>(experiment, id, sockets, control).run();
}

#define HEARSAY_ZMQ_DRIVER(Scalar)                                                                       \
  template PeerEnd drive_peer<Scalar>(const Experiment<Scalar>&, PeerId, PeerSockets&, const Addresses&, \
                                      const std::string&, const RunControl&);
HEARSAY_ZMQ_DRIVER(float)
HEARSAY_ZMQ_DRIVER(double)
#undef HEARSAY_ZMQ_DRIVER

}  // namespace hearsay
