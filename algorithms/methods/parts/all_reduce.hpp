#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>

#include "algorithms/methods/parts/doubling_sum.hpp"
#include "algorithms/methods/parts/ring_sum.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The sum of a vector over all peers (algorithm.reduce):
///
///   ring      2(n-1) steps of d/n coordinates each (RingSum): the fewest bytes
///   doubling  log2 n steps of d coordinates each, two more if n is no power of two (DoublingSum): sooner if
///             d is small beside bandwidth times latency
///
/// The sums are equal at all peers, bit for bit; the two ways round differently.
class AllReduce {
 public:
  AllReduce(const std::string& reduce, PeerId self, PeerId peer_count) : way_(RingSum(self, peer_count)) {
    if (reduce == "doubling") way_ = DoublingSum(self, peer_count);
  }

  Slot steps() const {
    return std::visit([](const auto& way) { return way.steps(); }, way_);
  }

  template <class Scalar>
  class Travel;
  /// co_await all_reduce.sum(it, vector): turns the vector into the sum. Each step has a slot, the first one
  /// `first`.
  template <class Scalar>
  Travel<Scalar> sum(Iteration<Scalar>& it, std::span<Scalar> vector, Slot first = 0) const {
    return {way_, it, vector, first};
  }

  /// What this peer sends for a vector of `dimension` scalars of `scalar_bytes` each.
  Traffic traffic(std::uint64_t dimension, std::uint64_t scalar_bytes) const {
    return std::visit([&](const auto& way) { return way.traffic(dimension, scalar_bytes); }, way_);
  }

 private:
  using Way = std::variant<RingSum, DoublingSum>;
  Way way_;
};

/// A sum on its way.
template <class Scalar>
class AllReduce::Travel final : public StepsOf<AllReduce::Travel<Scalar>> {
 public:
  Travel(const Way& way, Iteration<Scalar>& it, std::span<Scalar> vector, Slot first) {
    if (const RingSum* ring = std::get_if<RingSum>(&way))
      ring_.emplace(*ring, it, vector, first);
    else
      doubling_.emplace(*std::get_if<DoublingSum>(&way), it, vector, first);
  }

  bool has_more() const { return ring_ ? ring_->has_more() : doubling_->has_more(); }
  bool begin_step() { return ring_ ? ring_->begin_step() : doubling_->begin_step(); }
  void end_step() { ring_ ? ring_->end_step() : doubling_->end_step(); }

 private:
  std::optional<RingSum::Travel<Scalar>> ring_;  // one of the two
  std::optional<DoublingSum::Travel<Scalar>> doubling_;
};

/// Returns who talks to whom (MethodInfo::pattern_with).
inline const Pattern& reduce_pattern(const MethodOptions& options) {
  return options[option::reduce] == "doubling" ? Pattern::doubling : Pattern::ring;
}

}  // namespace hearsay
