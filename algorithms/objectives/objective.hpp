#pragma once

#include <cstdint>
#include <span>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/objectives/local_score.hpp"

namespace hearsay {

/// The samples of one gradient, and all the randomness that it may use.
struct Minibatch {
  std::span<const Index> samples;
  /// Of all other randomness, such as dropout; below 2^63. Equal for all gradients on one minibatch, and when
  /// a restored peer asks again.
  std::uint64_t seed = 0;
  std::uint64_t iteration = 0;  ///< counted from 1
  double step_size = 0.0;       ///< of this iteration, for information only
};

/// The local objective f_i of one peer over its shard of m_i of the m samples of n peers:
///
///     f_i(x) = (n/m) sum_{s in shard} loss_s(x) + (l2/2) ||x||^2        x in R^d
///
/// so that (1/n) sum_i f_i is the pooled objective for every partition. Implement this class to train your
/// own model. All members are const and callable from several threads at once. A gradient that throws an
/// exception ends the run of processes at all peers, with its text as the reason.
template <class Scalar>
class Objective {
 public:
  virtual ~Objective() = default;

  /// d
  virtual Index dimension() const = 0;
  /// m_i; a minibatch draws from {0, ..., m_i - 1}
  virtual Index sample_count() const = 0;
  /// False for a peer that has no objective: a hub without data.
  virtual bool has_data() const { return true; }
  /// The layers of the model. One segment by default.
  virtual SegmentTable segments() const { return {{"parameters", 0, dimension()}}; }

  /// f_i(x), over the whole shard, accumulated in double.
  virtual double loss(const Vector<Scalar>& x) const = 0;

  /// Sets `gradient` to an unbiased estimate of grad f_i(x) from the local samples `samples`, in which a
  /// sample may occur twice:
  ///     (n m_i / m) mean_{s in samples} grad loss_s(x) + l2 x
  /// If `samples` is 0, ..., m_i - 1, the estimate is the full local gradient. If `samples` is empty, it is
  /// the gradient of the regularizer. `gradient` already has size d; every entry is overwritten.
  virtual void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                        Vector<Scalar>& gradient) const = 0;

  /// The same for objectives that are random beside the choice of samples. By default the seed is not used.
  virtual void minibatch_gradient(const Vector<Scalar>& x, const Minibatch& minibatch,
                                  Vector<Scalar>& gradient) const {
    this->gradient(x, minibatch.samples, gradient);
  }

  /// Returns f_i(x) and, if this peer has samples of its own to judge, how many of them x classifies
  /// correctly.
  virtual LocalScore score(const Vector<Scalar>& x) const {
    return {.loss = loss(x), .samples = static_cast<std::uint64_t>(sample_count()), .has_data = has_data()};
  }

  /// This process is about to train with this objective: what the gradients need may be made now, before
  /// anybody waits for one. Does nothing by default.
  virtual void get_ready() const {}

  /// The run has ended, and `x` is the final model of this peer. Does nothing by default.
  virtual void take_final_model(const Vector<Scalar>& x) const { static_cast<void>(x); }
};

}  // namespace hearsay
