#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/session/peer_session.hpp"
#include "runtime/session/silence_watch.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// A participant's failure detector: knows since when the peer waits, and which of the awaited neighbors, or
/// the observer, is silent for too long. The participant decides what becomes of the run then. Pure.
class FailureDetector {
 public:
  /// `session` hears the signs of life. It must outlive this object.
  FailureDetector(SilenceWatch watch, Duration lost_after, const PeerSession& session)
      : watch_(std::move(watch)), lost_after_(lost_after), session_(session) {}

  /// Call this several times a second, also while no peer is awaited.
  void look(Instant now) { watch_.look(now); }

  /// The peer begins to wait: silences count from `now` on.
  void begin_wait(Instant now) {
    ensure(waits_since_ <= now, "a wait begins after the one before");
    waits_since_ = now;
  }
  Instant waits_since() const { return waits_since_; }
  bool has_waited_too_long(Instant now) const { return now - waits_since_ > lost_after_; }
  /// The first instant at which one of the awaited peers may be lost, as of the last `judge`.
  Instant look_again() const { return look_again_; }

  /// Judges the current wait for the messages of `awaited` in `iteration` (SilenceWatch::judge).
  SilenceWatch::Judgement judge(Instant now, std::uint64_t iteration, const std::vector<PeerId>& awaited,
                                const SilenceWatch::AwayFor& away_for);
  /// True if `destination` was silent for longer than failure.lost_after during the current wait.
  bool is_lost(PeerId destination, Instant now) const {
    return now - std::max(waits_since_, session_.last_heard_from(destination)) > lost_after_;
  }

  /// True if `source` was silent for longer than failure.lost_after, whether this peer waits for it or not.
  bool is_silent(PeerId source, Instant now) const {
    return watch_.silence(now, Instant{}, session_.last_heard_from(source)) > lost_after_;
  }

  /// The process of the observer is known to have ended.
  void note_end_of_observer() { observer_is_gone_ = true; }
  bool observer_is_gone() const { return observer_is_gone_; }
  /// How the observer was lost, in a sentence; empty if it is not lost, or the peer goes on without it
  /// already.
  std::optional<std::string> lost_observer(Instant now) const;
  /// True if the observer was heard within failure.lost_after, and its process is not known to be gone.
  bool hears_observer(Instant now) const {
    return !observer_is_gone_ && now - session_.last_heard_from_observer() <= lost_after_;
  }
  /// From now on the run goes on with (`observed`) or without the observer.
  void set_observed(bool observed) {
    ensure(observed == unobserved_, "an observer is lost, and heard again, in turn");
    unobserved_ = !observed;
  }
  bool unobserved() const { return unobserved_; }

 private:
  SilenceWatch watch_;
  Duration lost_after_;
  const PeerSession& session_;
  Instant waits_since_{};
  Instant look_again_ = Instant::max();
  bool observer_is_gone_ = false;
  bool unobserved_ = false;
};

}  // namespace hearsay
