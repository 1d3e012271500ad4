#include "algorithms/compression/quantizers/bf16.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "algorithms/compression/quantizers/quantizer_kernels.hpp"

namespace hearsay {

namespace {

constexpr std::int32_t sign_code = 0x8000;
constexpr std::int32_t infinity_code = 0x7F80;
constexpr std::int32_t not_a_number = 0x7FC0;
constexpr double largest_bf16 = 0x1.FEp127;

double decoded_bf16(std::int32_t code) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(code) << 16);
}

/// The code of the bfloat16 at or below |z|, and how far |z| is on the way to the next one.
struct Position {
  std::int32_t code;
  double fraction;
};

/// The position of `size`, 0 <= size <= largest_bf16. All products are exact.
Position position(double size) {
  const auto exponent_field = static_cast<int>(std::bit_cast<std::uint64_t>(size) >> 52);
  const int exponent = std::max(exponent_field - 1023, -126);
  const double scaled = size * std::bit_cast<double>(static_cast<std::uint64_t>(7 - exponent + 1023) << 52);
  const auto whole = static_cast<std::int32_t>(scaled);
  // Below 2^-126 the q has no leading one, and neither has the code.
  return {(exponent + 126) * 128 + whole, scaled - whole};
}

bool nearer_to_next(const Position& place) {
  return place.fraction > 0.5 || (place.fraction == 0.5 && place.code % 2 == 1);
}

template <class Scalar>
CodecStatus status_of(std::span<const Scalar> values) {
  CodecStatus status = CodecStatus::ok;
  for (const Scalar value : values) {
    if (!std::isfinite(value)) return CodecStatus::not_finite;
    if (std::abs(static_cast<double>(value)) > largest_bf16) status = CodecStatus::saturated;
  }
  return status;
}

}  // namespace

template <class Scalar>
std::unique_ptr<Quantizer<Scalar>> Bf16<Scalar>::parse(const StageSpelling& stage, const SegmentTable&) {
  const Arguments arguments(stage, {"", {}, {"nearest"}});
  return std::make_unique<Bf16>(arguments.flag("nearest"));
}

template <class Scalar>
Traits Bf16<Scalar>::traits(std::size_t) const {
  Traits traits;
  if (nearest_) {
    traits.contraction = 1.0 - 1.0 / (257.0 * 257.0);
    traits.deterministic = true;
    return traits;
  }
  traits.unbiased = true;
  traits.omega = 0x1p-16 / (1.0 + 0x1p-7);
  // E 4^e over a standard normal z in [2^e, 2^(e+1)), by numerical integration.
  traits.omega_typical = 0.542859 * 0x1p-14 / 6.0;
  traits.contraction = 1.0 - traits.omega;
  return traits;
}

template <class Scalar>
CodecStatus Bf16<Scalar>::quantize(std::span<const Scalar> values, const QuantizeInput& input,
                                   std::span<std::byte>, std::span<std::int32_t> codes) const {
  if constexpr (std::is_same_v<Scalar, float>)
    if (bf16_codes_fast(values, nearest_, input.key, input.first, codes)) return CodecStatus::ok;
  const CodecStatus status = status_of(values);
  if (status != CodecStatus::ok) {
    std::ranges::fill(codes, not_a_number);
    return status;
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Position place = position(std::abs(static_cast<double>(values[i])));
    const bool up =
        nearest_
            ? nearer_to_next(place)
            : element_bits(input.key, input.first + static_cast<std::uint32_t>(i)) * 0x1p-32 < place.fraction;
    codes[i] = place.code + up + (std::signbit(values[i]) ? sign_code : 0);
  }
  return status;
}

template <class Scalar>
CodecStatus Bf16<Scalar>::reconstruct(std::span<const std::byte>, std::span<const std::int32_t> codes,
                                      std::span<Scalar> values) const {
  if constexpr (std::is_same_v<Scalar, float>)
    return bf16_values_fast(codes, values) ? CodecStatus::ok : CodecStatus::not_finite;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    if ((codes[i] & ~sign_code) >= infinity_code) return CodecStatus::not_finite;
    values[i] = static_cast<Scalar>(decoded_bf16(codes[i]));
  }
  return CodecStatus::ok;
}

template <class Scalar>
std::vector<Bracket> Bf16<Scalar>::brackets(std::span<const Scalar> values) const {
  std::vector<Bracket> brackets;
  if (status_of(values) != CodecStatus::ok) return brackets;
  for (const Scalar value : values) {
    const Position place = position(std::abs(static_cast<double>(value)));
    const double near = std::copysign(decoded_bf16(place.code), static_cast<double>(value));
    const double far = std::copysign(decoded_bf16(place.code + 1), static_cast<double>(value));
    const double probability = std::ceil(place.fraction * 0x1p32) * 0x1p-32;
    if (nearest_ || probability == 0.0) {
      const double chosen = nearest_ && nearer_to_next(place) ? far : near;
      brackets.push_back({chosen, chosen, 0.0});
    } else {
      brackets.push_back(std::signbit(value) ? Bracket{far, near, 1.0 - probability}
                                             : Bracket{near, far, probability});
    }
  }
  return brackets;
}

template class Bf16<float>;
template class Bf16<double>;

}  // namespace hearsay
