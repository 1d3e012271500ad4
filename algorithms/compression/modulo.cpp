#include "algorithms/compression/modulo.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/grid_rounding.hpp"
#include "algorithms/compression/quantizers/place_packing.hpp"
#include "algorithms/compression/quantizers/places.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

/// With random rounding a code is up to a step away, with rounding to the nearest half a step.
constexpr std::uint64_t least_modulus(bool nearest) { return nearest ? 2 : 4; }

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
ModuloGrid Modulo<Scalar>::grid() const {
  return {step_, static_cast<double>(modulus_), largest_ratio_, rounding_ == Rounding::nearest};
}

template <class Scalar>
template <class Visit>
void Modulo<Scalar>::for_each_group(std::size_t dimension, Visit visit) {
  std::array<Part, CodeChecksum::together> parts;
  std::size_t count = 0;
  const auto hand_over = [&] {
    std::size_t size = 0;
    for (std::size_t p = 0; p < count; ++p) size += parts[p].size;
    if (codes_.size() < size) codes_.resize(size);
    if (words_.size() < size) words_.resize(size);
    for (std::size_t p = 0, at = 0; p < count; at += parts[p++].size) {
      parts[p].codes = std::span(codes_).subspan(at, parts[p].size);
      parts[p].words = std::span(words_).subspan(at, parts[p].size);
    }
    visit(std::span(parts).first(count));
    count = 0;
  };
  buckets_.for_each(dimension, [&](std::size_t, std::size_t begin, std::size_t size) {
    parts[count++] = {begin, size, {}, {}, remainders, 0, {}};
    if (count == parts.size()) hand_over();
  });
  if (count > 0) hand_over();
}

template <class Scalar>
void Modulo<Scalar>::sum_codes(std::span<Part> parts) {
  std::array<std::span<const double>, CodeChecksum::together> codes;
  for (std::size_t p = 0; p < parts.size(); ++p)
    if (parts[p].kind == remainders) codes[p] = parts[p].codes;
  const auto checksums = CodeChecksum::of(codes);
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].checksum = checksums[p];
}

template <class Scalar>
CodecStatus Modulo<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  ensure(input.near.empty() || input.near.size() == z.size(), "side information is of the vector's size");
  const ElementKey key = input.random.element_key();
  const std::size_t room = traits(z.size()).bytes;
  BytePieces message(out.resize(room));
  for_each_group(z.size(), [&](std::span<Part> parts) {
    for (Part& part : parts) {
      const auto near = input.near.empty() ? input.near : input.near.subspan(part.begin, part.size);
      const bool recovered = modulo_codes(grid(), z.subspan(part.begin, part.size), near, key,
                                          static_cast<std::uint32_t>(part.begin), part.codes);
      part.kind = recovered ? remainders : full_precision;
    }
    sum_codes(parts);
    for (const Part& part : parts) {
      write_scalar(message.take(1), 0, part.kind);
      if (part.kind == full_precision) {
        const auto bucket = z.subspan(part.begin, part.size);
        std::ranges::copy(std::as_bytes(bucket), message.take(bucket.size_bytes()).begin());
        continue;
      }
      write_scalar(message.take(sizeof(std::uint16_t)), 0, part.checksum);
      modulo_words(grid(), part.codes, part.words);
      pack_places(part.words, 0, bits_, message.take(place_bytes(part.size, bits_)));
    }
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
  for_each_group(into.size(), [&](std::span<Part> parts) {
    if (status == CodecStatus::malformed) return;
    for (Part& part : parts)
      if (!read_part(part, message, near)) {
        status = CodecStatus::malformed;
        return;
      }
    sum_codes(parts);
    for (const Part& part : parts) {
      if (part.kind == full_precision && !all_finite<Scalar>(part.sent))
        status = CodecStatus::not_finite;
      else if (part.kind == remainders && part.checksum != read_scalar<std::uint16_t>(part.sent, 0))
        status = near.empty() ? CodecStatus::malformed : CodecStatus::out_of_reach;
      if (status == CodecStatus::malformed) return;
    }
  });
  if (status == CodecStatus::malformed || message.has(1)) return CodecStatus::malformed;
  if (status == CodecStatus::out_of_reach) return status;
  if (status == CodecStatus::ok && !all_finite(std::span<const Scalar>(decoded_)))
    status = CodecStatus::not_finite;
  if (status == CodecStatus::ok)
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += scale * decoded_[i];
  return status;
}

/// Reads a bucket into decoded_ and its codes. False if it is none.
template <class Scalar>
bool Modulo<Scalar>::read_part(Part& part, BytePieces<const std::byte>& message,
                               std::span<const Scalar> near) {
  if (!message.has(1)) return false;
  const auto values = std::span(decoded_).subspan(part.begin, part.size);
  part.kind = read_scalar<std::uint8_t>(message.take(1), 0);
  if (part.kind == full_precision) {
    if (!message.has(values.size_bytes())) return false;
    part.sent = message.take(values.size_bytes());
    std::ranges::copy(part.sent, std::as_writable_bytes(values).begin());
    return true;
  }
  if (part.kind != remainders || !message.has(sizeof(std::uint16_t) + place_bytes(part.size, bits_)))
    return false;
  part.sent = message.take(sizeof(std::uint16_t));
  const auto places = message.take(place_bytes(part.size, bits_));
  if (!unused_places_are_zero(places, bits_, part.size)) return false;
  unpack_places(places, bits_, false, part.words);
  return modulo_nearest(grid(), part.words, near.empty() ? near : near.subspan(part.begin, part.size),
                        part.codes, values);
}

template <class Scalar>
std::vector<Bracket> Modulo<Scalar>::brackets(std::span<const Scalar> vector) const {
  std::vector<Bracket> brackets;
  buckets_.for_each(vector.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto bucket = vector.subspan(begin, size);
    std::vector<double> codes(size);
    const bool rounded = modulo_codes<Scalar>(grid(), bucket, {}, {}, 0, codes);
    for (std::size_t i = 0; i < size; ++i) {
      const Scalar z = bucket[i];
      const GridPosition place = grid_position(rounded ? static_cast<double>(z) / step_ : 0.0);
      if (rounded && rounding_ == Rounding::nearest) {
        const auto rounded_value = static_cast<double>(value(static_cast<std::int64_t>(codes[i])));
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
