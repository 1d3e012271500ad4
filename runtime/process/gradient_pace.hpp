#pragma once

#include <limits>

#include "runtime/network/compute_time.hpp"
#include "runtime/zmq/clock.hpp"

namespace hearsay {

/// How long a peer's gradients take: as long as the run's network says, if it says so, else as long as
/// they do.
class GradientPace {
 public:
  GradientPace(const ComputeTime& emulated, std::uint64_t seed, PeerId id)
      : emulated_(emulated), seed_(seed), id_(id) {}

  /// Whether the next gradient, worth `work` gradients of a minibatch, takes long enough for a thread of
  /// its own.
  bool is_long(double work) const {
    return emulated_.kind != ComputeTime::Kind::measured || takes_s_ * work >= seconds(worth_a_thread);
  }
  /// Computes one that begins now, and waits for as long as it is to take.
  template <class Compute>
  void run(Instant begin, double work, const Compute& compute) {
    compute();
    takes_s_ = seconds(monotonic_now() - begin) / work;
    const Duration takes = compute_time(emulated_, seed_, id_, gradients_++, work, Duration{0});
    if (takes > Duration{0}) sleep_until(begin + takes);
    ended_ = monotonic_now();
  }
  /// When the last one ended.
  Instant ended() const { return ended_; }
  /// The peer has computed so many.
  void resume_at(std::uint64_t gradients) { gradients_ = gradients; }

 private:
  /// A gradient that will take less, as the last one says, is computed where the sockets are served: two
  /// threads need as long to change places.
  static constexpr Duration worth_a_thread = std::chrono::microseconds(50);

  const ComputeTime& emulated_;
  std::uint64_t seed_;
  PeerId id_;
  std::uint64_t gradients_ = 0;
  /// For the gradient of one minibatch; not known yet.
  double takes_s_ = std::numeric_limits<double>::infinity();
  Instant ended_{};
};

}  // namespace hearsay
