#include "algorithms/compression/topk.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/compression/wire_scalar.hpp"
#include "algorithms/kernels.hpp"
#include "topology/ensure.hpp"

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
std::unique_ptr<Compressor<Scalar>> TopK<Scalar>::parse(const StageSpelling& stage,
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
  traits.bytes = k * (sizeof(std::uint32_t) + sizeof(Scalar));
  return traits;
}

template <class Scalar>
CodecStatus TopK<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  const std::size_t k = size_.of(z.size());
  const auto indices =
      out.resize(k * (sizeof(std::uint32_t) + sizeof(Scalar))).first(k * sizeof(std::uint32_t));
  const auto values = out.bytes().subspan(indices.size());
  if (!all_finite(z)) {
    for (std::size_t entry = 0; entry < k; ++entry) {
      write_scalar(indices, entry, static_cast<std::uint32_t>(entry));
      write_scalar(values, entry, std::numeric_limits<Scalar>::quiet_NaN());
    }
    return CodecStatus::not_finite;
  }
  if (k == 0) return CodecStatus::ok;
  auto border = find_border(z, k);
  std::size_t entry = 0;
  for (std::size_t i = 0; entry < k; ++i) {
    const auto size = magnitude(z[i]);
    if (size < border.threshold || (size == border.threshold && border.ties == 0)) continue;
    if (size == border.threshold) --border.ties;
    write_scalar(indices, entry, static_cast<std::uint32_t>(i));
    write_scalar(values, entry, z[i]);
    ++entry;
  }
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus TopK<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                           std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  return status == CodecStatus::ok ? accumulate(out.bytes(), Scalar(1), into) : status;
}

template <class Scalar>
CodecStatus TopK<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                     std::span<Scalar> into) {
  const std::size_t k = size_.of(into.size());
  if (packet.size() != k * (sizeof(std::uint32_t) + sizeof(Scalar))) return CodecStatus::malformed;
  const auto indices = packet.first(k * sizeof(std::uint32_t));
  const auto values = packet.subspan(indices.size());
  std::size_t least = 0;
  for (std::size_t entry = 0; entry < k; ++entry) {
    const std::size_t index = read_scalar<std::uint32_t>(indices, entry);
    if (index < least || index >= into.size()) return CodecStatus::malformed;
    least = index + 1;
  }
  if (!all_finite<Scalar>(values)) return CodecStatus::not_finite;
  for (std::size_t entry = 0; entry < k; ++entry)
    into[read_scalar<std::uint32_t>(indices, entry)] += scale * read_scalar<Scalar>(values, entry);
  return CodecStatus::ok;
}

template class TopK<float>;
template class TopK<double>;

}  // namespace hearsay
