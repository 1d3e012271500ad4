#include "algorithms/objectives/convolution.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
void copy_into_frame(std::span<const Scalar> image, Index side, Index padding, DenseRows<Scalar>& maps) {
  const Index framed = side + 2 * padding;
  ensure(maps.cols() == framed * framed && static_cast<Index>(image.size()) == maps.rows() * side * side,
         "a frame is as large as the image and its padding");
  for (Index c = 0; c < maps.rows(); ++c)
    for (Index y = 0; y < side; ++y)
      std::copy_n(image.data() + (c * side + y) * side, side, &maps(c, (y + padding) * framed + padding));
}

template <class Scalar>
void gather_patches(std::span<const Scalar> maps, Index side, Index kernel, DenseRows<Scalar>& patches) {
  const Index channels = static_cast<Index>(maps.size()) / (side * side);
  const Index outputs = side - kernel + 1;
  patches.resize(channels * kernel * kernel, outputs * outputs);
  Scalar* patch = patches.data();
  for (Index c = 0; c < channels; ++c)
    for (Index i = 0; i < kernel; ++i)
      for (Index j = 0; j < kernel; ++j)
        for (Index y = 0; y < outputs; ++y, patch += outputs) {
          const Scalar* line = maps.data() + (c * side + y + i) * side + j;
          std::copy_n(line, outputs, patch);
        }
}

template <class Scalar>
void add_patches(const DenseRows<Scalar>& patches, Index side, Index kernel, DenseRows<Scalar>& maps) {
  const Index outputs = side - kernel + 1;
  const Scalar* patch = patches.data();
  for (Index c = 0; c < maps.rows(); ++c)
    for (Index i = 0; i < kernel; ++i)
      for (Index j = 0; j < kernel; ++j)
        for (Index y = 0; y < outputs; ++y, patch += outputs) {
          Scalar* line = &maps(c, (y + i) * side + j);
          for (Index x = 0; x < outputs; ++x) line[x] += patch[x];
        }
}

namespace {

/// Returns 1 if b is chosen of the pixels a, b in this order, else 0. A NaN is larger than all numbers.
template <class Scalar>
std::int32_t second_of(Scalar a, Scalar b) {
  return (b <= a || a != a) ? 0 : 1;
}

/// Pools a line of `count` windows, whose upper pixels begin at `top` and lower ones at `bottom`. It has no
/// branches and no aliases, so that the compiler makes vectors of it.
template <class Scalar>
void pool_line(const Scalar* __restrict top, const Scalar* __restrict bottom, std::int32_t top_index,
               std::int32_t side, Index count, Scalar* __restrict pooled, std::int32_t* __restrict chosen) {
  for (Index w = 0; w < count; ++w) {
    const std::int32_t upper_place = second_of(top[2 * w], top[2 * w + 1]);
    const Scalar upper = upper_place != 0 ? top[2 * w + 1] : top[2 * w];
    const std::int32_t lower_place = second_of(bottom[2 * w], bottom[2 * w + 1]);
    const Scalar lower = lower_place != 0 ? bottom[2 * w + 1] : bottom[2 * w];
    const std::int32_t is_lower = second_of(upper, lower);
    pooled[w] = is_lower != 0 ? lower : upper;
    chosen[w] =
        top_index + 2 * static_cast<std::int32_t>(w) + (is_lower != 0 ? side + lower_place : upper_place);
  }
}

}  // namespace

template <class Scalar>
void max_pool(const DenseRows<Scalar>& maps, Index side, std::span<Scalar> pooled,
              std::span<std::int32_t> chosen) {
  const Index count = side / 2;
  ensure(maps.cols() == side * side && side % 2 == 0 &&
             static_cast<Index>(pooled.size()) == maps.rows() * count * count &&
             chosen.size() == pooled.size(),
         "pooling leaves a pixel of four");
  for (Index line = 0; line < maps.rows() * count; ++line) {
    const Index top = line * 2 * side;
    pool_line(maps.data() + top, maps.data() + top + side, static_cast<std::int32_t>(top),
              static_cast<std::int32_t>(side), count, pooled.data() + line * count,
              chosen.data() + line * count);
  }
}

template void copy_into_frame<float>(std::span<const float>, Index, Index, DenseRows<float>&);
template void copy_into_frame<double>(std::span<const double>, Index, Index, DenseRows<double>&);
template void gather_patches<float>(std::span<const float>, Index, Index, DenseRows<float>&);
template void gather_patches<double>(std::span<const double>, Index, Index, DenseRows<double>&);
template void add_patches<float>(const DenseRows<float>&, Index, Index, DenseRows<float>&);
template void add_patches<double>(const DenseRows<double>&, Index, Index, DenseRows<double>&);
template void max_pool<float>(const DenseRows<float>&, Index, std::span<float>, std::span<std::int32_t>);
template void max_pool<double>(const DenseRows<double>&, Index, std::span<double>, std::span<std::int32_t>);

}  // namespace hearsay
