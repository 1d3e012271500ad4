#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

namespace hearsay {

using Index = Eigen::Index;

/// A parameter vector in R^d, or anything of its shape. 64-byte aligned (EIGEN_MAX_ALIGN_BYTES=64 is part of
/// the interface of the library): what a kernel computes must not depend on a vector's address.
template <class Scalar>
using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

/// A matrix, row by row.
template <class Scalar>
using DenseRows = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Scalar>
std::span<const Scalar> view(const Vector<Scalar>& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

template <class Scalar>
std::span<Scalar> view(Vector<Scalar>& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace hearsay
