#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/observer/claims.hpp"
#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/inquiry.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"
#include "runtime/wire/beats.hpp"

namespace hearsay {

/// What the observer and the peers say to each other about evaluations. Takes in models and answers, tells
/// all peers the verdicts, and asks what an evaluation without a verdict waits for. Counts the heartbeats, by
/// which both ends know what the other has heard.
class EvaluationDesk {
 public:
  /// All must outlive the desk.
  EvaluationDesk(EvaluationSchedule& schedule, const Members& members, ObserverFrames& words,
                 PeerId peer_count)
      : schedule_(schedule),
        members_(members),
        words_(words),
        peer_count_(peer_count),
        inquiry_(schedule, members, words, peer_count) {}

  /// Takes in an evaluation frame.
  void take(const FrameHeader& header, std::span<const std::byte> payload) {
    settle(schedule_.take(header, payload));
  }
  /// Takes in an answer frame. Ignores a malformed one.
  void take_answer(const FrameHeader& header, std::span<const std::byte> payload);
  /// Evaluations are made without peer `id` from now on. Tells the verdicts on those that waited for it
  /// alone.
  void drop(PeerId id) { tell(schedule_.drop(id)); }
  /// Peer `id` is back. Its first evaluation is the one at `iteration`. Tells a verdict if it is the first to
  /// come back, and the evaluations before are made by nobody.
  void take_back(PeerId id, std::uint64_t iteration) { tell(schedule_.take_back(id, iteration)); }
  /// The same for a new peer in the place of peer `id`.
  void take_in(PeerId id, std::uint64_t iteration) { tell(schedule_.take_in(id, iteration)); }
  /// Asks the peers what the evaluations without a verdict wait for, if they were not asked yet.
  void ask_what_is_new() { inquiry_.ask_what_is_new(beat_); }

  /// Tells peer `id`, which starts or comes back, the last verdicts, and asks what it has not answered.
  void inform(PeerId id);
  /// A heartbeat of peer `id` says which heartbeat of the observer it has heard, and which questions it is
  /// answering. Asks again what is lost.
  void note_alive(PeerId id, std::uint32_t heard, std::span<const std::uint64_t> being_answered);
  /// Sends a heartbeat to every peer that is there. `waits`: for whom the run's start waits, in words.
  void beat(const IdClaims& claims, const std::string& waits);

 private:
  void tell(const std::vector<Verdict>& verdicts);
  void tell(PeerId to, const Verdict& verdict);
  void settle(const std::vector<Verdict>& verdicts) {
    tell(verdicts);
    ask_what_is_new();
  }

  EvaluationSchedule& schedule_;
  const Members& members_;
  ObserverFrames& words_;
  PeerId peer_count_;
  Inquiry inquiry_;
  std::uint32_t beat_ = 0;  // the number of the newest heartbeat
};

}  // namespace hearsay
