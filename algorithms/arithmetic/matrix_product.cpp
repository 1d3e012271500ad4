#include "algorithms/arithmetic/matrix_product.hpp"

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "topology/foundation/ensure.hpp"

// Compile every target that this machine could run, the scalar one included: a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/arithmetic/matrix_product.cpp"
#include <hwy/foreach_target.h>
// This include comes last: foreach_target.h includes all that follows once per target.
#include <hwy/highway.h>

#ifndef HEARSAY_MATRIX_PRODUCT_SHAPES
#define HEARSAY_MATRIX_PRODUCT_SHAPES
namespace hearsay {

/// The entry (i, p) of a matrix stands at data[i * row + p * column].
template <class Scalar>
struct Strided {
  const Scalar* data;
  std::size_t row;
  std::size_t column;

  Strided from(std::size_t i, std::size_t p) const { return {data + i * row + p * column, row, column}; }
};

/// What a kernel is told: c += a b (m x n, over k products), where b and c are row-major.
template <class Scalar>
struct ProductTask {
  Strided<Scalar> a;
  const Scalar* b;
  std::size_t b_stride;
  Scalar* c;
  std::size_t c_stride;
  std::size_t m, n, k;
};

/// How many products are summed before they are added to an entry: their rows of b stay in the cache.
constexpr std::size_t products_in_block = 256;
/// How many rows of b are multiplied with the same few rows of a.
constexpr std::size_t dots_in_block = 64;
/// How much of b is read again for each few rows of c: it stays in the second cache.
constexpr std::size_t bytes_of_b_kept = std::size_t{128} << 10;

}  // namespace hearsay
#endif

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// The lanes of a sum: 64 bytes, which are one vector or several.
template <class Scalar>
constexpr std::size_t lanes_of_sum = 64 / sizeof(Scalar);

template <class Scalar>
using Tag = hn::CappedTag<Scalar, lanes_of_sum<Scalar>>;
template <class Scalar>
using Vec = hn::Vec<Tag<Scalar>>;
template <class Scalar>
constexpr std::size_t width = hn::MaxLanes(Tag<Scalar>());

/// Calls use(integral_constant(count)), 1 <= count <= most.
template <std::size_t most, class Use>
HWY_INLINE void WithConstant(std::size_t count, const Use& use) {
  if constexpr (most > 1)
    if (count < most) return WithConstant<most - 1>(count, use);
  use(std::integral_constant<std::size_t, most>());
}

// c += a b: each vector of c is a sum of rows of b, each times one entry of a.

/// Rows of c that are summed together: their sums, the vectors of b and two more fit into 16 registers.
constexpr std::size_t tile_rows = 6;
constexpr std::size_t tile_vectors = 2;
template <class Scalar>
constexpr std::size_t panel = tile_vectors* width<Scalar>;
/// The same for one row.
constexpr std::size_t line_vectors = 8;

template <std::size_t rows, std::size_t vectors, class Scalar>
HWY_INLINE void AddTile(const Strided<Scalar>& a, const Scalar* HWY_RESTRICT b, std::size_t b_stride,
                        std::size_t count, Scalar* HWY_RESTRICT c, std::size_t c_stride) {
  const Tag<Scalar> tag;
  Vec<Scalar> sums[rows][vectors];
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = hn::Zero(tag);
  const Scalar* HWY_RESTRICT factors = a.data;
  for (std::size_t p = 0; p < count; ++p, b += b_stride, factors += a.column) {
    Vec<Scalar> row[vectors];
    for (std::size_t v = 0; v < vectors; ++v) row[v] = hn::LoadU(tag, b + v * width<Scalar>);
    for (std::size_t r = 0; r < rows; ++r) {
      const auto factor = hn::Set(tag, factors[r * a.row]);
      for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = hn::Add(sums[r][v], hn::Mul(factor, row[v]));
    }
  }
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t v = 0; v < vectors; ++v) {
      Scalar* at = c + r * c_stride + v * width<Scalar>;
      hn::StoreU(hn::Add(hn::LoadU(tag, at), sums[r][v]), tag, at);
    }
}

