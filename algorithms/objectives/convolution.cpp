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
          for (Index x = 0; x < outputs; ++x) patch[x] = line[x];
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

template <class Scalar>
void max_pool(const DenseRows<Scalar>& maps, Index side, std::span<Scalar> pooled,
              std::span<std::int32_t> chosen) {
  std::size_t window = 0;
  for (Index c = 0; c < maps.rows(); ++c)
    for (Index y = 0; y < side; y += 2)
      for (Index x = 0; x < side; x += 2, ++window) {
        const Index first = c * side * side + y * side + x;
        Index best = first;
        Scalar largest = maps.data()[first];
        for (const Index pixel : {first + 1, first + side, first + side + 1}) {
          const Scalar value = maps.data()[pixel];
          const bool larger = value > largest || value != value;
          best = larger ? pixel : best;
          largest = larger ? value : largest;
        }
        pooled[window] = largest;
        chosen[window] = static_cast<std::int32_t>(best);
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
