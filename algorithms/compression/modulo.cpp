#include "algorithms/compression/modulo.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/code_checksum.hpp"
#include "algorithms/compression/quantizers/grid_rounding.hpp"
#include "algorithms/compression/quantizers/places.hpp"
#include "algorithms/compression/seam/byte_pieces.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// With random rounding a code is up to a step away, with rounding to the nearest half a step.
constexpr std::uint64_t least_modulus(bool nearest) { return nearest ? 2 : 4; }

/// The grid point nearest to `ratio`, the upper one if two are.
std::int64_t nearest_code(double ratio) {
  const GridPosition place = grid_position(ratio);
  return place.whole + (place.fraction >= 0.5 ? 1 : 0);
}

enum : std::uint8_t { remainders = 0, full_precision = 1 };

}  // namespace

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Modulo<Scalar>::parse(const StageSpelling& stage,
                                                          const SegmentTable& segments) {
  const Arguments arguments(stage, {"k", {"k", "step", "bucket"}, {"nearest"}});
  const auto rounding = arguments.flag("nearest") ? Rounding::nearest : Rounding::random;
  const auto modulus = arguments.count("k", least_modulus(rounding == Rounding::nearest), 65536,
                                       rounding == Rounding::random ? "2 or 3 with nearest" : "");
  if (!modulus)
    arguments.refuse("k", "k=, how many grid points are told apart, such as mod(k=16, step=0.01)");
  const auto step = arguments.positive("step");
  if (!step)
    arguments.refuse("step", "step=, the distance of the grid's points, such as mod(k=16, step=0.01)");
  if (!(*step >= std::numeric_limits<Scalar>::min() && *step <= std::numeric_limits<Scalar>::max()))
    arguments.refuse("step", "a step in the range of normal numbers of the run's scalar");
  return std::make_unique<Modulo>(static_cast<std::int64_t>(*modulus), *step, rounding,
                                  Buckets::parse(arguments, segments, "512"));
}

template <class Scalar>
Modulo<Scalar>::Modulo(std::int64_t modulus, double step, Rounding rounding, Buckets buckets)
    : modulus_(modulus),
      bits_(static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(modulus - 1)))),
      step_(step),
      rounding_(rounding),
      // Less one step, since rounding up adds one.
      largest_ratio_(
          std::min(0x1p52, std::floor(static_cast<double>(std::numeric_limits<Scalar>::max()) / step) - 1)),
      buckets_(std::move(buckets)) {
  ensure(step > 0.0 && static_cast<std::uint64_t>(modulus) >= least_modulus(rounding == Rounding::nearest),
         "a modulo quantizer tells enough points of its grid apart to find the one that was meant");
}

template <class Scalar>
std::string Modulo<Scalar>::spelling() const {
  return "mod(k=" + std::to_string(modulus_) + ", step=" + number_text(step_) +
         (rounding_ == Rounding::nearest ? ", nearest" : "") + ", bucket=" + buckets_.spelling() + ")";
}

template <class Scalar>
Traits Modulo<Scalar>::traits(std::size_t dimension) const {
  Traits traits;
  const bool random = rounding_ == Rounding::random;
  traits.unbiased = random;
  traits.deterministic = !random;
  traits.absolute_error_per_coordinate = step_ / 2.0;
  traits.reach = step_ * (static_cast<double>(modulus_) - (random ? 2.0 : 1.0)) / 2.0;
  traits.data_dependent_size = true;
  buckets_.for_each(dimension, [&](std::size_t, std::size_t, std::size_t size) {
    traits.bytes += 1 + std::max(sizeof(std::uint16_t) + place_bytes(size, bits_), size * sizeof(Scalar));
  });
  return traits;
}

template <class Scalar>
bool Modulo<Scalar>::recoverable(std::span<const Scalar> z, std::span<const Scalar> near) const {
  // Half a step less than the (k - 2) / 2 of exact arithmetic, since the quotients are rounded.
  const double reach = (static_cast<double>(modulus_) - 3.0) / 2.0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double ratio = static_cast<double>(z[i]) / step_;
    const double there = near.empty() ? 0.0 : static_cast<double>(near[i]) / step_;
    if (!(std::abs(ratio) < largest_ratio_ && std::abs(there) < 0x1p52)) return false;
    if (rounding_ == Rounding::random) {
      if (!(std::abs(ratio - there) <= reach)) return false;
    } else {
      const std::int64_t code = nearest_code(ratio);
      if (nearest(remainder(code), there) != code) return false;
    }
  }
  return true;
}

