#include "algorithms/compression/selectors/chunk_selection.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <type_traits>

// Compiles every target of this architecture, the scalar one included; a test compares them all.
#ifndef HWY_COMPILE_ALL_ATTAINABLE
#define HWY_COMPILE_ALL_ATTAINABLE
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "algorithms/compression/selectors/chunk_selection.cpp"
#include <hwy/foreach_target.h>
// This include comes after foreach_target.h, which includes this file once per target.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace hearsay::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;

constexpr Floats floats;
constexpr Ints ints;

/// How many magnitudes of z are at least `border`, which is above 0 and below 2^31.
HWY_INLINE std::size_t CountAtLeast(std::span<const float> z, std::uint32_t border) {
  const std::size_t lanes = hn::Lanes(floats);
  const auto magnitude_mask = hn::Set(ints, 0x7FFFFFFF);
  const auto below = hn::Set(ints, static_cast<std::int32_t>(border) - 1);
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + lanes <= z.size(); i += lanes) {
    const auto sizes = hn::And(hn::BitCast(ints, hn::LoadU(floats, z.data() + i)), magnitude_mask);
    count += hn::CountTrue(ints, hn::Gt(sizes, below));
  }
  for (; i < z.size(); ++i) count += magnitude(z[i]) >= border;
  return count;
}

std::uint32_t BorderOfLargest(std::span<const float> z, std::size_t k, std::uint32_t guess) {
  constexpr std::uint32_t longest_step = 1u << 30;
  // At least k magnitudes reach `low`, fewer reach `high`.
  std::uint32_t low = 0;
  std::uint32_t high = 1u << 31;
  std::uint32_t border = std::clamp(guess, low + 1, high - 1);
  std::uint32_t step = 1u << 20;  // an eighth of a power of two
  while (high - low > 1) {
    const std::size_t count = CountAtLeast(z, border);
    if (count == k) return border;
    (count > k ? low : high) = border;
    // Away from the guess in growing steps, then by halves.
    if (high - low <= 2 * step)
      border = low + (high - low) / 2;
    else
      border = count > k ? low + step : high - step;
    if (step < longest_step) step *= 4;
  }
  return low;
}

}  // namespace
}  // namespace hearsay::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace hearsay {

namespace {

HWY_EXPORT(BorderOfLargest);

/// Up to here border_of_largest is sooner than ranking the largest.
constexpr std::size_t short_chunk = 256;

}  // namespace

std::uint32_t border_of_largest(std::span<const float> z, std::size_t k, std::uint32_t guess) {
  return HWY_DYNAMIC_DISPATCH(BorderOfLargest)(z, k, guess);
}

template <class Scalar>
void ChunkSelection<Scalar>::reserve(std::size_t longest) {
  found_.resize(longest + found_padding);
  found_sizes_.resize(longest + found_padding);
  ranked_.resize(longest);
}

template <class Scalar>
void ChunkSelection<Scalar>::select(std::span<const Scalar> chunk, std::uint32_t first,
                                    std::span<std::uint32_t> kept) {
  if constexpr (std::is_same_v<Scalar, float>)
    if (chunk.size() <= short_chunk) return select_short(chunk, first, kept);
  select_long(chunk, first, kept);
}

template <class Scalar>
void ChunkSelection<Scalar>::select_long(std::span<const Scalar> chunk, std::uint32_t first,
                                         std::span<std::uint32_t> kept) {
  const Found<Scalar> found{found_, found_sizes_};
  std::size_t count = find_at_least<Scalar>(chunk, expected_border_, chunk.size(), found);
  if (count < kept.size()) count = find_at_least<Scalar>(chunk, 0, chunk.size(), found);
  std::copy_n(found_sizes_.begin(), count, ranked_.begin());
  const auto last_kept = ranked_.begin() + static_cast<std::ptrdiff_t>(kept.size() - 1);
  std::nth_element(ranked_.begin(), last_kept, ranked_.begin() + static_cast<std::ptrdiff_t>(count),
                   std::greater<>());
  const Magnitude<Scalar> border = *last_kept;
  auto ties = static_cast<std::size_t>(std::count(ranked_.begin(), last_kept + 1, border));
  std::size_t n = 0;
  for (std::size_t j = 0; j < count; ++j) {
    if (found_sizes_[j] < border || (found_sizes_[j] == border && ties == 0)) continue;
    if (found_sizes_[j] == border) --ties;
    kept[n++] = first + found_[j];
  }
  // An eighth less: on similar chunks a few more than k coordinates reach it, and seldom fewer.
  const auto size = std::bit_cast<Scalar>(border);
  expected_border_ = magnitude(size - size / 8);
}

template <class Scalar>
void ChunkSelection<Scalar>::select_short(std::span<const float> chunk, std::uint32_t first,
                                          std::span<std::uint32_t> kept) {
  const std::uint32_t border =
      border_of_largest(chunk, kept.size(), static_cast<std::uint32_t>(expected_border_));
  expected_border_ = border;
  const std::size_t count = find_at_least<float>(chunk, border, chunk.size(), {found_, {}});
  // If more than k reach the border, for ties, the last ones that are just there are left out.
  std::size_t too_many = count - kept.size();
  for (std::size_t j = count; too_many > 0;)
    if (magnitude(chunk[found_[--j]]) == border) {
      std::copy(found_.begin() + static_cast<std::ptrdiff_t>(j + 1),
                found_.begin() + static_cast<std::ptrdiff_t>(kept.size() + too_many),
                found_.begin() + static_cast<std::ptrdiff_t>(j));
      --too_many;
    }
  for (std::size_t j = 0; j < kept.size(); ++j) kept[j] = first + found_[j];
}

template class ChunkSelection<float>;
template class ChunkSelection<double>;

}  // namespace hearsay
#endif
