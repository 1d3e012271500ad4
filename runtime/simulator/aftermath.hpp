#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "runtime/participant/objective_failure.hpp"
#include "runtime/simulator/evaluation_traffic.hpp"
#include "runtime/simulator/event_queue.hpp"
#include "runtime/simulator/simulated_peer.hpp"

namespace hearsay {

/// An evaluation that a peer has sent.
template <class Scalar>
struct SentEvaluation {
  EvaluationFrame<Scalar> frame;
  Instant due;  ///< if the network shapes evaluations: when it reaches the observer's port
};

/// What follows from the turns of peers beyond these peers: kept while they take them, in the order in which
/// it came up, and handed over afterwards, turn by turn.
template <class Scalar>
class Aftermath {
 public:
  /// What comes up from now on follows from turn number `turn`.
  void begin_turn(std::uint32_t turn) { turn_ = turn; }

  void schedule(const Event& event) { add(Kind::event, event); }
  /// A frame is on its way, and due at its receiver's port.
  void send(Instant due, InFlight frame) {
    add(Kind::frame, {due, frame.to, 0, EventKind::due});
    frames_.push_back(std::move(frame));
  }
  /// A peer has taken in the frame at this place.
  void land(std::uint32_t place) { add(Kind::landing, {{}, 0, place, EventKind::release}); }
  void report(SentEvaluation<Scalar> report) {
    add(Kind::report, {});
    reports_.push_back(std::move(report));
  }
  void diverge() { add(Kind::divergence, {}); }
  void fail(ObjectiveFailure failure) { failures_.push_back({turn_, std::move(failure)}); }

  /// Hands over the failure of turn number `turn`, if it failed; those of earlier turns were handed over.
  /// Failures count before all else that follows: an evaluation would ask the objective that has failed.
  template <class Receiver>
  void hand_over_failure(std::uint32_t turn, Receiver& receiver) {
    if (next_failure_ < failures_.size() && failures_[next_failure_].first == turn)
      receiver.fail(std::move(failures_[next_failure_++].second));
  }

  /// Hands over what else follows from turn number `turn`; those before it were handed over. `receiver` has
  /// functions of those names.
  template <class Receiver>
  void hand_over(std::uint32_t turn, Receiver& receiver) {
    while (handed_over_ < notes_.size() && notes_[handed_over_].turn == turn) hand_over_next(receiver);
    if (handed_over_ == notes_.size()) clear();
  }

 private:
  enum class Kind : std::uint8_t { event, frame, landing, report, divergence };
  struct Note {
    std::uint32_t turn;
    Kind kind;
    Event event;
  };

  void add(Kind kind, const Event& event) { notes_.push_back({turn_, kind, event}); }

  template <class Receiver>
  void hand_over_next(Receiver& receiver) {
    const Note& note = notes_[handed_over_++];
    switch (note.kind) {
      case Kind::event:
        return receiver.schedule(note.event);
      case Kind::frame:
        return receiver.send(note.event.at, std::move(frames_[next_frame_++]));
      case Kind::landing:
        return receiver.land(note.event.place);
      case Kind::report:
        return receiver.report(std::move(reports_[next_report_++]));
      case Kind::divergence:
        return receiver.diverge();
    }
  }

  void clear() {
    notes_.clear();
    frames_.clear();
    reports_.clear();
    failures_.clear();
    handed_over_ = next_frame_ = next_report_ = next_failure_ = 0;
  }

  std::uint32_t turn_ = 0;
  std::vector<Note> notes_;
  std::vector<InFlight> frames_;
  std::vector<SentEvaluation<Scalar>> reports_;
  std::vector<std::pair<std::uint32_t, ObjectiveFailure>> failures_;  // by turn
  std::size_t handed_over_ = 0;                                       // notes
  std::size_t next_frame_ = 0;
  std::size_t next_report_ = 0;
  std::size_t next_failure_ = 0;
};

}  // namespace hearsay
