#pragma once

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

// Products of matrices with the widest vectors of the machine, chosen at run time. Each entry is summed in an
// order that depends on the shapes alone, and products are rounded before they are added. So every machine
// gives the same bits. One thread.

template <class Scalar>
using MatrixIn = Eigen::Ref<const DenseRows<Scalar>>;
template <class Scalar>
using MatrixOut = Eigen::Ref<DenseRows<Scalar>>;

/// c += a b, with a of m x k, b of k x n. An entry of c gains the sums of 256 products each, in order.
void add_product(const MatrixIn<float>& a, const MatrixIn<float>& b, MatrixOut<float> c);
void add_product(const MatrixIn<double>& a, const MatrixIn<double>& b, MatrixOut<double> c);

/// c += a^T b, with a of k x m, b of k x n. The order is that of `add_product`.
void add_transpose_product(const MatrixIn<float>& a, const MatrixIn<float>& b, MatrixOut<float> c);
void add_transpose_product(const MatrixIn<double>& a, const MatrixIn<double>& b, MatrixOut<double> c);

/// c += a b^T, with a of m x k, b of n x k. An entry of c gains a sum in lanes of 64 bytes (16 floats, 8
/// doubles): lane l adds up the products l, l + 16, l + 32, ..., and the lanes are folded in halves.
void add_product_with_transpose(const MatrixIn<float>& a, const MatrixIn<float>& b, MatrixOut<float> c);
void add_product_with_transpose(const MatrixIn<double>& a, const MatrixIn<double>& b, MatrixOut<double> c);

}  // namespace hearsay
