#pragma once

#include <algorithm>
#include <limits>

#include "runtime/network/compute_time.hpp"
#include "runtime/settings/link_settings.hpp"
#include "runtime/zmq/clock.hpp"

namespace hearsay {

/// How long a peer's gradients take: the emulated time, if network.compute gives one, else the measured time.
class GradientPace {
 public:
  GradientPace(const RunSettings& settings, PeerId id)
      : emulated_(network_of(settings, id).compute),
        availability_(availability_of(settings, id)),
        seed_(settings.run.seed),
        id_(id) {}

  /// True if the next gradient takes long enough to be computed in the second thread. `work`: how many
  /// minibatch gradients it is worth.
  bool is_long(double work) const {
    return emulated_.kind != ComputeTime::Kind::measured || !availability_.unlimited() ||
           takes_s_ * work >= seconds(background_from);
  }
  /// Computes a gradient that has begun at `begin`, then sleeps until its emulated time is over. If the peer
  /// is not always there, does not sleep: that may take hours, in which the run may end.
  template <class Compute>
  void run(Instant begin, Instant start_of_run, double work, const Compute& compute) {
    compute();
    const Duration took = monotonic_now() - begin;
    takes_s_ = seconds(took) / work;
    const Duration takes = compute_time(emulated_, seed_, id_, gradients_++, work, Duration{0});
    if (!availability_.unlimited()) {
      const Duration at_least = emulated_.kind == ComputeTime::Kind::measured ? took : takes;
      ended_ =
          std::max(monotonic_now(), start_of_run + availability_.computed(at_least, begin - start_of_run));
      return;
    }
    if (takes > Duration{0}) sleep_until(begin + takes);
    ended_ = monotonic_now();
  }
  /// When the last gradient ends: in the future, perhaps, if the peer is not always there.
  Instant ended() const { return ended_; }
  /// The last gradient ends now, whatever is left of its emulated time.
  void cut_short(Instant now) { ended_ = std::min(ended_, now); }
  /// The peer goes on after so many gradients: the next draw of an emulated time is that of this number.
  void resume_at(std::uint64_t gradients) { gradients_ = gradients; }

 private:
  /// A shorter gradient, judged by the last one, is computed in the peer's own thread: a switch of threads
  /// takes about this long.
  static constexpr Duration background_from = std::chrono::microseconds(50);

  const ComputeTime& emulated_;
  Availability availability_;
  std::uint64_t seed_;
  PeerId id_;
  std::uint64_t gradients_ = 0;
  /// Seconds that the last gradient took, per minibatch; infinite before the first one.
  double takes_s_ = std::numeric_limits<double>::infinity();
  Instant ended_{};
};

}  // namespace hearsay
