#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/observer/chronicle.hpp"
#include "runtime/observer/claims.hpp"
#include "runtime/observer/evaluation_desk.hpp"
#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/observer/run_end.hpp"
#include "runtime/observer/start.hpp"
#include "runtime/observer/vital_peers.hpp"
#include "runtime/wire/observer_contact.hpp"
#include "runtime/wire/words_from_observer.hpp"

namespace hearsay {

/// The protocol of the observer with the peers, from the first hello to the last bye. Pure: frames and time
/// go in, frames come out (`outbox`), so a test can drive it without sockets.
///
///     hello -> welcome | refuse                  ready, from every peer -> start to all
///     evaluation, from every peer -> verdict to all
///                                    or, while the data are at home, question to all
///     answer, from every peer -> verdict to all
///     result, from every peer -> bye to all      stop, from one peer -> stop to all
///     bye or stop, from every peer -> the session is over
///
/// From a peer that was not welcomed or that belongs to another run, only a hello is accepted. Evaluations
/// are accepted only in their turn. Everything else is dropped, so memory is bounded whatever arrives. A
/// restarted peer is sent `start` and the last verdicts as soon as it is ready. A restarted observer asks
/// peers that send heartbeats to say hello; the peers then send again what it has not answered.
///
/// IdClaims decides which process is which peer; RunStart what is missing before the run can start;
/// EvaluationSchedule which evaluation is next; Members who takes part, and VitalPeers without whom the run
/// ends; RunEnd what is missing before the session is over.
class ObserverSession {
 public:
  /// Evaluates x_0 if `earlier` has no evaluations; else continues that run. If peers are not ready within
  /// the start patience, or are silent for longer than failure.lost_after, the run is lost, and its outcome
  /// names them (under policy "drop", the started run goes on without a silent peer). `evaluator` must
  /// outlive the session.
  ObserverSession(ObserverInput input, Evaluator& evaluator, Instant now, const RunRecord& earlier = {});
  ObserverSession(const ObserverSession&) = delete;
  ObserverSession& operator=(const ObserverSession&) = delete;

  /// Takes in a frame whose checksums are right. `host` is the address of its sender, for messages to the
  /// user.
  void hear(const FrameHeader& header, std::span<const std::byte> payload, Instant now,
            const std::string& host = {});
  /// A frame to process `incarnation` alone could not be delivered: that process has ended.
  void note_unreachable(PeerId id, std::uint32_t incarnation) {
    if (const auto rival = claims_.rival_of(id, incarnation))
      admit(rival->hello, rival->payload, rival->host);
  }
  /// A frame to peer `id` could not be delivered: there is no connection.
  void note_unreachable(PeerId id) { end_.note_unreachable(id); }
  /// The run cannot begin, since this process cannot take part. Refuses every caller with the sentence `why`,
  /// until all peers were told or the start patience is over. A hello from the middle of a run is not
  /// refused; it ends the session.
  void turn_away(const std::string& why) { end_.turn_away(why); }
  /// The incarnation of the process that is peer `id`; 0 if there is none.
  std::uint32_t incarnation_of(PeerId id) const { return claims_.of(id).incarnation; }
  /// Which peers are of which build of hearsay; empty if all are of one.
  std::string different_builds() const { return claims_.different_builds(); }
  /// True if the run goes on without peer `id`.
  bool is_gone(PeerId id) const { return members_.is_gone(id); }
  /// Must be called several times a second.
  void tick(Instant now);
  /// Treats peers that have been silent for too long as lost. Must be called only when no frame waits to be
  /// received.
  void judge_silence(Instant now);
  /// Returns the peer that `judge_silence` would treat as lost; nothing if there is none. `judge_silence` may
  /// then complete an evaluation, which takes long.
  std::optional<PeerId> silent_peer(Instant now);
  /// The user wants the run to end. Peers get 5 s to send their results; before the run has begun they have
  /// none, and end with exit code 130 and the sentence `by`. Empty: the user asks at the observer's process.
  void interrupt(Instant now, const std::string& by = {}) { end_.interrupt(now, by); }
  /// This process ends, and the run goes on without its observer or with the next one. If the run cannot go
  /// on, the same as `interrupt`.
  void leave(Instant now);
  /// The process of a peer has ended. By failure.policy, the run is lost, or goes on without the peer, and
  /// the others are told so: in the sentence `to_others`, or, if that is empty, that it has ended.
  void lose_peer(PeerId id, Instant now, const std::string& how, const std::string& to_others = {});
  /// Who has started peer `id` on its host has seen it end: `how`, "it was killed". If the run waits for its
  /// first word, and goes on without lost peers, it does not wait any more. (A peer that has said something
  /// is judged by its silence, since a connection of its starter may break and leave the peer.)
  void note_end_seen(PeerId id, const std::string& how);
  /// The run is lost; `reason` is a sentence. The peers end with `exit_code`: 3 (a peer is lost) or 2
  /// (misuse).
  void lose(const std::string& reason, int exit_code = 3) { end_.lose(reason, exit_code); }

