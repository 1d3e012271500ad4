#include "algorithms/compression/selectors/topk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "algorithms/compression/seam/compose.hpp"

namespace hearsay {

namespace {

/// The border of the top k: all magnitudes above `threshold` are kept, and the first `ties` of those equal to
/// it.
template <class Scalar>
struct Border {
  Magnitude<Scalar> threshold = 0;
  std::size_t ties = 0;
};

/// The bits of a magnitude: all but the sign.
template <class Scalar>
constexpr unsigned magnitude_bits = sizeof(Scalar) * 8 - 1;

/// Finds the border by radix selection of the k-th largest of `count` magnitudes of `all_bits` bits, most
/// significant digits first; 1 <= k <= count. Few magnitudes are sorted by short digits: clearing and
/// searching a histogram of 2,048 counters takes longer than sweeping over them twice as often.
template <class Scalar, class MagnitudeOf>
Border<Scalar> find_border(std::size_t count, std::size_t k, unsigned all_bits, MagnitudeOf magnitude_of) {
  constexpr unsigned longest_digit = 11;
  const unsigned digit_bits = count < 2048 ? 6 : longest_digit;
  Border<Scalar> border{0, k};
  std::array<std::uint32_t, 1u << longest_digit> histogram;
  for (unsigned known = 0; known < all_bits;) {
    const unsigned width = std::min(digit_bits, all_bits - known);
    const unsigned shift = all_bits - known - width;
    const Magnitude<Scalar> digit_mask = (Magnitude<Scalar>{1} << width) - 1;
    std::fill_n(histogram.begin(), std::size_t{1} << width, 0u);
    for (std::size_t i = 0; i < count; ++i) {
      const auto digits = magnitude_of(i) >> shift;
      // Only magnitudes that agree with the threshold in all digits found so far can still be at the border.
      if ((digits & ~digit_mask) == border.threshold >> shift) ++histogram[digits & digit_mask];
    }
    Magnitude<Scalar> digit = digit_mask;
    while (histogram[digit] < border.ties) border.ties -= histogram[digit--];
    border.threshold |= digit << shift;
    known += width;
  }
  return border;
}

/// The same for magnitudes of at least `least`. The candidates of a long vector have most of their leading
/// bits in common. By what they exceed `least` differs, so the first digit leaves few of them.
template <class Scalar>
Border<Scalar> find_border_above(std::span<const Magnitude<Scalar>> magnitudes, std::size_t k,
                                 Magnitude<Scalar> least) {
  const Magnitude<Scalar> most = *std::ranges::max_element(magnitudes);
  Border<Scalar> border =
      find_border<Scalar>(magnitudes.size(), k, static_cast<unsigned>(std::bit_width(most - least)),
                          [=](std::size_t i) { return magnitudes[i] - least; });
  border.threshold += least;
  return border;
}

/// Writes to `kept` the indices of the magnitudes that the border keeps, in ascending order.
template <class Scalar, class MagnitudeOf, class IndexOf>
void take_kept(Border<Scalar> border, std::span<std::uint32_t> kept, MagnitudeOf magnitude_of,
               IndexOf index_of) {
  std::size_t entry = 0;
  for (std::size_t i = 0; entry < kept.size(); ++i) {
    const auto size = magnitude_of(i);
    const bool ties = size == border.threshold && border.ties > 0;
    border.ties -= ties;
    kept[entry] = index_of(i);
    entry += size > border.threshold || ties;
  }
}

// A sample consists of runs of 16 numbers (a cache line of floats), one every `spacing` numbers. Only vectors
// of at least `least_sampled` numbers are sampled, and only if at most a quarter is kept; otherwise sweeps
// over the whole vector are as fast.
constexpr std::size_t run = 16;
constexpr std::size_t spacing = 2048;
constexpr std::size_t least_sampled = 32768;

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
  if (k == dimension) return exact_traits();
  Traits traits;
  traits.contraction = static_cast<double>(k) / static_cast<double>(dimension);
  traits.deterministic = true;
  return traits;
}

template <class Scalar>
std::size_t TopK<Scalar>::scratch_bytes(std::size_t dimension, CodecUse use) const {
  const std::size_t k = size_.of(dimension);
  if (use == CodecUse::decodes || dimension < least_sampled || k > dimension / 4) return 0;
  return most_candidates(dimension, k) * (sizeof(Magnitude<Scalar>) + sizeof(std::uint32_t));
}

template <class Scalar>
bool TopK<Scalar>::select_among_candidates(std::span<const Scalar> z, std::span<std::uint32_t> kept) {
  const std::size_t k = kept.size();
  if (z.size() < least_sampled || k > z.size() / 4) return false;
  const std::size_t runs = z.size() / spacing;
  magnitudes_.resize(runs * run);
  for (std::size_t r = 0; r < runs; ++r)
    for (std::size_t i = 0; i < run; ++i) magnitudes_[r * run + i] = magnitude(z[r * spacing + i]);
  const auto magnitude_of = [this](std::size_t i) { return magnitudes_[i]; };
  // On average the sample holds `expected` of the k largest. At four standard deviations more, the bound is
  // hardly ever too high.
  const double expected =
      static_cast<double>(k) * static_cast<double>(runs * run) / static_cast<double>(z.size());
  const auto rank = static_cast<std::size_t>(expected + 4.0 * std::sqrt(expected) + 4.0);
  if (rank > runs * run) return false;
  const Magnitude<Scalar> bound =
      find_border<Scalar>(runs * run, rank, magnitude_bits<Scalar>, magnitude_of).threshold;

  const std::size_t most = most_candidates(z.size(), k);
  candidates_.resize(most + found_padding);
  magnitudes_.resize(most + found_padding);
  const std::size_t found = find_at_least<Scalar>(z, bound, most, {candidates_, magnitudes_});
  if (found < k || found > most) return false;
  take_kept(find_border_above<Scalar>(std::span(magnitudes_).first(found), k, bound), kept, magnitude_of,
            [this](std::size_t i) { return candidates_[i]; });
  return true;
}

template <class Scalar>
void TopK<Scalar>::select(const EncodeInput<Scalar>& input, std::span<std::byte>, Selection& selection) {
  const auto z = input.vector;
  const std::size_t k = size_.of(z.size());
  selection.shared_scale.reset();
  selection.indices.resize(k);
  if (k == 0 || select_among_candidates(z, selection.indices)) return;
  const auto magnitude_of = [z](std::size_t i) { return magnitude(z[i]); };
  take_kept(find_border<Scalar>(z.size(), k, magnitude_bits<Scalar>, magnitude_of),
            std::span(selection.indices), magnitude_of,
            [](std::size_t i) { return static_cast<std::uint32_t>(i); });
}

template class TopK<float>;
template class TopK<double>;

}  // namespace hearsay
