#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "algorithms/objectives/objective.hpp"

namespace hearsay {

/// An objective that is a function of the seed, and is drawn by the process that trains with it
/// (`get_ready`), not by the one that made the problem. A process that only evaluates it draws it for each
/// question and forgets it again, unless it is small: so the objectives of all peers take the memory of one.
template <class Scalar>
class DrawnObjective final : public Objective<Scalar> {
 public:
  using Drawn = std::unique_ptr<const Objective<Scalar>>;

  /// `draw` returns the objective; it has the given layers and number of samples. `is_small`: whoever draws
  /// it keeps it.
  DrawnObjective(SegmentTable layers, Index sample_count, bool is_small, std::function<Drawn()> draw)
      : layers_(std::move(layers)),
        sample_count_(sample_count),
        is_small_(is_small),
        draw_(std::move(draw)) {}
  ~DrawnObjective() override { delete kept_.load(); }
  DrawnObjective(const DrawnObjective&) = delete;
  DrawnObjective& operator=(const DrawnObjective&) = delete;

  Index dimension() const override { return layers_.back().end(); }
  Index sample_count() const override { return sample_count_; }
  SegmentTable segments() const override { return layers_; }
  double loss(const Vector<Scalar>& x) const override {
    return ask([&](const Objective<Scalar>& drawn) { return drawn.loss(x); });
  }
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override {
    ask([&](const Objective<Scalar>& drawn) { drawn.gradient(x, samples, gradient); });
  }
  void get_ready() const override {
    if (!kept_.load(std::memory_order_acquire)) keep(draw_());
  }

 private:
  /// Two threads that draw at the same time draw the same; one of them keeps it.
  void keep(Drawn drawn) const {
    const Objective<Scalar>* none = nullptr;
    if (kept_.compare_exchange_strong(none, drawn.get(), std::memory_order_acq_rel)) drawn.release();
  }

  template <class Question>
  auto ask(Question question) const {
    if (is_small_) get_ready();
    if (const Objective<Scalar>* const kept = kept_.load(std::memory_order_acquire)) return question(*kept);
    return question(*draw_());
  }

  SegmentTable layers_;
  Index sample_count_;
  bool is_small_;
  std::function<Drawn()> draw_;
  mutable std::atomic<const Objective<Scalar>*> kept_{nullptr};
};

}  // namespace hearsay