template <class Scalar>
CodecStatus Modulo<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  ensure(input.near.empty() || input.near.size() == z.size(), "side information is of the vector's size");
  const ElementKey key = input.random.element_key();
  const std::size_t room = traits(z.size()).bytes;
  BytePieces message(out.resize(room));
  buckets_.for_each(z.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto bucket = z.subspan(begin, size);
    const auto near = input.near.empty() ? input.near : input.near.subspan(begin, size);
    if (!recoverable(bucket, near)) {
      write_scalar(message.take(1), 0, full_precision);
      std::ranges::copy(std::as_bytes(bucket), message.take(bucket.size_bytes()).begin());
      return;
    }
    write_scalar(message.take(1), 0, remainders);
    const auto checksum_place = message.take(sizeof(std::uint16_t));
    const auto places = message.take(place_bytes(size, bits_));
    std::ranges::fill(places, std::byte{0});
    CodeChecksum checksum;
    for (std::size_t i = 0; i < size; ++i) {
      const double ratio = static_cast<double>(bucket[i]) / step_;
      const std::int64_t code =
          rounding_ == Rounding::nearest
              ? nearest_code(ratio)
              : grid_position(ratio).rounded(element_bits(key, static_cast<std::uint32_t>(begin + i)));
      checksum.add(code);
      write_place(places, bits_, i, remainder(code));
    }
    write_scalar(checksum_place, 0, checksum.value());
  });
  out.resize(room - message.rest().size());
  return all_finite(z) ? CodecStatus::ok : CodecStatus::not_finite;
}

template <class Scalar>
CodecStatus Modulo<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                             std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  return status == CodecStatus::ok ? accumulate_near(out.bytes(), input.near, Scalar(1), into) : status;
}

template <class Scalar>
std::uint32_t Modulo<Scalar>::remainder(std::int64_t code) const {
  return static_cast<std::uint32_t>((code % modulus_ + modulus_) % modulus_);
}

/// remainder + modulus j, with j the integer nearest to (near - remainder) / modulus.
template <class Scalar>
std::int64_t Modulo<Scalar>::nearest(std::uint32_t remainder, double near) const {
  const auto modulus = static_cast<double>(modulus_);
  return static_cast<std::int64_t>(remainder) +
         modulus_ * static_cast<std::int64_t>(std::floor((near - remainder) / modulus + 0.5));
}

template <class Scalar>
CodecStatus Modulo<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                       std::span<Scalar> into) {
  return accumulate_near(packet, {}, scale, into);
}

template <class Scalar>
CodecStatus Modulo<Scalar>::accumulate_near(std::span<const std::byte> packet, std::span<const Scalar> near,
                                            Scalar scale, std::span<Scalar> into) {
  ensure(near.empty() || near.size() == into.size(), "side information is of the vector's size");
  decoded_.resize(into.size());
  BytePieces message(packet);
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(into.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    if (status == CodecStatus::malformed) return;
    status = [&] {
      if (!message.has(1)) return CodecStatus::malformed;
      const auto kind = read_scalar<std::uint8_t>(message.take(1), 0);
      if (kind == full_precision) {
        if (!message.has(size * sizeof(Scalar))) return CodecStatus::malformed;
        const auto values = message.take(size * sizeof(Scalar));
        for (std::size_t i = 0; i < size; ++i) decoded_[begin + i] = read_scalar<Scalar>(values, i);
        return all_finite<Scalar>(values) ? status : CodecStatus::not_finite;
      }
      if (kind != remainders || !message.has(sizeof(std::uint16_t) + place_bytes(size, bits_)))
        return CodecStatus::malformed;
      const auto expected = read_scalar<std::uint16_t>(message.take(sizeof(std::uint16_t)), 0);
      const auto places = message.take(place_bytes(size, bits_));
      if (!unused_places_are_zero(places, bits_, size)) return CodecStatus::malformed;
      CodeChecksum checksum;
      for (std::size_t i = 0; i < size; ++i) {
        const std::uint32_t remainder = read_place(places, bits_, i);
        const double there = near.empty() ? 0.0 : static_cast<double>(near[begin + i]) / step_;
        if (remainder >= modulus_ || !(std::abs(there) < 0x1p52)) return CodecStatus::malformed;
        const std::int64_t code = nearest(remainder, there);
        checksum.add(code);
        decoded_[begin + i] = value(code);
      }
      if (checksum.value() == expected) return status;
      return near.empty() ? CodecStatus::malformed : CodecStatus::out_of_reach;
    }();
  });
  if (status == CodecStatus::malformed || message.has(1)) return CodecStatus::malformed;
  if (status == CodecStatus::out_of_reach) return status;
  if (status == CodecStatus::ok && !all_finite(std::span<const Scalar>(decoded_)))
    status = CodecStatus::not_finite;
  if (status == CodecStatus::ok)
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += scale * decoded_[i];
  return status;
}

template <class Scalar>
std::vector<Bracket> Modulo<Scalar>::brackets(std::span<const Scalar> vector) const {
  std::vector<Bracket> brackets;
  buckets_.for_each(vector.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto bucket = vector.subspan(begin, size);
    const bool rounded = recoverable(bucket, {});
    for (const Scalar z : bucket) {
      const GridPosition place = grid_position(rounded ? static_cast<double>(z) / step_ : 0.0);
      if (rounded && rounding_ == Rounding::nearest) {
        const auto rounded_value = static_cast<double>(value(nearest_code(static_cast<double>(z) / step_)));
        brackets.push_back({rounded_value, rounded_value, 0.0});
      } else if (rounded)
        brackets.push_back({static_cast<double>(value(place.whole)),
                            static_cast<double>(value(place.whole + 1)), place.probability_up()});
      else
        brackets.push_back({static_cast<double>(z), static_cast<double>(z), 0.0});
    }
  });
  if (!all_finite(vector)) brackets.clear();
  return brackets;
}

template class Modulo<float>;
template class Modulo<double>;

}  // namespace hearsay
