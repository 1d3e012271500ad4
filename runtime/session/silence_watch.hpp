#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/arrival_deadline.hpp"
#include "runtime/session/attention.hpp"
#include "runtime/session/long_wait.hpp"

namespace hearsay {

/// Somebody whose silence a peer judges.
struct WatchedPeer {
  PeerId id;
  std::string address;  ///< for messages to the user; may be empty
};

/// No wait is silent, and none is without a bound: judges who of those that a peer waits for is lost,
/// and says whom it waits for when that takes long. One that is merely slow, or waits itself, still
/// sends signs of life. Pure.
class SilenceWatch {
 public:
  /// Signs of life come every `heartbeat`; who says nothing for `lost_after` is lost.
  SilenceWatch(PeerId self, Duration lost_after, Duration heartbeat, AfterSilence then,
               std::vector<WatchedPeer> watched);

  /// To be called several times a second, also while nobody is waited for.
  void look(Instant now) { attention_.look(now); }
  /// The last sign of life of a watched peer.
  void heard(PeerId id, Instant at);

  struct Lost {
    PeerId id;
    std::string how;  ///< "it has said nothing for 61 s"
  };
  struct Judgement {
    std::vector<Lost> lost = {};
    std::optional<std::string> word = {};  ///< about a long wait, now and then
    Instant look_again = Instant::max();   ///< by then somebody may be lost
  };
  /// Of a wait for `awaited`, in `iteration`, which began at `since`.
  Judgement judge(Instant now, Instant since, std::uint64_t iteration, const std::vector<PeerId>& awaited);
  /// How long one has listened in vain for somebody who was heard last at `last`.
  Duration silence(Instant now, Instant since, Instant last) const;

 private:
  struct Watched {
    WatchedPeer peer;
    ArrivalDeadline deadline;
    Instant last{};
  };
  static constexpr Duration first_word_after = std::chrono::seconds(10);

  Watched& of(PeerId id);

  PeerId self_;
  Duration heartbeat_;
  AfterSilence then_;
  Attention attention_;
  std::vector<Watched> watched_;
  Instant spoken_since_{};                 // of the wait that was spoken of
  Duration next_word_ = first_word_after;  // into that wait
};

}  // namespace hearsay
