#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/session/attention.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/observer/observer.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// A frame that the observer wants sent.
struct ObserverWord {
  PeerId to;
  FrameHeader header;
  std::vector<std::byte> payload;
  /// Of the processes that claim to be that peer, this one alone; nothing: the one that has the name (`incarnation_of`).
  std::optional<std::uint32_t> only_to = {};
};

/// The observer's side of a run, from the first hello to the last bye. Pure: frames and time go in, frames come out
/// (`outbox`), so that a test can play it without sockets.
///
///     hello -> welcome | refuse     ready, from every peer -> start to all     evaluation, from every peer -> verdict to all
///     result, from every peer -> bye to all                                    stop, from one peer -> stop to all
///
/// Nothing but a hello is heard from a peer that was not welcomed or that belongs to another run, and an evaluation only
/// in its turn; everything else is dropped, so what is kept is bounded whatever arrives. A peer that was started anew
/// is told to start, and the last verdicts, as soon as it is ready. An observer that was started anew asks peers that show
/// signs of life to greet it; they tell it again what it has not answered.
///
/// A peer's name belongs to the process that was welcomed first. Where another one says hello under it, the first is asked to
/// say hello again: if it does, it keeps the name and the other is refused; if it cannot be reached, or says nothing until
/// the other calls again, it has ended and the other has the name (observer_session_claims.cpp).
template <class Scalar>
class ObserverSession {
 public:
  /// Evaluates x_0, or takes up the run whose evaluations so far are `record`. Peers that are not ready in time, or
  /// silent for longer than failure.lost_after, are named, and the run is lost.
  ObserverSession(const Experiment<Scalar>& experiment, Agreement agreement, Duration start_patience,
                  Instant now, const std::vector<Evaluation>& record = {});

