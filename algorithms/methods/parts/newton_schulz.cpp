#include "algorithms/methods/parts/newton_schulz.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/arithmetic/reductions.hpp"

namespace hearsay {

namespace {

constexpr double a = 3.4445;
constexpr double b = -4.7750;
constexpr double c = 2.0315;

/// into <- left right for row-major matrices, rows x inner and inner x columns. Every entry is summed from
/// the first product to the last.
template <class Scalar>
void multiply(const Scalar* left, const Scalar* right, Scalar* __restrict into, Index rows, Index inner,
              Index columns) {
  for (Index i = 0; i < rows; ++i) {
    const Scalar* factors = left + i * inner;
    Scalar* __restrict sums = into + i * columns;
    std::fill_n(sums, columns, Scalar(0));
    Index k = 0;
    // Four products at a time: the sums are read and written a quarter as often.
    for (; k + 4 <= inner; k += 4) {
      const Scalar *first = right + k * columns, *second = first + columns, *third = second + columns,
                   *fourth = third + columns;
      for (Index j = 0; j < columns; ++j)
        sums[j] =
            (((sums[j] + factors[k] * first[j]) + factors[k + 1] * second[j]) + factors[k + 2] * third[j]) +
            factors[k + 3] * fourth[j];
    }
    for (; k < inner; ++k)
      for (Index j = 0; j < columns; ++j) sums[j] += factors[k] * right[k * columns + j];
  }
}

/// into <- from', from: rows x columns, row-major.
template <class Scalar>
void transpose(const Scalar* from, Scalar* into, Index rows, Index columns) {
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) into[j * rows + i] = from[i * columns + j];
}

}  // namespace

template <class Scalar>
NewtonSchulz<Scalar>::NewtonSchulz(std::uint64_t iterations, const SegmentTable& shapes)
    : iterations_(iterations) {
  Index largest = 0;
  Index square = 0;
  for (const Segment& shape : shapes) {
    const Index shorter = std::min(shape.rows, shape.columns);
    largest = std::max(largest, shape.size());
    square = std::max(square, shorter * shorter);
  }
  x_.resize(largest);
  transposed_.resize(largest);
  next_.resize(largest);
  gram_.resize(square);
  polynomial_.resize(square);
}

template <class Scalar>
void NewtonSchulz<Scalar>::orthogonalise(std::span<Scalar> matrix, const Segment& shape) {
  const double norm = std::sqrt(squared_norm<Scalar>(matrix));
  if (norm == 0.0) return;
  for (Scalar& entry : matrix) entry = static_cast<Scalar>(static_cast<double>(entry) / norm);
  const bool tall = shape.rows > shape.columns;
  const Index rows = std::min(shape.rows, shape.columns);
  const Index columns = std::max(shape.rows, shape.columns);
  const Index size = rows * columns;
  if (tall)
    transpose(matrix.data(), x_.data(), shape.rows, shape.columns);
  else
    std::ranges::copy(matrix, x_.data());

  for (std::uint64_t k = 0; k < iterations_; ++k) {
    // A = X X';   b A + c A A
    transpose(x_.data(), transposed_.data(), rows, columns);
    multiply(x_.data(), transposed_.data(), gram_.data(), rows, columns, rows);
    multiply(gram_.data(), gram_.data(), polynomial_.data(), rows, rows, rows);
    polynomial_.head(rows * rows) = static_cast<Scalar>(b) * gram_.head(rows * rows) +
                                    static_cast<Scalar>(c) * polynomial_.head(rows * rows);
    // X <- a X + (b A + c A A) X
    multiply(polynomial_.data(), x_.data(), next_.data(), rows, rows, columns);
    x_.head(size) = static_cast<Scalar>(a) * x_.head(size) + next_.head(size);
  }

  if (tall)
    transpose(x_.data(), matrix.data(), rows, columns);
  else
    std::copy_n(x_.data(), size, matrix.data());
}

template <class Scalar>
void NewtonSchulz<Scalar>::visit(StateVisitor<Scalar>& visitor) {
  visitor.scratch("matrix", x_);
  visitor.scratch("matrix, transposed", transposed_);
  visitor.scratch("next matrix", next_);
  visitor.scratch("Gram matrix", gram_);
  visitor.scratch("polynomial of the Gram matrix", polynomial_);
}

template class NewtonSchulz<float>;
template class NewtonSchulz<double>;

}  // namespace hearsay
