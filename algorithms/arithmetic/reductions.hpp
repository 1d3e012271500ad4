#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// Reductions over vectors of float or double. They accumulate in double, element i in lane i mod 16, and
/// join the lanes pairwise at the end. So they give the same bits at any address of the vector, and with any
/// vector width of the machine. Overflow and NaN propagate as in any sum.

/// sum_k x_k^2
template <class Scalar>
double squared_norm(std::span<const Scalar> x);

/// sum_k a_k b_k; equal sizes.
template <class Scalar>
double dot(std::span<const Scalar> a, std::span<const Scalar> b);

/// ||a - b||^2, the difference taken in double; equal sizes.
template <class Scalar>
double squared_distance(std::span<const Scalar> a, std::span<const Scalar> b);

/// sum_k w_k (a_k - b_k)^2, all in double; equal sizes.
template <class Scalar>
double weighted_squared_distance(std::span<const Scalar> weights, std::span<const Scalar> a,
                                 std::span<const Scalar> b);

/// sum_k (x_k - center)^2, the difference taken in double.
template <class Scalar>
double squared_deviation(std::span<const Scalar> x, double center);

/// sum_k |x_k|
template <class Scalar>
double norm_1(std::span<const Scalar> x);

/// sum_k x_k
template <class Scalar>
double sum(std::span<const Scalar> x);

/// True if no entry is Inf or NaN.
template <class Scalar>
bool all_finite(std::span<const Scalar> x);

/// The same for the scalars in a message, which may begin at any address.
template <class Scalar>
bool all_finite(std::span<const std::byte> bytes);

}  // namespace hearsay
