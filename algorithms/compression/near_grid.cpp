#include "algorithms/compression/near_grid.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/code_checksum.hpp"
#include "algorithms/compression/modulo.hpp"
#include "algorithms/compression/quantizers/grid_rounding.hpp"
#include "algorithms/compression/radix_digits.hpp"
#include "algorithms/compression/seam/byte_pieces.hpp"
#include "algorithms/compression/seam/near_compressor.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

// The first byte of a bucket: the place of k in the scale, for codes in full; the same behind `near_0`, for
// codes near the side information; or one of two others.
constexpr std::uint8_t near_0 = 129;
constexpr std::uint8_t near_spelled = 254;
constexpr std::uint8_t no_numbers = 255;

constexpr std::size_t checksum_bytes = sizeof(std::uint16_t);
constexpr std::uint64_t largest_modulus = 65536;
constexpr std::uint8_t largest_near_place = 64;   // of 2^16
constexpr std::uint8_t largest_full_place = 128;  // of 2^32

/// The k that a byte can name: 2^(place/4), rounded up. They are 1, 2, 3, ..., 8, 10, 12, 14, 16, 20, ...
std::uint64_t scale(std::uint8_t place) {
  constexpr std::uint64_t quarters[] = {std::uint64_t{1} << 32, 5107605667, 6074000999, 7223245205};
  const std::uint64_t quarter = quarters[place % 4];  // 2^32 2^(place % 4 / 4), rounded down
  return (quarter >> (32 - place / 4)) + (place % 4 == 0 ? 0 : 1);
}

/// The first place of a k that is at least `least`, which is at most 2^32.
std::uint8_t place_of(std::uint64_t least) {
  auto place = static_cast<std::uint8_t>(4 * (std::bit_width(least) - 1));
  while (scale(place) < least) ++place;
  while (place > 0 && scale(place - 1) >= least) --place;
  return place;
}

/// The least k for which every difference is in [-k/2, k/2).
class LeastModulus {
 public:
  void add(std::int64_t difference) {
    least_ = std::min(least_, difference);
    most_ = std::max(most_, difference);
  }
  std::uint64_t value() const {
    return std::max(static_cast<std::uint64_t>(-2 * least_), static_cast<std::uint64_t>(2 * most_ + 1));
  }

 private:
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
};

/// Whole numbers modulo k, 1 <= k <= 2^32, without a division for each.
class Modulus {
 public:
  explicit Modulus(std::uint64_t k)
      : k_(static_cast<std::int64_t>(k)), inverse_(1.0 / static_cast<double>(k)) {}

  /// Of a number below 2^34 in magnitude. Its product with the inverse is off by far less than 1, so that the
  /// quotient is off by at most 1.
  std::int64_t remainder(std::int64_t number) const {
    const std::int64_t rest = number - k_ * static_cast<std::int64_t>(static_cast<double>(number) * inverse_);
    const std::int64_t raised = rest + if_negative(rest);
    return raised - k_ + if_negative(raised - k_);
  }
  /// The member of sent + k Z in [prediction - k/2, prediction + k/2).
  std::int64_t nearest(std::uint64_t sent, std::int64_t prediction) const {
    const std::int64_t above = remainder(static_cast<std::int64_t>(sent) - prediction);  // in [0, k)
    return prediction + above - k_ + if_negative(2 * above - k_);
  }

 private:
  /// k if `number` is negative, else 0, without a branch: signs of remainders cannot be predicted.
  std::int64_t if_negative(std::int64_t number) const { return k_ & (number >> 63); }

  std::int64_t k_;
  double inverse_;
};

}  // namespace

template <class Scalar>
NearGrid<Scalar>::NearGrid(double step, std::optional<std::uint64_t> modulus, Buckets buckets)
    : step_(step), grid_(step), modulus_(modulus), buckets_(std::move(buckets)) {
  ensure(!modulus || (*modulus > 0 && *modulus <= largest_modulus), "a modulus fits its place in a message");
}