  /// A frame whose checksums hold; `host`: where it came from, for messages to the user.
  void hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now,
            const std::string& host = {});
  /// A word that was for one process only did not find it: it has ended.
  void note_unreachable(PeerId id, std::uint32_t incarnation);
  /// The run cannot begin, since this process cannot take part: whoever calls is told so, until all were or the start patience
  /// is over. Peers in the middle of a run are left in peace.
  void turn_away(const std::string& why) { turned_away_because_ = why; }
  /// Of the process that has the name of peer `id`.
  std::uint32_t incarnation_of(PeerId id) const { return peers_[id].incarnation; }
  /// To be called several times a second.
  void tick(Instant now);
  /// To be called where no frame waits to be heard: peers that have been silent for too long are lost.
  void judge_silence(Instant now);
  /// One that it would lose, which may end with an evaluation.
  std::optional<PeerId> silent_peer(Instant now);
  /// The user wants the run to end: peers get some seconds for their last words.
  void interrupt(Instant now);
  /// This process leaves, and the run goes on without its observer, or with the next one. Where it cannot, like `interrupt`.
  void leave(Instant now);
  /// A peer's process has ended: by failure.policy, the run is lost, or goes on without it, and the others are told so.
  void lose_peer(PeerId id, const std::string& how);
  /// The run cannot go on, as the sentence says; the peers end with `exit_code`, 3 (a peer is lost) or 2 (misuse).
  void lose(const std::string& reason, Slot exit_code = 3);

  /// What peers are to hear while `hear` evaluates what they have sent. Touches nothing that `hear` changes.
  FrameHeader busy_sign() const {
    FrameHeader header = header_of(FrameKind::alive);
    header.slot = 2;
    return header;
  }

  bool started() const { return started_; }
  bool over() const { return over_; }
  /// The run is lost before it began, because somebody's input is wrong.
  bool lost_by_misuse() const { return lost_by_misuse_; }
  std::vector<ObserverWord>& outbox() { return outbox_; }
  /// In order; the first, of x_0, counts from the start of the run on.
  const std::vector<Evaluation>& evaluations() const { return observer_.evaluations(); }
  /// From which checkpoint all go on, once that is known, and in words why from no later one.
  std::optional<std::uint64_t> resumed_from() const { return resumed_from_; }
  const std::string& how_all_go_on() const { return how_all_go_on_; }
  /// How many of them were known before, of a run that is taken up. Once it has started.
  std::size_t recorded() const { return record_.size(); }
  /// Evaluations behind the first iteration, up to the second, are not in the record of the run that is taken up.
  const std::optional<std::pair<std::uint64_t, std::uint64_t>>& lost_evaluations() const {
    return lost_evaluations_;
  }
  RunOutcome<Scalar> outcome() const;

 private:
  struct Rival {
    FrameHeader hello;
    std::string host;
    Instant since;
  };
  struct PeerSeen {
    bool welcomed = false;
    bool turned_away = false;
    std::string waits_for;  ///< whom, not being ready
    std::string refusal;    ///< of the last hello, if it was
    bool ready = false;
    Instant heard_at{};
    std::uint64_t evaluated = 0;
    std::optional<PeerOutcome> outcome;
    bool gone = false;                ///< lost, or alone, and not yet back
    bool alone = false;               ///< shows life, but goes on without the observer
    Slot turns = 0;                   ///< how often it has turned from the observer, or to it again
    std::uint32_t incarnation = 0;    ///< of the process that was welcomed
    std::string host;                 ///< and where it is, if known
    std::optional<Rival> rival;       ///< another one that claims to be this peer
    bool joined = false;              ///< as a new peer, when the run had gone on without it
    bool resumes = false;             ///< goes on from a checkpoint
    bool has_no_last_words = false;   ///< was killed, and the run is to end before it is what it was
    std::uint64_t verdicts_told = 0;  ///< up to which evaluation it knows the verdicts, plus 1
    bool said_what_it_holds = false;
    std::vector<std::uint64_t> holds = {0};  ///< the iterations it can go on from
  };

  void answer_hello(const FrameHeader& header, std::span<const std::byte> payload, Instant now,
                    const std::string& host);
  std::string objection_to(const FrameHeader& hello, std::span<const std::byte> payload) const;
  void turn_away_caller(const FrameHeader& hello);
  bool must_wait(const FrameHeader& hello, Instant now, const std::string& host);
  void refuse_rival(PeerSeen& peer);
  void admit(const FrameHeader& hello, const std::string& host);
  void take_up(std::uint64_t iteration);
  void take_holds(PeerId sender, std::span<const std::byte> payload);
  void choose_checkpoint();
  void say_resume(PeerId to);
  void take_note_that_it_is_under_way();
  void welcome_joiner(const FrameHeader& hello);
  void take_ready(const FrameHeader& header, Instant now);
  void start(PeerId id, Instant now);
  void take_evaluation(const FrameHeader& header, PeerSeen& peer, std::span<const std::byte> payload);
  std::uint64_t last_evaluation(std::uint64_t iterations) const;
  void take_result(PeerSeen& peer, std::span<const std::byte> payload);
  void stop(const std::string& reason, Slot exit_code);
  void end();
  void say(PeerId to, FrameKind kind, const std::string& text = {}, Slot slot = 0);
  std::uint64_t all_have_evaluated() const;
  void take_verdict(const Verdict& verdict);
  void do_without(PeerId id, const std::string& how);
  bool take_back(const FrameHeader& alive, Instant now);
  void note_whether_it_is_alone(const FrameHeader& alive, Instant now);
  std::optional<std::uint64_t> next_evaluation_of(std::uint64_t next_iteration) const;
  void take_in(const FrameHeader& join, Instant now);
  void end_when_all_have();
  void expect_no_last_words();
  void bridge_lost_evaluations();
  Duration silence_of(PeerId id, Instant now) const {
    return now - std::max(peers_[id].heard_at, attention_.since());
  }
  void say_verdict(PeerId to, const Verdict& verdict);
  FrameHeader header_of(FrameKind kind) const;
  struct Missing {
    std::vector<PeerId> peers;
    bool never_called;
  };
  Missing missing() const;
  std::string missing_peers() const;
  std::string for_whom_all_wait() const;
  std::string what_is_known_of(const std::vector<PeerId>& missing) const;
  std::string words_on_resume() const;

  const Experiment<Scalar>& experiment_;
  Agreement agreement_;
  std::uint32_t run_id_;
  Observer<Scalar> observer_;
  std::vector<Evaluation> record_;             // from before, of a run that is taken up
  std::vector<Verdict> verdicts_;              // so far
  std::optional<std::uint64_t> resumed_from_;  // all peers, from this checkpoint
  std::string how_all_go_on_;
  bool under_way_ = false;  // some peer is in the middle of the run
  Instant origin_{};        // when the run began
  std::vector<PeerSeen> peers_;
  std::vector<ObserverWord> outbox_;
  std::uint64_t returned_ = 0;  // peers that were lost before
  Duration lost_after_;
  Attention attention_;
  Instant start_deadline_;
  Instant next_heartbeat_;
  std::optional<Instant> end_deadline_;
  std::optional<std::pair<std::uint64_t, std::uint64_t>> lost_evaluations_;
  std::optional<std::string> lost_;
  std::optional<std::string> turned_away_because_;
  bool lost_by_misuse_ = false;
  bool interrupted_ = false;
  bool started_ = false;
  bool stopped_ = false;
  bool over_ = false;
};

}  // namespace hearsay
