#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "runtime/foundation/availability.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/peer/inbox.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What a peer does for a while. It may do all four at the same time, but each only once at a time: two
/// messages are sent one after the other.
enum class ActivityKind : std::uint32_t {
  computes,  ///< a gradient
  waits,     ///< for a message or a verdict
  sends,     ///< its port sends a message
  receives,  ///< its port receives a message
};

/// Something that a peer did, from `begin` on.
struct Activity {
  static constexpr PeerId nobody = std::numeric_limits<PeerId>::max();

  ActivityKind kind;
  PeerId peer;
  PeerId other = nobody;   ///< whom it waited for, sent to or received from
  std::uint32_t slot = 0;  ///< of the message
  std::uint64_t iteration = 0;
  std::uint64_t bytes = 0;  ///< header and payload of the message
  Duration begin{0};        ///< since the start of the run
  Duration takes{0};        ///< 0 for a message over a port without limits
  bool operator==(const Activity&) const = default;
};

/// What all peers of a run did, and when: at most so many activities, in memory that the processes of a run
/// share with the process that forked them. Writing takes no lock; what a killed peer wrote is kept.
class Timeline {
 public:
  static constexpr std::size_t most_activities = 300'000;

  /// Reserves the memory; a page of it is used once something is written there.
  explicit Timeline(std::size_t most = most_activities);
  ~Timeline();
  Timeline(const Timeline&) = delete;
  Timeline& operator=(const Timeline&) = delete;

  /// Does nothing if the timeline is full.
  void add(const Activity& activity);

  /// Returns the activities, sorted by peer, kind and begin.
  std::vector<Activity> activities() const;
  /// True if there were more activities than the timeline takes.
  bool is_cut() const;
  std::size_t most() const { return most_; }

 private:
  struct Place;
  struct Shared;

  std::size_t most_;
  Shared* shared_;
  Place* places_;
};

/// Writes what one peer does into a timeline. Without one, every function returns at once.
class PeerTimeline {
 public:
  PeerTimeline(Timeline* timeline, PeerId peer) : timeline_(timeline), peer_(peer) {}

  /// `origin`: the beginning of the run's time.
  void start(Instant origin) { origin_ = origin; }

  /// A gradient stands still while the peer is away.
  void computes(Instant begin, Instant end, std::uint64_t iteration, const Availability& availability);
  /// The port is through with the message at `end`, counted from the start of the run.
  void sends(const MessageKey& key, PeerId to, std::uint64_t bytes, Instant end, Duration takes) {
    if (timeline_)
      add({ActivityKind::sends, peer_, to, key.slot, key.iteration, bytes, end - Instant{} - takes, takes});
  }
  void receives(const MessageKey& key, std::uint64_t bytes, Instant begin, Instant end) {
    if (timeline_)
      add({ActivityKind::receives, peer_, key.sender, key.slot, key.iteration, bytes, begin - origin_,
           end - begin});
  }

  /// A wait begins: for a message, or else for a verdict.
  void waits(Instant now, std::uint64_t iteration, bool for_message) {
    if (!timeline_) return;
    waiting_since_ = now;
    iteration_ = iteration;
    waits_for_message_ = for_message;
  }
  /// The message of `source`, which the peer has waited for, is there. The peer may wait on, for another one.
  void wait_ended_by(PeerId source, Instant now) {
    if (!timeline_ || !waits_for_message_ || waiting_since_ > now) return;
    add_wait(source, now);
    waiting_since_ = now;
  }
  void wait_ends(Instant now) {
    if (!timeline_) return;
    add_wait(Activity::nobody, now);
    waiting_since_ = no_wait;
  }

 private:
  static constexpr Instant no_wait = Instant::max();

  Timeline* timeline_;
  PeerId peer_;
  Instant origin_{};
  Instant waiting_since_ = no_wait;
  std::uint64_t iteration_ = 0;
  bool waits_for_message_ = false;

  void add(const Activity& activity) { timeline_->add(activity); }
  void add_wait(PeerId source, Instant now) {
    if (waiting_since_ < now)
      add({ActivityKind::waits, peer_, source, 0, iteration_, 0, waiting_since_ - origin_,
           now - waiting_since_});
  }
};

}  // namespace hearsay