template <class Scalar>
Traits NearGrid<Scalar>::traits(std::size_t dimension) const {
  Traits traits = grid_.traits(dimension);
  traits.data_dependent_size = true;
  traits.bytes = checksum_bytes;
  buckets_.for_each(dimension, [&](std::size_t, std::size_t, std::size_t size) {
    traits.bytes += 1 + RadixDigits(scale(largest_full_place)).bytes(size);
  });
  return traits;
}

/// p_i = the whole number nearest to y_i / step. False if one of them is out of the range of codes.
template <class Scalar>
bool NearGrid<Scalar>::predict(std::span<const Scalar> near) {
  if (near.empty()) {
    std::ranges::fill(predictions_, 0);
    return true;
  }
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double above = static_cast<double>(near[i]) / step_ + 0.5;
    if (!(std::abs(above) < 0x1p32)) return false;
    predictions_[i] = grid_position(above).whole;
    if (std::abs(predictions_[i]) >= std::int64_t{1} << 31) return false;
  }
  return true;
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  ensure(input.near.empty() || input.near.size() == z.size(), "side information is of the vector's size");
  codes_.resize(z.size());
  predictions_.resize(z.size());

  // code: q_i = floor(z_i / step + u_i);  p_i = the whole number nearest to y_i / step
  const CodecStatus status = grid_.quantize(z, {input.random.element_key(), std::nullopt}, {}, codes_);
  if (status != CodecStatus::ok) {
    write_scalar(out.resize(1), 0, no_numbers);
    return status;
  }
  const bool predicted = predict(input.near);

  const std::size_t room = traits(z.size()).bytes;
  BytePieces message(out.resize(room));
  const auto checksum_place = message.take(checksum_bytes);
  CodeChecksum checksum;
  buckets_.for_each(z.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    // bound: k = the least with -k/2 <= q_i - p_i < k/2 for every i of a bucket; or the k that is spelled
    LeastModulus least, least_in_full;
    for (std::size_t i = begin; i < begin + size; ++i) {
      least.add(codes_[i] - predictions_[i]);
      least_in_full.add(codes_[i]);
      checksum.add(codes_[i]);
    }
    const std::uint8_t full_place = place_of(least_in_full.value());
    const bool inside = predicted && least.value() <= modulus_.value_or(largest_modulus);

    // sent: w_i = q_i mod k;  in full: w_i = q_i mod k_0
    std::uint64_t k = scale(full_place);
    std::uint8_t first = full_place;
    if (inside && modulus_) {
      k = *modulus_;
      first = near_spelled;
    } else if (inside && place_of(least.value()) <= full_place) {
      k = scale(place_of(least.value()));
      first = near_0 + place_of(least.value());
    }
    write_scalar(message.take(1), 0, first);
    const RadixDigits digits(k);
    const Modulus modulus(k);
    digits.write(size, message.take(digits.bytes(size)), [&](std::size_t i) {
      return static_cast<std::uint64_t>(modulus.remainder(codes_[begin + i]));
    });
  });
  write_scalar(checksum_place, 0, checksum.value());
  out.resize(room - message.rest().size());
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                               std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  CodecStatus status = encode(input, out);
  if (status != CodecStatus::ok) return status;
  values_.resize(into.size());
  status = grid_.reconstruct({}, codes_, values_);
  if (status != CodecStatus::ok) return CodecStatus::saturated;
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += values_[i];
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                         std::span<Scalar> into) {
  return accumulate_near(packet, {}, scale, into);
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::accumulate_near(std::span<const std::byte> packet, std::span<const Scalar> near,
                                              Scalar scale, std::span<Scalar> into) {
  ensure(near.empty() || near.size() == into.size(), "side information is of the vector's size");
  codes_.resize(into.size());
  predictions_.resize(into.size());
  values_.resize(into.size());
  CodecStatus status = decode(packet, near);
  if (status != CodecStatus::ok) return status;

  // decoded: C(z)_i = q_i step
  status = grid_.reconstruct({}, codes_, values_);
  if (status == CodecStatus::ok)
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += scale * values_[i];
  return status;
}

/// Reads the q_i of a message.
template <class Scalar>
CodecStatus NearGrid<Scalar>::decode(std::span<const std::byte> packet, std::span<const Scalar> near) {
  if (packet.size() == 1 && read_scalar<std::uint8_t>(packet, 0) == no_numbers)
    return codes_.empty() ? CodecStatus::malformed : CodecStatus::not_finite;
  const bool predicted = predict(near);
  BytePieces message(packet);
  if (!message.has(checksum_bytes)) return CodecStatus::malformed;
  const auto expected = read_scalar<std::uint16_t>(message.take(checksum_bytes), 0);
  CodeChecksum checksum;
  bool whole = true;
  bool in_range = true;
  bool uses_near = false;
  buckets_.for_each(codes_.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    if (!whole || !message.has(1)) {
      whole = false;
      return;
    }
    const auto first = read_scalar<std::uint8_t>(message.take(1), 0);
    const bool is_near = first >= near_0;
    if (is_near && (first == near_spelled ? !modulus_ : first - near_0 > largest_near_place)) whole = false;
    if (!whole) return;
    const std::uint64_t k = first == near_spelled
                                ? *modulus_
                                : scale(static_cast<std::uint8_t>(is_near ? first - near_0 : first));
    const RadixDigits digits(k);
    const Modulus modulus(k);
    const std::size_t bytes = digits.bytes(size);
    if (!message.has(bytes)) {
      whole = false;
      return;
    }

    // read: q_i = the member of w_i + k Z nearest to p_i, or to 0
    uses_near = uses_near || is_near;
    whole = digits.read(size, message.take(bytes), [&](std::size_t i, std::uint64_t sent) {
      const std::int64_t code = modulus.nearest(sent, is_near && predicted ? predictions_[begin + i] : 0);
      in_range = in_range && std::abs(code) < (std::int64_t{1} << 31);
      checksum.add(code);
      codes_[begin + i] = in_range ? static_cast<std::int32_t>(code) : 0;
    });
  });
  if (!whole || message.has(1)) return CodecStatus::malformed;
  if (in_range && checksum.value() == expected) return CodecStatus::ok;
  return uses_near && !near.empty() ? CodecStatus::out_of_reach : CodecStatus::malformed;
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_near_compressor(const std::string& spelling,
                                                         const SegmentTable& segments) {
  const PipelineSpelling stages = parse_pipeline(spelling);
  const StageSpelling& stage = stages.front();
  if (stages.size() > 1 || (stage.name != "grid" && stage.name != "mod")) return nullptr;
  make_compressor<Scalar>(spelling, segments);  // refuses what it refuses elsewhere
  if (stage.name == "grid") {
    const double step = *Arguments(stage, {"step", {"step"}, {}}).positive("step");
    const Arguments none({}, {"", {"bucket"}, {}});
    return std::make_unique<NearGrid<Scalar>>(step, std::nullopt, Buckets::parse(none, segments, "32"));
  }
  const Arguments arguments(stage, {"k", {"k", "step", "bucket"}, {"nearest"}});
  if (arguments.flag("nearest")) return nullptr;
  return std::make_unique<NearGrid<Scalar>>(*arguments.positive("step"),
                                            arguments.count("k", 1, largest_modulus),
                                            Buckets::parse(arguments, segments, "512"));
}

template class NearGrid<float>;
template class NearGrid<double>;
template std::unique_ptr<Compressor<float>> make_near_compressor<float>(const std::string&,
                                                                        const SegmentTable&);
template std::unique_ptr<Compressor<double>> make_near_compressor<double>(const std::string&,
                                                                          const SegmentTable&);

}  // namespace hearsay