  /// Returns the heartbeat to send while `hear` evaluates in another thread. Reads no state that `hear`
  /// changes.
  FrameHeader busy_sign() const {
    FrameHeader header = words_.header_of(FrameKind::alive);
    put(from_observer::Alive{.state = from_observer::Alive::State::is_busy}, header);
    return header;
  }

  bool started() const { return start_.has_begun(); }
  /// When the run began. Valid once it has started.
  Instant origin() const { return start_.origin(); }
  /// True until the peers are told to stop, or all have ended.
  bool is_open() const { return end_.is_open(); }
  bool over() const { return end_.is_over(); }
  /// The peers that did not confirm the end of the run. Valid once the session is over.
  std::vector<PeerId> did_not_confirm() const { return end_.did_not_confirm(); }
  /// True if the run was lost before it began, because of wrong input.
  bool lost_by_misuse() const { return end_.lost_by_misuse(); }
  std::vector<ObserverFrame>& outbox() { return words_.unsent(); }
  /// The evaluations so far, in order. The first one, of x_0, is valid once the run has started.
  const std::vector<Evaluation>& evaluations() const { return schedule_.evaluations(); }
  /// The iteration of the checkpoint from which all peers resume, once it is known; and a sentence that says
  /// why it is no later one.
  std::optional<std::uint64_t> resumed_from() const { return start_.resumed_from(); }
  const std::string& resume_text() const { return start_.resume_text(); }
  /// How many evaluations came from the record; 0 if the run was not resumed. Valid once the run has started.
  std::size_t recorded() const { return schedule_.recorded(); }
  /// The evaluations after the first iteration, up to and including the second, are missing in the record of
  /// the resumed run. Nothing if none is missing.
  const std::optional<std::pair<std::uint64_t, std::uint64_t>>& lost_evaluations() const {
    return schedule_.lost_evaluations();
  }
  RunResult outcome() const { return end_.outcome(); }

 private:
  bool drops() const { return input_.failure.drops(); }
  /// Before it has begun, too, unless it was begun by an earlier observer.
  bool goes_on_without_a_peer() const { return drops() && !start_.is_under_way(); }
  // Hellos.
  void answer_hello(const FrameHeader& hello, std::span<const std::byte> payload, Instant now,
                    const std::string& host);
  void admit(const FrameHeader& hello, std::span<const std::byte> payload, const std::string& host);
  void welcome_joiner(const FrameHeader& hello, std::span<const std::byte> payload);
  // The start.
  void choose_checkpoint();
  void take_ready(PeerId sender, std::optional<std::uint64_t> last_verdict, Instant now);
  void begin(Instant now);
  void start_peer(PeerId id, Instant now);
  // The run.
  void beat(Instant now);
  void take_alive(const FrameHeader& alive, std::span<const std::byte> payload, Instant now);
  // Peers that are lost, come back, or join.
  void do_without(PeerId id, const std::string& how);
  void note_detachment(PeerId sender, const ObserverContact& contact, Instant now);
  bool take_back(const FrameHeader& alive, Instant now);
  void take_in(const FrameHeader& join, Instant now);
  void refuse_to_join(PeerId id);

  const ObserverInput input_;
  ObserverFrames words_;
  IdClaims claims_;
  RunStart start_;
  EvaluationSchedule schedule_;
  Chronicle chronicle_;
  Members members_;
  VitalPeers vital_peers_;
  EvaluationDesk evaluations_;
  RunEnd end_;
  Instant next_heartbeat_;
};

}  // namespace hearsay
