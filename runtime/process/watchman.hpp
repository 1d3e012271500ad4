#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/record/run_control.hpp"
#include "runtime/session/silence_watch.hpp"
#include "runtime/zmq/peer_sockets.hpp"

namespace hearsay {

/// Knows since when a peer waits, and who of those that it waits for, the observer included, is silent
/// for too long. What becomes of the run then is the driver's affair.
class Watchman {
 public:
  Watchman(SilenceWatch watch, Duration lost_after, const PeerSockets& sockets, const RunControl& control)
      : watch_(std::move(watch)), lost_after_(lost_after), sockets_(sockets), control_(control) {}

  /// To be called several times a second, also while nobody is waited for.
  void look(Instant now) { watch_.look(now); }

  void begin_wait(Instant now) { waits_since_ = now; }
  Instant waits_since() const { return waits_since_; }
  bool has_waited_too_long(Instant now) const { return now - waits_since_ > lost_after_; }
  /// By then somebody may be lost.
  Instant look_again() const { return look_again_; }

  /// Of the peers that are waited for in `iteration`.
  SilenceWatch::Judgement judge(Instant now, std::uint64_t iteration, const std::vector<PeerId>& awaited);
  /// Whether a destination has let this peer wait for longer than it may.
  bool is_lost(PeerId destination, Instant now) const;

  /// How the observer was lost, if it just was.
  std::optional<std::string> lost_observer(Instant now) const;
  /// Whether a lost observer is heard again.
  bool hears_observer(Instant now) const;
  /// The run goes on without the observer, or with it again.
  void go_on(bool observed) { unobserved_ = !observed; }
  bool unobserved() const { return unobserved_; }

 private:
  SilenceWatch watch_;
  Duration lost_after_;
  const PeerSockets& sockets_;
  const RunControl& control_;
  Instant waits_since_{};
  Instant look_again_ = Instant::max();
  bool unobserved_ = false;
};

}  // namespace hearsay
