#pragma once

#include <algorithm>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The memory of SAGA at one peer: the newest gradient of every local sample, m_i x d, and their mean. In a
/// method:
///
///     co_await table_.estimate(it, x_, estimate_);
template <class Scalar>
class GradientTable {
 public:
  class Estimate;
  /// co_await table_.estimate(it, x, into): `into` becomes the mean of the table + (1/|xi|) sum over the
  /// minibatch xi of (gradient at x - its entry in the table). Then the gradients take the entries' places.
  /// The first estimate fills the table before. The peer has samples.
  Estimate estimate(Iteration<Scalar>& it, const Vector<Scalar>& x, Vector<Scalar>& into) {
    return {*this, it, x, into};
  }

  void visit(StateVisitor<Scalar>& visitor) {
    visitor.late_state("gradient table", gradients_);
    visitor.late_state("mean gradient", mean_);
  }
  /// True if the state that a visitor has written is empty, or a table for this many samples in R^d.
  bool is_sound(Index samples, Index dimension) const {
    if (empty()) return mean_.size() == 0;
    return mean_.size() == dimension && gradients_.size() == samples * dimension;
  }

 private:
  bool empty() const { return gradients_.size() == 0; }
  /// Sets all gradients and their mean to zero.
  void resize(Index samples, Index dimension) {
    gradients_ = Vector<Scalar>::Zero(samples * dimension);
    mean_ = Vector<Scalar>::Zero(dimension);
  }
  /// Stores `gradient` as the gradient of `sample`. Adds `share` times its change to `estimate`.
  void replace(Index sample, const Vector<Scalar>& gradient, Scalar share, Vector<Scalar>& estimate) {
    auto old = gradients_.segment(sample * mean_.size(), mean_.size());
    estimate += share * (gradient - old);
    mean_ += (gradient - old) / static_cast<Scalar>(gradients_.size() / mean_.size());
    old = gradient;
  }

  Vector<Scalar> gradients_;
  Vector<Scalar> mean_;
  std::vector<Index> draws_;  // the minibatch of the last estimate, ascending
};

/// The gradients of one estimate, sample after sample.
template <class Scalar>
class GradientTable<Scalar>::Estimate final : public StepsOf<typename GradientTable<Scalar>::Estimate> {
 public:
  Estimate(GradientTable& table, Iteration<Scalar>& it, const Vector<Scalar>& x, Vector<Scalar>& into)
      : table_(table), it_(it), x_(x), into_(into), missing_(table.empty() ? it.sample_count() : 0) {
    if (missing_ > 0)
      table_.resize(it.sample_count(), x.size());
    else
      begin_draws();
  }

  bool has_more() const { return missing_ > 0 || next_ < table_.draws_.size(); }
  bool begin_step() {
    if (missing_ > 0) {
      sample_ = it_.sample_count() - missing_;
    } else {
      const std::vector<Index>& draws = table_.draws_;
      sample_ = draws[next_];
      const std::size_t first = next_;
      while (next_ < draws.size() && draws[next_] == sample_) ++next_;
      share_ = static_cast<Scalar>(next_ - first) / static_cast<Scalar>(draws.size());
    }
    return it_.request_gradient(x_, {&sample_, 1});
  }
  void end_step() {
    table_.replace(sample_, it_.requested_gradient(), share_, into_);
    if (missing_ > 0 && --missing_ == 0) begin_draws();
  }

 private:
  void begin_draws() {
    into_ = table_.mean_;
    table_.draws_.assign(it_.minibatch().begin(), it_.minibatch().end());
    std::ranges::sort(table_.draws_);
  }

  GradientTable& table_;
  Iteration<Scalar>& it_;
  const Vector<Scalar>& x_;
  Vector<Scalar>& into_;
  Index missing_;         // samples whose first gradient is to come
  std::size_t next_ = 0;  // of the draws
  Index sample_ = 0;
  Scalar share_ = 0;  // of the sample in the minibatch
};

}  // namespace hearsay
