#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/methods/parts/kept_gradients.hpp"
#include "algorithms/methods/parts/low_rank.hpp"
#include "algorithms/methods/parts/principal_directions.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// A basis that a method learns in the course of a run, and the coordinates of vectors in it: P, r
/// orthonormal rows in R^d, the leading right singular vectors of kept gradients. If these span less, the
/// last rows are 0.
///
///     r = min(algorithm.rank, the number of gradients kept, d)
template <class Scalar>
class LearnedBasis {
 public:
  explicit LearnedBasis(const MethodInput<Scalar>& input)
      : dimension_(input.initial.size()),
        rank_(static_cast<Index>(std::min(
            {input.options[option::rank],
             KeptGradients<Scalar>::count_after(input.options[option::dense_rounds], input.worker_count),
             static_cast<std::uint64_t>(dimension_)}))) {}

  /// r
  std::size_t rank() const { return static_cast<std::size_t>(rank_); }
  /// r d
  Index size() const { return rank_ * dimension_; }
  bool is_known() const { return rows_.size() == size(); }
  /// True if the state that a visitor has written is empty, or a basis.
  bool is_sound() const { return rows_.size() == 0 || is_known(); }

  /// P, row by row; empty until it is known.
  const Vector<Scalar>& rows() const { return rows_; }
  std::span<Scalar> all() { return view(rows_); }
  /// Makes room for a basis that comes from another peer, and returns it: zeros.
  std::span<Scalar> begin() {
    rows_.setZero(size());
    return all();
  }
  /// P = the r leading right singular vectors of all gradients kept, as rows
  void learn(const KeptGradients<Scalar>& kept) {
    principal_directions<Scalar>(kept.all(), static_cast<std::size_t>(dimension_), begin());
  }

  /// z = P p;  p <- p - P' z
  CodecStatus take_out(Vector<Scalar>& p, std::span<Scalar> z) const {
    times<Scalar>(view(rows_), view(std::as_const(p)), z);
    add_decoded(-1, z, p);
    return all_finite<Scalar>(std::span<const Scalar>(z)) ? CodecStatus::ok : CodecStatus::not_finite;
  }
  /// into <- into + factor P' z
  void add_decoded(Scalar factor, std::span<const Scalar> z, Vector<Scalar>& into) const {
    for (std::size_t k = 0; k < z.size(); ++k)
      into += factor * z[k] * rows_.segment(static_cast<Index>(k) * dimension_, dimension_);
  }

  void visit(StateVisitor<Scalar>& visitor) { visitor.late_state("basis", rows_); }

 private:
  Index dimension_;
  Index rank_;
  Vector<Scalar> rows_;
};

}  // namespace hearsay
