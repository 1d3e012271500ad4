#include "algorithms/compression/grid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "topology/ensure.hpp"
#include "topology/spelling.hpp"

namespace hearsay {

namespace {

constexpr std::size_t longest_code = 10;
/// An overlong zero: no regular message holds it.
constexpr std::array<std::byte, 2> not_a_message{std::byte{0x80}, std::byte{0x00}};

std::uint64_t zigzag(std::int64_t q) {
  return static_cast<std::uint64_t>(q) << 1 ^ static_cast<std::uint64_t>(q >> 63);
}

std::int64_t unzigzag(std::uint64_t word) {
  return static_cast<std::int64_t>(word >> 1) ^ -static_cast<std::int64_t>(word & 1);
}

/// Writes one code, returns the place after it.
std::byte* write_varint(std::byte* at, std::uint64_t word) {
  for (; word >= 0x80; word >>= 7) *at++ = static_cast<std::byte>(word | 0x80);
  *at++ = static_cast<std::byte>(word);
  return at;
}

/// What z / step is rounded from: q = whole + 1 with probability `fraction`, else whole.
struct Position {
  std::int64_t whole;
  double fraction;
};

/// For |ratio| < 2^62. The difference is exact.
Position position(double ratio) {
  auto whole = static_cast<std::int64_t>(ratio);
  whole -= static_cast<double>(whole) > ratio;
  return {whole, ratio - static_cast<double>(whole)};
}

}  // namespace

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Grid<Scalar>::parse(const StageSpelling& stage, const SegmentTable&) {
  const Arguments arguments(stage, {"step", {"step"}, {}});
  const auto step = arguments.positive("step");
  if (!step) arguments.refuse("step", "step=, the distance of the grid's points");
  if (!(*step >= std::numeric_limits<Scalar>::min() && *step <= std::numeric_limits<Scalar>::max()))
    arguments.refuse("step", "a step in the range of normal numbers of the run's scalar");
  return std::make_unique<Grid>(*step);
}

template <class Scalar>
Grid<Scalar>::Grid(double step)
    : step_(step),
      // One step of room above, for the rounding up.
      largest_ratio_(
          std::min(0x1p62, std::floor(static_cast<double>(std::numeric_limits<Scalar>::max()) / step) - 1)) {
  ensure(step > 0.0, "a grid has a positive step");
}

template <class Scalar>
std::string Grid<Scalar>::spelling() const {
  return "grid(step=" + number_text(step_) + ")";
}

template <class Scalar>
Traits Grid<Scalar>::traits(std::size_t dimension) const {
  Traits traits;
  traits.unbiased = true;
  traits.absolute_error_per_coordinate = step_ / 2.0;
  traits.data_dependent_size = true;
  traits.bytes = longest_code * dimension;
  return traits;
}

template <class Scalar>
Scalar Grid<Scalar>::value(std::int64_t code) const {
  return static_cast<Scalar>(static_cast<double>(code) * step_);
}

template <class Scalar>
CodecStatus Grid<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  const ElementKey key = input.random.element_key();
  // Room grows as messages do, by doubling: the worst case of 10 d is hardly ever needed.
  constexpr std::size_t tile = 512;
  std::size_t room = 2 * z.size() + longest_code * tile;
  std::byte* first = out.resize(room).data();
  std::size_t size = 0;
  CodecStatus status = CodecStatus::ok;
  for (std::size_t begin = 0; begin < z.size(); begin += tile) {
    const std::size_t end = std::min(begin + tile, z.size());
    if (size + longest_code * tile > room) first = out.resize(room *= 2).data();
    std::byte* at = first + size;
    for (std::size_t i = begin; i < end; ++i) {
      const double ratio = static_cast<double>(z[i]) / step_;
      if (!(std::abs(ratio) < largest_ratio_)) {
        if (status != CodecStatus::not_finite)
          status = std::isfinite(z[i]) ? CodecStatus::saturated : CodecStatus::not_finite;
        continue;
      }
      const Position place = position(ratio);
      const bool up = element_bits(key, static_cast<std::uint32_t>(i)) * 0x1p-32 < place.fraction;
      at = write_varint(at, zigzag(place.whole + up));
    }
    size = static_cast<std::size_t>(at - first);
  }
  const auto bytes = out.resize(status == CodecStatus::ok ? size : not_a_message.size());
  if (status != CodecStatus::ok) std::copy(not_a_message.begin(), not_a_message.end(), bytes.begin());
  return status;
}

template <class Scalar>
CodecStatus Grid<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                           std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  if (status != CodecStatus::ok) return status;
  for_each_code(out.bytes(), into.size(), [&](std::size_t i, std::int64_t q) { into[i] += value(q); });
  return status;
}

template <class Scalar>
template <class Visit>
bool Grid<Scalar>::for_each_code(std::span<const std::byte> packet, std::size_t dimension,
                                 Visit visit) const {
  const std::byte* at = packet.data();
  const std::byte* const end = at + packet.size();
  for (std::size_t i = 0; i < dimension; ++i) {
    std::uint64_t word = 0;
    unsigned shift = 0;
    for (;; shift += 7) {
      if (at == end || shift >= 7 * longest_code) return false;
      const auto byte = std::to_integer<std::uint64_t>(*at++);
      word |= (byte & 0x7F) << shift;
      if (byte < 0x80) {
        if (byte == 0 && shift > 0) return false;   // a shorter form exists
        if (shift == 63 && byte > 1) return false;  // more than 64 bits
        break;
      }
    }
    const std::int64_t q = unzigzag(word);
    if (!(std::abs(static_cast<double>(q)) <= largest_ratio_)) return false;
    visit(i, q);
  }
  return at == end;
}

template <class Scalar>
CodecStatus Grid<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                     std::span<Scalar> into) {
  if (std::equal(packet.begin(), packet.end(), not_a_message.begin(), not_a_message.end()))
    return CodecStatus::not_finite;
  // First the whole message, then the vector: a fault at its end must not leave the beginning applied.
  if (!for_each_code(packet, into.size(), [](std::size_t, std::int64_t) {})) return CodecStatus::malformed;
  for_each_code(packet, into.size(), [&](std::size_t i, std::int64_t q) { into[i] += scale * value(q); });
  return CodecStatus::ok;
}

template <class Scalar>
std::vector<Bracket> Grid<Scalar>::brackets(std::span<const Scalar> vector) const {
  std::vector<Bracket> brackets;
  for (const Scalar z : vector) {
    const double ratio = static_cast<double>(z) / step_;
    if (!(std::abs(ratio) < largest_ratio_)) return {};
    const Position place = position(ratio);
    brackets.push_back({static_cast<double>(value(place.whole)), static_cast<double>(value(place.whole + 1)),
                        std::ceil(place.fraction * 0x1p32) * 0x1p-32});
  }
  return brackets;
}

template class Grid<float>;
template class Grid<double>;

}  // namespace hearsay
