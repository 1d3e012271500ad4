#pragma once

#include <cstdint>
#include <string_view>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// What compression has left out of a peer's messages, and later ones make up for: e in R^d, 0 at first.
///
/// e is a gradient, but what is owed is a part of a step. So where eta has changed since the peer last spoke,
/// in iteration t',
///
///     e <- e eta_{t'} / eta_t            (in an iteration with eta_t = 0, in which nothing moves, e stays)
template <class Scalar>
class OwedError {
 public:
  explicit OwedError(Index dimension) : error_(Vector<Scalar>::Zero(dimension)) {}

  /// Returns e, in units of this iteration's step.
  Vector<Scalar>& in(const Iteration<Scalar>& it) {
    if (it.step_size() == 0) return error_;
    if (spoke_in_ != 0 && it.step_size_of(spoke_in_) != it.step_size())
      error_ *= it.step_size_of(spoke_in_) / it.step_size();
    spoke_in_ = it.number();
    return error_;
  }

  void visit(StateVisitor<Scalar>& visitor, std::string_view name = "error") {
    visitor.state(name, error_);
    visitor.numbers(name, {&spoke_in_, 1});
  }

 private:
  Vector<Scalar> error_;        // e
  std::uint64_t spoke_in_ = 0;  // t'; 0: never
};

}  // namespace hearsay
