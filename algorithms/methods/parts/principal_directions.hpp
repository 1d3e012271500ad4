#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// Writes the leading right singular vectors of a matrix to `directions`: orthonormal rows, that of the
/// largest singular value first. Returns how many there are; the rows beyond are zero. The matrix has rows of
/// `length` entries, and `directions` at most `length` such rows.
///
///     M M' = U S^2 U';   v_k = M' u_k / s_k,   made orthonormal again
///
/// Of v and -v it is the one whose entry of largest magnitude, the first of several, is positive. Directions
/// of singular values below 1e-6 of the largest are left out: M M' knows nothing of them. There are none if
/// the matrix is zero, or not finite.
///
/// The sums are in double, and the eigenvectors are Eigen's: another machine may give other bits. So one peer
/// computes directions for all. About m^2 length flops for m rows, and m^2 doubles of memory.
template <class Scalar>
std::size_t principal_directions(std::span<const Scalar> matrix, std::size_t length,
                                 std::span<Scalar> directions);

}  // namespace hearsay
