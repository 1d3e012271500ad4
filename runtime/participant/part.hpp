#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/experiment/piece_mixing.hpp"
#include "runtime/experiment/problem_of.hpp"
#include "runtime/participant/failure_detector.hpp"
#include "runtime/participant/news.hpp"
#include "runtime/participant/peer_end.hpp"
#include "runtime/participant/peer_meter.hpp"
#include "runtime/participant/session_input.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/session/peer_session.hpp"
#include "runtime/session/piece_hearer.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// What a participant is made from.
template <class Scalar>
struct ParticipantInput {
  const Experiment<Scalar>& experiment;  ///< must outlive the participant
  CheckpointRule checkpoints;
  PacketPool& packets;  ///< must outlive the participant
  /// Of all peers, by id, for messages to the user; empty: they have none.
  std::vector<std::string> addresses = {};
  bool is_awaited = false;       ///< before the start, others wait for the next process if this one leaves
  Timeline* timeline = nullptr;  ///< as in RunControl
};

/// The state that all parts of a participant share, and what follows from it at once.
template <class Scalar>
struct Part final : private PieceHearer {
  Part(ParticipantInput<Scalar> given, PeerSessionInput of_session)
      : input(std::move(given)),
        session(with_packets(with_addresses(std::move(of_session), input.addresses), input.packets)),
        peer(make_peer(experiment(), id(), input.packets, input.checkpoints)),
        detector(SilenceWatch(id(), failure().lost_after, session.input().heartbeat,
                              drops() ? AfterSilence::drops_it : AfterSilence::ends_the_run,
                              watched_by(session.input(), input.addresses)),
                 failure().lost_after, session),
        meter(id(), availability_of(experiment().settings, id()),
              SendingTime(sending_rate(network_of(experiment().settings, id())),
                          experiment().settings.framing, availability_of(experiment().settings, id())),
              input.timeline) {
    peer->lend_beyond(session.input().piece_bytes);
    if (!takes_pieces()) return;
    peer->expect_pieces();
    session.hand_pieces_to(*this);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  /// Goes on with another peer in the place of this one.
  void replace_peer(std::unique_ptr<Peer<Scalar>> by) {
    ensure(!takes_pieces(), "a peer that mixes pieces keeps those that it has mixed");
    peer = std::move(by);
    peer->lend_beyond(session.input().piece_bytes);
  }
  const Experiment<Scalar>& experiment() const { return input.experiment; }
  const RunSettings::Failure& failure() const { return experiment().settings.failure; }
  PeerId id() const { return session.input().self; }
  std::string self() const { return "peer " + std::to_string(id()); }
  std::string in_iteration() const { return " (iteration " + std::to_string(peer->iteration() + 1) + ")"; }
  bool drops() const { return failure().drops(); }
  /// True if the method takes in the messages of neighbors piece by piece: they are long, and a piece holds
  /// whole numbers.
  bool takes_pieces() const {
    const std::size_t piece_bytes = session.input().piece_bytes;
    return permits_piece_mixing(experiment().settings) && peer->algorithm().takes_pieces() &&
           view(peer->model()).size_bytes() > piece_bytes && piece_bytes % sizeof(Scalar) == 0;
  }
  /// Also while work is under way: the gradient leaves alone what a piece changes.
  bool hear_piece(const MessageKey& message, std::size_t from, std::span<const std::byte> bytes) override {
    return phase == Phase::trains && peer->hear_piece(message, from, bytes);
  }
  /// True if the run has a hub, and `other` is it, as far as this peer knows.
  bool is_hub(PeerId other) const {
    return experiment().method->pattern.has_hub && other == *peer->role().hub();
  }
  bool has_started() const { return phase != Phase::awaits_start && phase != Phase::restored; }

  void tell_user(PeerNews::Kind kind, PeerId about, std::string sentence) {
    news.push_back({kind, about, std::move(sentence)});
  }
  /// Says which of `peers` have been silent for too long. Who is away by its availability is waited for.
  SilenceWatch::Judgement judge_silence_of(const std::vector<PeerId>& peers) {
    const auto away_for = [this](PeerId of) {
      return availability_of(experiment().settings, of).from(now, meter.origin()) - now;
    };
    return detector.judge(now, peer->iteration() + 1, peers, away_for);
  }
  /// When silences that were judged now are to be judged again.
  Instant judges_again_at() const {
    return now + std::min<Duration>(failure().lost_after / 20, std::chrono::milliseconds(200));
  }
  /// It is `later` now.
  void come_to(Instant later) {
    ensure(now <= later, "time does not run backwards");
    now = later;
  }
  /// This peer is to end. Later reasons follow from the first.
  void end_with(PeerEnd why) {
    if (!end) end = std::move(why);
  }
  /// Training stops here; the peer's result is still to be sent.
  void stop() {
    if (phase == Phase::trains) phase = Phase::concludes;
  }
  /// False if this peer is leaving alone already.
  bool begin_to_leave_alone() {
    if (std::exchange(leaving, Leaving::alone) == Leaving::alone) return false;
    stop();
    return true;
  }
  /// Tells the observer that this peer leaves alone. `why`: a clause; empty of a worker that has lost its
  /// hub.
  void tell_observer_that_it_leaves(const std::string& why) {
    session.tell_observer({FrameKind::parted, peer->iteration(), SharedBytes(std::as_bytes(std::span(why)))});
  }
  /// Tells the neighbors which messages this peer needs no more, if it sends them none in this iteration.
  void tell_progress() {
    const std::uint64_t needed_from = peer->needed_from();
    if (experiment().method->asynchronous || needed_from <= announced_from) return;
    announced_from = needed_from;
    if (!members_agree(experiment()))  // else said with the messages, and before an evaluation
      session.needs_from(first_needed_in(needed_from, staleness_of(experiment().settings)));
  }

  enum class Phase {
    awaits_start,
    restored,  ///< from a checkpoint, and awaits the start
    trains,
    concludes,    ///< has trained; owes the observer its last evaluation, perhaps, and its result
    lingers,      ///< until all have ended: neighbors may still need what it sent
    keeps_model,  ///< the same without an observer: its model goes into a file of its own,
    hands_over,   ///< and it stays until its neighbors need nothing more
  };
  enum class Leaving {
    stays,
    interrupted,
    alone,        ///< the others go on, or wait for its successor
    left_behind,  ///< the run goes on, or ends, without this peer
  };

  ParticipantInput<Scalar> input;
  PeerSession session;
  std::unique_ptr<Peer<Scalar>> peer;
  FailureDetector detector;
  PeerMeter meter;
  Instant now{};
  Phase phase = Phase::awaits_start;
  Leaving leaving = Leaving::stays;
  std::uint64_t announced_from = 1;  ///< the iteration that neighbors know this peer to be in
  std::vector<PeerNews> news;
  std::optional<PeerEnd> end;  ///< why it is to end
};

}  // namespace hearsay
