#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/observer/claims.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"
#include "runtime/wire/stop.hpp"
#include "runtime/wire/words_from_observer.hpp"

namespace hearsay {

/// The last word of the observer: the run has ended, or ends now for a reason. The observer stays until every
/// peer has answered it. A peer that did not hear it would take the observer for lost.
class Farewell {
 public:
  using LastWord = std::variant<from_observer::Bye, Stop>;

  /// Says `word` to all that are there, and awaits the answers of those that take part. `reason` is a
  /// sentence, and empty in a bye. The others must outlive the farewell.
  Farewell(LastWord word, std::string reason, PeerId peer_count, const IdClaims& claims, Members& members,
           ObserverFrames& words);

  /// Says the last word to peer `id`, which may be a new process; with `only_to`, to that process of it.
  void say(PeerId id, std::optional<std::uint32_t> only_to = {});
  /// Takes in any frame of a peer but a hello.
  void hear(const FrameHeader& header, Instant now);
  /// The process of peer `id` has ended.
  void forget(PeerId id);
  /// Peer `id` has no connection: it is making a new one, or its process has ended. The second time in a row
  /// the latter is assumed.
  void note_unreachable(PeerId id);
  /// Gives up the peers that have been silent for longer than `patience`.
  void judge_silence(Instant now, Duration patience);
  /// Says the last word again to all that have not answered; to be called with every heartbeat.
  void repeat();

  bool is_over() const { return awaited_.empty(); }
  /// The peers that did not answer.
  const std::vector<PeerId>& given_up() const { return given_up_; }

 private:
  struct Awaited {
    PeerId id;
    int unreachable = 0;  // how often in a row it had no connection
  };
  LastWord word_;
  std::string reason_;
  const IdClaims& claims_;
  Members& members_;
  ObserverFrames& words_;
  std::vector<Awaited> awaited_;  // ascending
  std::vector<PeerId> given_up_;
};

}  // namespace hearsay
