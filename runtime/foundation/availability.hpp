#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <vector>

#include "runtime/foundation/units.hpp"

namespace hearsay {

/// When a peer is there, and how slow it computes meanwhile, over the time since the start of the run. It
/// repeats after a period. An absent peer is like a laptop that sleeps: its gradients stand still, nothing
/// leaves its port, and what has arrived waits until it is back. A value type; copies share the stretches.
class Availability {
 public:
  /// The peer is there from `begin` on, and no longer at `end`. Both are times within a period.
  struct Stretch {
    Duration begin;
    Duration end;
    double slowdown = 1.0;  ///< a gradient takes so many times as long
    bool operator==(const Stretch&) const = default;
  };

  /// Always there, and never slowed down: `unlimited()` is true.
  Availability() = default;
  /// There is at least one stretch. They ascend and do not overlap, each longer than 0, within `period`, with
  /// a slowdown above 0.
  Availability(std::vector<Stretch> stretches, Duration period);

  bool unlimited() const { return !content_; }
  /// Neighboring stretches that touch differ in their slowdown. Empty if unlimited.
  std::span<const Stretch> stretches() const;
  /// Returns the time after which it repeats; 0 if unlimited.
  Duration period() const;
  /// Returns the share of the time that the peer is there.
  double share() const;

  // Times count from the start of the run. What would take longer than 1e18 ns (some 30 years) takes that.

  /// Returns `at` if the peer is there then; else when it is back.
  Duration from(Duration at) const { return unlimited() ? at : next_presence(at); }
  Instant from(Instant at, Instant start_of_run) const {
    return unlimited() ? at : start_of_run + next_presence(at - start_of_run);
  }
  /// Returns when a gradient is ready that begins at `begin`. It takes `takes` of a peer that is there and
  /// not slowed down: the integral of 1 / slowdown over the time that the peer is there, from `begin` to the
  /// result, is `takes`. The result is rounded to the nearest nanosecond; without slowdowns it is exact. It
  /// is `begin` if `takes` is 0.
  Duration computed(Duration takes, Duration begin) const;
  /// Returns when the peer has been there for `time` since `begin`; `begin` if `time` is 0.
  Duration been_there(Duration time, Duration begin) const;
  /// Returns for how long the peer is there between `begin` and `end`.
  Duration presence(Duration begin, Duration end) const;
  /// Calls visit(from, to) for the times between `begin` and `end` at which the peer is there, in order.
  template <class Visit>
  void visit(Duration begin, Duration end, const Visit& visit) const {
    for (Duration at = from(begin); at < end; at = from(at)) {
      const Duration to = unlimited() ? end : std::min(end, stretch_end(at));
      visit(at, to);
      at = to;
    }
  }

  bool operator==(const Availability& other) const;

 private:
  struct Content;
  Duration next_presence(Duration at) const;
  /// Returns the end of the stretch in which `at` is.
  Duration stretch_end(Duration at) const;

  std::shared_ptr<const Content> content_;
};

}  // namespace hearsay
