#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

// Products of a layer's matrix M (row-major) with columns, for methods that exchange M in a few directions.
// Their sums have one order on every machine.

/// result = M q, q with an entry per column of M, result with one per row.
template <class Scalar>
void times(std::span<const Scalar> matrix, std::span<const Scalar> q, std::span<Scalar> result);

/// result = M' p, p with an entry per row of M, result with one per column.
template <class Scalar>
void transposed_times(std::span<const Scalar> matrix, std::span<const Scalar> p, std::span<Scalar> result);

/// M <- M + factor p q'
template <class Scalar>
void add_product(Scalar factor, std::span<const Scalar> p, std::span<const Scalar> q,
                 std::span<Scalar> matrix);

/// Makes the `rank` columns orthonormal, one after the other, by Gram-Schmidt with sums in double; they are
/// at least as long as they are many. A column that vanishes is replaced by the same column of `before` (none
/// if empty), or else by the first unit vector that is not in the span of the earlier columns.
template <class Scalar>
void orthonormalise(std::span<Scalar> columns, std::span<const Scalar> before, std::size_t rank);

}  // namespace hearsay
