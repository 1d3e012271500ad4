#pragma once

#include <limits>

#include "runtime/network/compute_time.hpp"
#include "runtime/zmq/clock.hpp"

namespace hearsay {

/// How long a peer's gradients take: the emulated time, if network.compute gives one, else the measured time.
class GradientPace {
 public:
  GradientPace(const ComputeTime& emulated, std::uint64_t seed, PeerId id)
      : emulated_(emulated), seed_(seed), id_(id) {}

  /// True if the next gradient takes long enough to be computed in the second thread. `work`: how many
  /// minibatch gradients it is worth.
  bool is_long(double work) const {
    return emulated_.kind != ComputeTime::Kind::measured || takes_s_ * work >= seconds(background_from);
  }
  /// Computes a gradient that has begun at `begin`, then sleeps until its emulated time is over.
  template <class Compute>
  void run(Instant begin, double work, const Compute& compute) {
    compute();
    takes_s_ = seconds(monotonic_now() - begin) / work;
    const Duration takes = compute_time(emulated_, seed_, id_, gradients_++, work, Duration{0});
    if (takes > Duration{0}) sleep_until(begin + takes);
    ended_ = monotonic_now();
  }
  /// When the last gradient ended.
  Instant ended() const { return ended_; }
  /// The peer goes on after so many gradients: the next draw of an emulated time is that of this number.
  void resume_at(std::uint64_t gradients) { gradients_ = gradients; }

 private:
  /// A shorter gradient, judged by the last one, is computed in the peer's own thread: a switch of threads
  /// takes about this long.
  static constexpr Duration background_from = std::chrono::microseconds(50);

  const ComputeTime& emulated_;
  std::uint64_t seed_;
  PeerId id_;
  std::uint64_t gradients_ = 0;
  /// Seconds that the last gradient took, per minibatch; infinite before the first one.
  double takes_s_ = std::numeric_limits<double>::infinity();
  Instant ended_{};
};

}  // namespace hearsay
