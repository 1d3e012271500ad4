#include "runtime/network/ring_time.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

// Times are whole nanoseconds in a double: exact up to 104 days, and never too long.

/// Links beside each other that a chain passes.
struct Stretch {
  double once = 0.0;     ///< the time of one message over each of them
  double busiest = 0.0;  ///< the largest `busy`
  double links = 0.0;

  Stretch with(const RingLink& link) const {
    const auto busy = static_cast<double>(link.busy.count());
    return {once + static_cast<double>(link.latency.count()) + busy, std::max(busiest, busy), links + 1.0};
  }
  /// The time of a chain that passes these links and spends the other steps on the busiest.
  double time(double steps) const { return once + (steps - links) * busiest; }
};

/// Stretches of growing length that begin at one place, and the best of them to add to a busier stretch on
/// the other side of the place: each of their links takes the chain a step on the busiest one.
class Additions {
 public:
  void add(const Stretch& longer) {
    while (best_.size() > 1 && equal_step(best_.back(), longer) >= equal_step(before_last(), best_.back()))
      best_.pop_back();
    best_.push_back(longer);
  }
  /// Returns the most that an addition gains if the busiest link takes `step`. Steps must not become shorter
  /// from call to call: with a longer step, a shorter addition is the best.
  double gain(double step) {
    while (best_.size() > 1 && gain_of(before_last(), step) >= gain_of(best_.back(), step)) best_.pop_back();
    return gain_of(best_.back(), step);
  }

 private:
  static double gain_of(const Stretch& stretch, double step) { return stretch.once - stretch.links * step; }
  /// Returns the step with which both gain the same; the longer one gains more with a shorter step.
  static double equal_step(const Stretch& shorter, const Stretch& longer) {
    return (longer.once - shorter.once) / (longer.links - shorter.links);
  }
  const Stretch& before_last() const { return best_[best_.size() - 2]; }

  std::vector<Stretch> best_ = {Stretch{}};  // each is the best with some step, the last with the shortest
};

/// The slowest chain over links of both sides of a place, whose busiest link is on the side of `busier`.
double slowest_across(const std::vector<Stretch>& busier, const std::vector<Stretch>& others, double steps) {
  Additions additions;
  auto other = others.begin();
  double slowest = 0.0;
  for (const Stretch& stretch : busier) {
    for (; other != others.end() && other->busiest <= stretch.busiest; ++other) additions.add(*other);
    slowest = std::max(slowest, stretch.time(steps) + additions.gain(stretch.busiest));
  }
  return slowest;
}

/// Returns the stretches that begin with the first link.
template <class Links>
std::vector<Stretch> growing(Links first, Links end) {
  std::vector<Stretch> stretches;
  Stretch stretch;
  for (Links link = first; link != end; ++link) stretches.push_back(stretch = stretch.with(*link));
  return stretches;
}

/// The slowest chain over links of an open line: within its halves, or across the middle.
double slowest_on_line(std::span<const RingLink> links, double steps) {
  if (links.size() == 1) return Stretch{}.with(links.front()).time(steps);
  const std::span left = links.first(links.size() / 2);
  const std::span right = links.subspan(links.size() / 2);
  const std::vector<Stretch> leftwards = growing(left.rbegin(), left.rend());
  const std::vector<Stretch> rightwards = growing(right.begin(), right.end());
  return std::max({slowest_on_line(left, steps), slowest_on_line(right, steps),
                   slowest_across(leftwards, rightwards, steps),
                   slowest_across(rightwards, leftwards, steps)});
}

/// The slowest chain that passes the first link, the busiest of all, and perhaps goes round more than once.
double slowest_over_first(std::span<const RingLink> links, std::uint64_t steps) {
  const auto busiest = static_cast<double>(links.front().busy.count());
  const auto gain = [&](std::size_t link) {
    return static_cast<double>((links[link].latency + links[link].busy).count()) - busiest;
  };
  const std::size_t n = links.size();
  // most_before[k]: the most that up to k links before the first one gain
  std::vector<double> most_before = {0.0};
  double before = 0.0;
  for (std::size_t k = 1; k < steps; ++k) {
    before += gain((n - k % n) % n);
    most_before.push_back(std::max(most_before.back(), before));
  }
  double most = most_before.back();
  double after = 0.0;
  for (std::size_t k = 1; k < steps; ++k) {
    after += gain(k % n);
    most = std::max(most, after + most_before[steps - 1 - k]);
  }
  return static_cast<double>(steps) * busiest + static_cast<double>(links.front().latency.count()) + most;
}

}  // namespace

double ring_seconds(std::span<const RingLink> links, std::uint64_t steps) {
  ensure(links.size() >= 2 && steps >= links.size(), "every link of a ring is passed in as many steps");
  std::vector<RingLink> ring(links.begin(), links.end());
  std::rotate(ring.begin(), std::ranges::max_element(ring, {}, &RingLink::busy), ring.end());
  const std::span<const RingLink> all(ring);
  return 1e-9 * std::max(slowest_over_first(all, steps),
                         slowest_on_line(all.subspan(1), static_cast<double>(steps)));
}

}  // namespace hearsay