/// Adds to `rows` rows of c, in whole vectors. `b` begins at the first of these columns.
template <std::size_t rows, class Scalar>
HWY_INLINE void AddRows(const Strided<Scalar>& a, const Scalar* b, std::size_t b_stride, std::size_t count,
                        Scalar* c, std::size_t c_stride, std::size_t columns) {
  std::size_t j = 0;
  if constexpr (rows == 1)
    for (; j + line_vectors * width<Scalar> <= columns; j += line_vectors * width<Scalar>)
      AddTile<1, line_vectors>(a, b + j, b_stride, count, c + j, c_stride);
  for (; j + panel<Scalar> <= columns; j += panel<Scalar>)
    AddTile<rows, tile_vectors>(a, b + j, b_stride, count, c + j, c_stride);
  for (; j < columns; j += width<Scalar>) AddTile<rows, 1>(a, b + j, b_stride, count, c + j, c_stride);
}

/// The columns that fill no vector: they are copied into one, zeros beyond.
template <class Scalar>
void AddLastColumns(const ProductTask<Scalar>& task, const Strided<Scalar>& a, const Scalar* b,
                    std::size_t count, Scalar* c, std::size_t columns) {
  constexpr std::size_t stride = width<Scalar>;
  HWY_ALIGN Scalar rows_of_b[products_in_block * stride] = {};
  HWY_ALIGN Scalar tile[tile_rows * stride] = {};
  for (std::size_t p = 0; p < count; ++p) std::copy_n(b + p * task.b_stride, columns, rows_of_b + p * stride);
  for (std::size_t i = 0; i < task.m; i += tile_rows) {
    const std::size_t rows = std::min(tile_rows, task.m - i);
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(c + (i + r) * task.c_stride, columns, tile + r * stride);
    WithConstant<tile_rows>(rows, [&](auto constant) HWY_ATTR {
      AddTile<decltype(constant)::value, 1, Scalar>(a.from(i, 0), rows_of_b, stride, count, tile, stride);
    });
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(tile + r * stride, columns, c + (i + r) * task.c_stride);
  }
}

template <class Scalar>
void AddProduct(const ProductTask<Scalar>& task) {
  const std::size_t whole = task.n - task.n % width<Scalar>;
  for (std::size_t p = 0; p < task.k; p += products_in_block) {
    const std::size_t count = std::min(products_in_block, task.k - p);
    const Strided<Scalar> a = task.a.from(0, p);
    const Scalar* b = task.b + p * task.b_stride;
    const std::size_t kept =
        std::max(bytes_of_b_kept / sizeof(Scalar) / count / panel<Scalar>, std::size_t{1}) * panel<Scalar>;
    for (std::size_t j = 0; j < whole; j += kept)
      for (std::size_t i = 0; i < task.m; i += tile_rows)
        WithConstant<tile_rows>(std::min(tile_rows, task.m - i), [&](auto rows) HWY_ATTR {
          AddRows<decltype(rows)::value>(a.from(i, 0), b + j, task.b_stride, count,
                                         task.c + i * task.c_stride + j, task.c_stride,
                                         std::min(kept, whole - j));
        });
    if (whole < task.n) AddLastColumns(task, a, b + whole, count, task.c + whole, task.n - whole);
  }
}

// c += a b^T: each entry of c is an inner product of rows.

/// The vectors of a sum, and how many rows of a and of b fill the registers with their sums.
template <class Scalar>
constexpr std::size_t vectors_of_sum = lanes_of_sum<Scalar> / width<Scalar>;
template <class Scalar>
constexpr std::size_t dot_rows = vectors_of_sum<Scalar> == 1   ? 4
                                 : vectors_of_sum<Scalar> == 2 ? 3
                                                               : 2;
template <class Scalar>
constexpr std::size_t dot_columns = vectors_of_sum<Scalar> == 1   ? 4
                                    : vectors_of_sum<Scalar> == 2 ? 2
                                                                  : 1;

/// Returns the sum of the lanes, folded in halves.
#if HWY_TARGET == HWY_SCALAR  // knows no halves
template <class OfVector, class V>
HWY_INLINE auto FoldVector(OfVector, V sum) {
  return hn::GetLane(sum);
}
#else
template <class OfVector, class V>
HWY_INLINE auto FoldVector(OfVector, V sum) {
  if constexpr (hn::MaxLanes(OfVector()) == 1) {
    return hn::GetLane(sum);
  } else {
    const hn::Half<OfVector> half;
    return FoldVector(half, hn::Add(hn::LowerHalf(half, sum), hn::UpperHalf(half, sum)));
  }
}
#endif
template <class Scalar>
HWY_INLINE Scalar Fold(Vec<Scalar> (&sums)[vectors_of_sum<Scalar>]) {
  for (std::size_t count = vectors_of_sum<Scalar> / 2; count > 0; count /= 2)
    for (std::size_t v = 0; v < count; ++v) sums[v] = hn::Add(sums[v], sums[v + count]);
  return FoldVector(Tag<Scalar>(), sums[0]);
}

