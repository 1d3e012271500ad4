#pragma once

#include <cstdint>
#include <optional>

#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"

namespace hearsay {

/// Asks the peers for their scores of a mean model while the data are at home, and asks again who does not
/// answer.
class Inquiry {
 public:
  /// All must outlive the inquiry.
  Inquiry(const EvaluationSchedule& schedule, const Members& members, ObserverFrames& words,
          PeerId peer_count)
      : schedule_(schedule), members_(members), words_(words), peer_count_(peer_count) {}

  /// Asks all peers the questions that they were not asked yet.
  void ask_what_is_new();
  /// Asks peer `id`, which starts or comes back, all that it has not answered.
  void ask(PeerId id);
  /// To be called with every heartbeat. An answer may take as long as a pass over all data of a peer, so a
  /// question is repeated ever more rarely: after 3 heartbeats, after 6 more, and so on.
  void beat();

 private:
  static constexpr int first_wait = 3;  // in heartbeats

  void ask(PeerId id, const Question& question);

  const EvaluationSchedule& schedule_;
  const Members& members_;
  ObserverFrames& words_;
  PeerId peer_count_;
  std::optional<std::uint64_t> newest_;  // the iteration of the newest question that was sent
  int wait_ = first_wait;                // in heartbeats, between two times that the same is asked
  int beats_left_ = first_wait;
};

}  // namespace hearsay
