#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"
#include "runtime/wire/beats.hpp"

namespace hearsay {

/// Asks the peers for their scores of a mean model while the data are at home. Asks a peer again if its
/// heartbeats show that the question or the answer is lost. What is only late is not asked twice, since a
/// question is as long as a model; one that travels in pieces is announced again.
class Inquiry {
 public:
  /// All must outlive the inquiry.
  Inquiry(const EvaluationSchedule& schedule, const Members& members, ObserverFrames& words,
          PeerId peer_count)
      : schedule_(schedule), members_(members), words_(words), asked_(peer_count) {}

  /// Asks all peers the questions that they were not asked yet. `beat` is the number of the observer's newest
  /// heartbeat.
  void ask_what_is_new(std::uint32_t beat);
  /// Asks peer `id`, which starts or comes back, all that it has not answered.
  void ask(PeerId id, std::uint32_t beat);
  /// Peer `id` has heard heartbeat `heard` of the observer, and is answering the questions of the evaluations
  /// `being_answered`. Asks again what it has neither answered nor heard.
  void note_alive(PeerId id, std::uint32_t heard, std::span<const std::uint64_t> being_answered,
                  std::uint32_t beat);

 private:
  struct Asked {
    std::uint64_t iteration;
    SentBefore sent;
  };
  void ask(PeerId id, const Question& question, std::uint32_t beat);
  const SharedBytes& model_of(const Question& question);

  const EvaluationSchedule& schedule_;
  const Members& members_;
  ObserverFrames& words_;
  std::optional<std::uint64_t> newest_;          // the iteration of the newest question that was sent
  std::vector<std::vector<Asked>> asked_;        // by peer: the open questions that were sent to it
  std::map<std::uint64_t, SharedBytes> models_;  // of the open questions, by iteration
};

}  // namespace hearsay