template <std::size_t rows, std::size_t columns, class Scalar>
HWY_INLINE void AddLanes(const Scalar* HWY_RESTRICT a, std::size_t a_stride, const Scalar* HWY_RESTRICT b,
                         std::size_t b_stride, Vec<Scalar> (&sums)[rows][columns][vectors_of_sum<Scalar>]) {
  const Tag<Scalar> tag;
  for (std::size_t v = 0; v < vectors_of_sum<Scalar>; ++v) {
    Vec<Scalar> of_b[columns];
    for (std::size_t j = 0; j < columns; ++j) of_b[j] = hn::LoadU(tag, b + j * b_stride + v * width<Scalar>);
    for (std::size_t i = 0; i < rows; ++i) {
      const auto of_a = hn::LoadU(tag, a + i * a_stride + v * width<Scalar>);
      for (std::size_t j = 0; j < columns; ++j)
        sums[i][j][v] = hn::Add(sums[i][j][v], hn::Mul(of_a, of_b[j]));
    }
  }
}

/// Some rows of a matrix, and the ends of these rows that fill no lanes, zeros beyond.
template <class Scalar>
struct DotRows {
  const Scalar* rows;
  std::size_t stride;
  const Scalar* ends;

  DotRows from(std::size_t row) const {
    return {rows + row * stride, stride, ends + row * lanes_of_sum<Scalar>};
  }
};

/// Copies the ends of `rows` rows of k entries, and returns the rows with them. Writes the entries of no row
/// that are beyond its end: `ends` are zeros there.
template <class Scalar>
HWY_INLINE DotRows<Scalar> WithEnds(const Scalar* data, std::size_t stride, std::size_t rows, std::size_t k,
                                    Scalar* ends) {
  const std::size_t left = k % lanes_of_sum<Scalar>;
  if (left > 0)
    for (std::size_t r = 0; r < rows; ++r)
      std::copy_n(data + r * stride + k - left, left, ends + r * lanes_of_sum<Scalar>);
  return {data, stride, ends};
}

template <std::size_t rows, std::size_t columns, class Scalar>
HWY_INLINE void AddDotTile(const DotRows<Scalar>& a, const DotRows<Scalar>& b, std::size_t k, Scalar* c,
                           std::size_t c_stride) {
  constexpr std::size_t lanes = lanes_of_sum<Scalar>;
  Vec<Scalar> sums[rows][columns][vectors_of_sum<Scalar>];
  for (auto& of_row : sums)
    for (auto& of_entry : of_row)
      for (auto& sum : of_entry) sum = hn::Zero(Tag<Scalar>());
  std::size_t p = 0;
  for (; p + lanes <= k; p += lanes)
    AddLanes<rows, columns>(a.rows + p, a.stride, b.rows + p, b.stride, sums);
  if (p < k) AddLanes<rows, columns>(a.ends, lanes, b.ends, lanes, sums);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j) c[i * c_stride + j] += Fold<Scalar>(sums[i][j]);
}

/// Adds to `rows` rows of c.
template <std::size_t rows, class Scalar>
HWY_INLINE void AddDotRows(const DotRows<Scalar>& a, const DotRows<Scalar>& b, std::size_t k, Scalar* c,
                           std::size_t c_stride, std::size_t columns) {
  constexpr std::size_t step = dot_columns<Scalar>;
  std::size_t j = 0;
  for (; j + step <= columns; j += step) AddDotTile<rows, step>(a, b.from(j), k, c + j, c_stride);
  for (; j < columns; ++j) AddDotTile<rows, 1>(a, b.from(j), k, c + j, c_stride);
}

template <class Scalar>
void AddDots(const ProductTask<Scalar>& task) {
  constexpr std::size_t lanes = lanes_of_sum<Scalar>;
  HWY_ALIGN Scalar ends_of_a[dot_rows<Scalar> * lanes] = {};
  HWY_ALIGN Scalar ends_of_b[dots_in_block * lanes] = {};
  for (std::size_t j = 0; j < task.n; j += dots_in_block) {
    const std::size_t columns = std::min(dots_in_block, task.n - j);
    const auto b = WithEnds(task.b + j * task.b_stride, task.b_stride, columns, task.k, ends_of_b);
    for (std::size_t i = 0; i < task.m; i += dot_rows<Scalar>) {
      const std::size_t count = std::min(dot_rows<Scalar>, task.m - i);
      const auto a = WithEnds(task.a.from(i, 0).data, task.a.row, count, task.k, ends_of_a);
      WithConstant<dot_rows<Scalar>>(count, [&](auto rows) HWY_ATTR {
        AddDotRows<decltype(rows)::value>(a, b, task.k, task.c + i * task.c_stride + j, task.c_stride,
                                          columns);
      });
    }
  }
}

