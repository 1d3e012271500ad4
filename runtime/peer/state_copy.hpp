#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// A copy of all that a method owns between two iterations, scratch excepted. Another method of the same kind
/// and dimension can go on from it, if no vector of it is of a certain other peer: so it is for methods
/// without replicas.
template <class Scalar>
class StateCopy {
 public:
  /// Copies the state of `method` after iteration `completed`, into the memory that it has.
  void take(Algorithm<Scalar>& method, std::uint64_t completed);
  /// Writes it into `method`, to go on after iteration `completed`, as it was taken.
  void give(Algorithm<Scalar>& method, std::uint64_t completed);

 private:
  struct Visitor;

  std::uint64_t completed_ = 0;  // 0: it was not taken
  // Each in the order in which the method names them.
  std::vector<Vector<Scalar>> vectors_;
  std::vector<std::vector<std::uint64_t>> numbers_;
  std::vector<std::vector<std::byte>> bytes_;
};

}  // namespace hearsay
