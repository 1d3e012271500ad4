#pragma once

#include <string_view>
#include <vector>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// The vectors that make up a state, one behind the other: to send a state, or to replace it.
template <class Scalar>
class StateVectors final : public StateVisitor<Scalar> {
 public:
  void state(std::string_view, Vector<Scalar>& vector) override { vectors_.push_back(&vector); }
  void published(std::string_view, Vector<Scalar>& vector) override { vectors_.push_back(&vector); }
  void replica(std::string_view, PeerId, Vector<Scalar>& vector) override { vectors_.push_back(&vector); }
  void scratch(std::string_view, Vector<Scalar>&) override {}

  /// The number of scalars.
  Index size() const {
    Index total = 0;
    for (const Vector<Scalar>* vector : vectors_) total += vector->size();
    return total;
  }

  /// Writes the state to the last scalars of `into`.
  void copy_to_end_of(Vector<Scalar>& into) const {
    Index at = into.size() - size();
    for (const Vector<Scalar>* vector : vectors_) {
      into.segment(at, vector->size()) = *vector;
      at += vector->size();
    }
  }

  /// Sets the state to `factor` times the last scalars of `from`.
  void take_from_end_of(const Vector<Scalar>& from, Scalar factor) {
    Index at = from.size() - size();
    for (Vector<Scalar>* vector : vectors_) {
      *vector = factor * from.segment(at, vector->size());
      at += vector->size();
    }
  }

 private:
  std::vector<Vector<Scalar>*> vectors_;
};

}  // namespace hearsay
