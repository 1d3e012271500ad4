#pragma once

#include <cstdint>
#include <span>

#include "algorithms/objectives/samples.hpp"

namespace hearsay {

/// What a convolution and a pooling do with the square feature maps of one sample. Maps of side s are a
/// matrix of channels x s^2: a row is a map, line by line from the top left.

/// Copies an image of channels x s^2 into the middle of maps, which have 2 * `padding` more lines and
/// columns. The frame stays as it is. maps: channels x (s + 2 padding)^2.
template <class Scalar>
void copy_into_frame(std::span<const Scalar> image, Index side, Index padding, DenseRows<Scalar>& maps);

/// Makes a matrix product of a convolution with kernels of k x k and stride 1, without padding: column (y, x)
/// of `patches` is the patch of all channels whose top left pixel is (y, x).
///
///     patches(c k^2 + k i + j, o y + x) = maps(c, s (y + i) + x + j)        o = s - k + 1 outputs a line
///
/// patches: channels k^2 x o^2. W times patches, with W of outputs x channels k^2, are the convolved maps.
template <class Scalar>
void gather_patches(std::span<const Scalar> maps, Index side, Index kernel, DenseRows<Scalar>& patches);

/// The transpose of `gather_patches`: adds each entry of patches to the pixel of maps that it was copied
/// from.
template <class Scalar>
void add_patches(const DenseRows<Scalar>& patches, Index side, Index kernel, DenseRows<Scalar>& maps);

/// Max pooling over windows of 2 x 2 pixels, which do not overlap; s is even. pooled[w] is the largest pixel
/// of window w, and chosen[w] its index in the entries of maps. Of equal pixels the first counts, line by
/// line. A NaN is larger than all numbers. Sizes of both: channels (s/2)^2.
template <class Scalar>
void max_pool(const DenseRows<Scalar>& maps, Index side, std::span<Scalar> pooled,
              std::span<std::int32_t> chosen);

}  // namespace hearsay