void AddProductOfFloats(const ProductTask<float>& task) { AddProduct(task); }
void AddProductOfDoubles(const ProductTask<double>& task) { AddProduct(task); }
void AddDotsOfFloats(const ProductTask<float>& task) { AddDots(task); }
void AddDotsOfDoubles(const ProductTask<double>& task) { AddDots(task); }

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {

HWY_EXPORT(AddProductOfFloats);
HWY_EXPORT(AddProductOfDoubles);
HWY_EXPORT(AddDotsOfFloats);
HWY_EXPORT(AddDotsOfDoubles);

std::size_t size(Index count) { return static_cast<std::size_t>(count); }

template <class Scalar>
ProductTask<Scalar> task_of(const Strided<Scalar>& a, Index products, const MatrixIn<Scalar>& b,
                            MatrixOut<Scalar>& c) {
  return {a,
          b.data(),
          size(b.outerStride()),
          c.data(),
          size(c.outerStride()),
          size(c.rows()),
          size(c.cols()),
          size(products)};
}

template <class Scalar>
ProductTask<Scalar> task_of_product(const MatrixIn<Scalar>& a, const MatrixIn<Scalar>& b,
                                    MatrixOut<Scalar>& c) {
  ensure(a.cols() == b.rows() && c.rows() == a.rows() && c.cols() == b.cols(),
         "a product has the rows of its left factor and the columns of its right one");
  return task_of<Scalar>({a.data(), size(a.outerStride()), 1}, a.cols(), b, c);
}

template <class Scalar>
ProductTask<Scalar> task_of_transpose(const MatrixIn<Scalar>& a, const MatrixIn<Scalar>& b,
                                      MatrixOut<Scalar>& c) {
  ensure(a.rows() == b.rows() && c.rows() == a.cols() && c.cols() == b.cols(),
         "a^T b has the columns of its factors");
  return task_of<Scalar>({a.data(), 1, size(a.outerStride())}, a.rows(), b, c);
}

template <class Scalar>
ProductTask<Scalar> task_of_dots(const MatrixIn<Scalar>& a, const MatrixIn<Scalar>& b, MatrixOut<Scalar>& c) {
  ensure(a.cols() == b.cols() && c.rows() == a.rows() && c.cols() == b.rows(),
         "a b^T has the rows of its factors");
  return task_of<Scalar>({a.data(), size(a.outerStride()), 1}, a.cols(), b, c);
}

}  // namespace

void add_product(const MatrixIn<float>& a, const MatrixIn<float>& b, MatrixOut<float> c) {
  HWY_DYNAMIC_DISPATCH(AddProductOfFloats)(task_of_product(a, b, c));
}
void add_product(const MatrixIn<double>& a, const MatrixIn<double>& b, MatrixOut<double> c) {
  HWY_DYNAMIC_DISPATCH(AddProductOfDoubles)(task_of_product(a, b, c));
}

void add_transpose_product(const MatrixIn<float>& a, const MatrixIn<float>& b, MatrixOut<float> c) {
  HWY_DYNAMIC_DISPATCH(AddProductOfFloats)(task_of_transpose(a, b, c));
}
void add_transpose_product(const MatrixIn<double>& a, const MatrixIn<double>& b, MatrixOut<double> c) {
  HWY_DYNAMIC_DISPATCH(AddProductOfDoubles)(task_of_transpose(a, b, c));
}

void add_product_with_transpose(const MatrixIn<float>& a, const MatrixIn<float>& b, MatrixOut<float> c) {
  HWY_DYNAMIC_DISPATCH(AddDotsOfFloats)(task_of_dots(a, b, c));
}
void add_product_with_transpose(const MatrixIn<double>& a, const MatrixIn<double>& b, MatrixOut<double> c) {
  HWY_DYNAMIC_DISPATCH(AddDotsOfDoubles)(task_of_dots(a, b, c));
}

}  // namespace hearsay
#endif
