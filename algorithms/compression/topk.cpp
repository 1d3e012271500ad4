#include "algorithms/compression/topk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <type_traits>

namespace hearsay {

namespace {

template <class Scalar>
using Magnitude = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;

/// |z| as an integer: the bit patterns of non-negative floating-point numbers are ordered as the numbers are.
template <class Scalar>
Magnitude<Scalar> magnitude(Scalar z) {
  return std::bit_cast<Magnitude<Scalar>>(z) & (~Magnitude<Scalar>{0} >> 1);
}

/// The magnitudes above `threshold` are kept, and of those equal to it the first `ties`.
template <class Scalar>
struct Border {
  Magnitude<Scalar> threshold = 0;
  std::size_t ties = 0;
};

/// Radix selection of the k-th largest magnitude, most significant digits first; 1 <= k <= d.
template <class Scalar>
Border<Scalar> find_border(std::span<const Scalar> z, std::size_t k) {
  constexpr unsigned digit_bits = 11;
  constexpr unsigned all_bits = sizeof(Scalar) * 8 - 1;  // without the sign
  Border<Scalar> border{0, k};
  std::array<std::uint32_t, 1u << digit_bits> histogram;
  for (unsigned known = 0; known < all_bits;) {
    const unsigned width = std::min(digit_bits, all_bits - known);
    const unsigned shift = all_bits - known - width;
    const Magnitude<Scalar> digit_mask = (Magnitude<Scalar>{1} << width) - 1;
    histogram.fill(0);
    for (const Scalar value : z) {
      const auto digits = magnitude(value) >> shift;
      // Only those that agree with the threshold in the digits known so far are still in question.
      if ((digits & ~digit_mask) == border.threshold >> shift) ++histogram[digits & digit_mask];
    }
    Magnitude<Scalar> digit = digit_mask;
    while (histogram[digit] < border.ties) border.ties -= histogram[digit--];
    border.threshold |= digit << shift;
    known += width;
  }
  return border;
}

}  // namespace

template <class Scalar>
std::unique_ptr<Selector<Scalar>> TopK<Scalar>::parse(const StageSpelling& stage,
                                                      const SegmentTable& segments) {
  const Arguments arguments(stage, {"share", {"share", "k"}, {}});
  return std::make_unique<TopK>(SelectionSize::parse(arguments, segments));
}

template <class Scalar>
Traits TopK<Scalar>::traits(std::size_t dimension) const {
  const std::size_t k = size_.of(dimension);
  Traits traits;
  traits.contraction = dimension ? static_cast<double>(k) / static_cast<double>(dimension) : 1.0;
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
void TopK<Scalar>::select(const EncodeInput<Scalar>& input, std::span<std::byte>, Selection& selection) {
  const auto z = input.vector;
  const std::size_t k = size_.of(z.size());
  selection.shared_scale.reset();
  selection.indices.resize(k);
  if (k == 0) return;
  auto border = find_border(z, k);
  std::size_t entry = 0;
  for (std::size_t i = 0; entry < k; ++i) {
    const auto size = magnitude(z[i]);
    if (size < border.threshold || (size == border.threshold && border.ties == 0)) continue;
    if (size == border.threshold) --border.ties;
    selection.indices[entry++] = static_cast<std::uint32_t>(i);
  }
}

template class TopK<float>;
template class TopK<double>;

}  // namespace hearsay
