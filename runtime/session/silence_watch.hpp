#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "runtime/session/arrival_deadline.hpp"
#include "runtime/session/long_wait.hpp"
#include "runtime/session/stall_detector.hpp"

namespace hearsay {

/// A peer that a SilenceWatch watches.
struct WatchedPeer {
  PeerId id;
  std::string address;  ///< for messages to the user; may be empty
};

/// A peer's failure detector. Judges which of the awaited peers are lost, and words a message to the user
/// when a wait takes long. A peer that is merely slow, or waits itself, still sends heartbeats, so it is not
/// lost. Pure.
class SilenceWatch {
 public:
  /// Watched peers send a heartbeat every `heartbeat`. A peer is lost after the limit of its ArrivalDeadline,
  /// which is at least `lost_after`. `watched` is ascending.
  SilenceWatch(PeerId self, Duration lost_after, Duration heartbeat, AfterSilence then,
               std::vector<WatchedPeer> watched);

  /// Call this several times a second, also while no peer is awaited (StallDetector).
  void look(Instant now) { stalls_.look(now); }
  /// The last sign of life of watched peer `id` came at `at`.
  void heard(PeerId id, Instant at);

  struct Lost {
    PeerId id;
    std::string how;  ///< "it has said nothing for 61 s"
  };
  struct Judgement {
    std::vector<Lost> lost = {};
    std::optional<std::string> word = {};  ///< a message to the user, after 10 s, 20 s, 40 s, ... of a wait
    Instant look_again = Instant::max();   ///< the first instant at which another awaited peer may be lost
  };
  /// Returns for how much longer a peer is away now (topology.availability); 0 if it is there.
  using AwayFor = std::function<Duration(PeerId)>;
  /// Judges a wait for the messages of `awaited` in `iteration`, which began at `since`.
  Judgement judge(
      Instant now, Instant since, std::uint64_t iteration, const std::vector<PeerId>& awaited,
      const AwayFor& away_for = [](PeerId) { return Duration{0}; });
  /// How long this peer has listened in vain: the time since the wait began (`since`), since the last sign of
  /// life (`last`), or since this process listens again, whichever is shortest.
  Duration silence(Instant now, Instant since, Instant last) const;

 private:
  struct Watched {
    WatchedPeer peer;
    ArrivalDeadline deadline;
    Instant last{};
  };
  static PeerId id_of(const Watched& watched) { return watched.peer.id; }
  static constexpr Duration first_word_after = std::chrono::seconds(10);

  Watched& of(PeerId id);

  PeerId self_;
  Duration heartbeat_;
  AfterSilence then_;
  StallDetector stalls_;
  std::vector<Watched> watched_;
  Instant spoken_since_{};                 // when the wait began that the last messages were about
  Duration next_word_ = first_word_after;  // how long that wait lasts when the next message is due
};

}  // namespace hearsay
