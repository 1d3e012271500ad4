#pragma once

#include <span>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

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
};

}  // namespace hearsay
