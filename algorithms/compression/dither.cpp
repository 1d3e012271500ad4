#include "algorithms/compression/dither.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/compression/dither_kernels.hpp"
#include "algorithms/compression/wire_scalar.hpp"
#include "algorithms/kernels.hpp"
#include "topology/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::int32_t most_levels = 32767;

std::int32_t levels_of_bits(std::uint64_t bits) { return static_cast<std::int32_t>((1u << (bits - 1)) - 1); }

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_qsgd(DitherNorm norm, const StageSpelling& stage,
                                              const SegmentTable& segments) {
  const Arguments arguments(stage, {"bits", {"bits", "bucket"}, {}});
  const auto bits = arguments.count("bits", 2, 16).value_or(4);
  return std::make_unique<Dither<Scalar>>(norm, levels_of_bits(bits),
                                          Buckets::parse(arguments, segments, "512"));
}

/// Euclidean norm of finite coordinates whose squares may leave the range of a double.
template <class Scalar>
double scaled_norm(std::span<const Scalar> z, double largest) {
  const int exponent = std::ilogb(largest);
  double total = 0.0;
  for (const Scalar value : z) {
    const double scaled = std::scalbn(static_cast<double>(value), -exponent);
    total += scaled * scaled;
  }
  return std::scalbn(std::sqrt(total), exponent);
}

double largest_of(std::span<const double> z) {
  double largest = 0.0;
  for (const double value : z) {
    const double magnitude = std::abs(value);
    if (!(magnitude <= std::numeric_limits<double>::max())) return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, magnitude);
  }
  return largest;
}

double largest_of(std::span<const float> z) { return static_cast<double>(largest_magnitude(z)); }

/// The fast kernels where they exist, else the plain arithmetic that they reproduce.
template <class Scalar>
void encode_any(std::span<const Scalar> z, const DitherStep<Scalar>& step, const DitherCode& code,
                ElementKey key, std::uint32_t first, std::span<std::byte> bytes, Scalar* into) {
  if constexpr (std::is_same_v<Scalar, float>)
    if (has_dither_kernel(code) && step.lift == 1.0f)
      return encode_bucket_fast(z, step, code, key, first, bytes, into);
  encode_bucket(z, step, code, key, first, bytes, into);
}

template <class Scalar>
void accumulate_any(std::span<const std::byte> bytes, const DitherCode& code, Scalar step, Scalar scale,
                    std::span<Scalar> into) {
  if constexpr (std::is_same_v<Scalar, float>)
    if (has_dither_kernel(code)) return accumulate_bucket_fast(bytes, code, step, scale, into);
  accumulate_bucket(bytes, code, step, scale, into);
}

bool valid_any(std::span<const std::byte> bytes, const DitherCode& code, std::size_t size) {
  return has_dither_kernel(code) ? bucket_valid_fast(bytes, code, size) : bucket_valid(bytes, code, size);
}

}  // namespace

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Dither<Scalar>::parse(const StageSpelling& stage,
                                                          const SegmentTable& segments) {
  const Arguments arguments(stage, {"norm", {"norm", "levels", "bits", "bucket"}, {}});
  const std::array<std::string, 2> norms{"linf", "l2"};
  const auto norm = arguments.word("norm", norms) == "l2" ? DitherNorm::l2 : DitherNorm::linf;
  const auto levels = arguments.count("levels", 1, most_levels);
  const auto bits = arguments.count("bits", 2, 16);
  if (levels && bits) arguments.refuse("bits", "levels or bits, not both");
  if (!levels && !bits) arguments.refuse("levels", "levels= or bits=");
  return std::make_unique<Dither>(norm, levels ? static_cast<std::int32_t>(*levels) : levels_of_bits(*bits),
                                  Buckets::parse(arguments, segments, "512"));
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Dither<Scalar>::parse_qsgd(const StageSpelling& stage,
                                                               const SegmentTable& segments) {
  return make_qsgd<Scalar>(DitherNorm::l2, stage, segments);
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Dither<Scalar>::parse_qsgdinf(const StageSpelling& stage,
                                                                  const SegmentTable& segments) {
  return make_qsgd<Scalar>(DitherNorm::linf, stage, segments);
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Dither<Scalar>::parse_terngrad(const StageSpelling& stage,
                                                                   const SegmentTable& segments) {
  const Arguments arguments(stage, {"bucket", {"bucket"}, {}});
  return std::make_unique<Dither>(DitherNorm::linf, 1, Buckets::parse(arguments, segments, "layer"));
}

template <class Scalar>
Dither<Scalar>::Dither(DitherNorm norm, std::int32_t levels, Buckets buckets)
    : norm_(norm), code_(levels), buckets_(std::move(buckets)) {
  ensure(1 <= levels && levels <= most_levels, "a dither has 1 to 32767 positive levels");
}

template <class Scalar>
std::string Dither<Scalar>::spelling() const {
  return std::string("dither(") + (norm_ == DitherNorm::l2 ? "l2" : "linf") +
         ", levels=" + std::to_string(code_.levels) + ", bucket=" + buckets_.spelling() + ")";
}

template <class Scalar>
Traits Dither<Scalar>::traits(std::size_t dimension) const {
  const std::size_t largest = buckets_.largest(dimension);
  Traits traits;
  traits.unbiased = true;
  // Buckets are independent and omega grows with their size: the largest bucket bounds them all.
  traits.omega = dither_worst_omega(norm_, largest, code_.levels);
  traits.omega_typical = dither_gaussian_omega(norm_, largest, code_.levels);
  if (traits.omega < 1.0) traits.contraction = 1.0 - traits.omega;
  traits.bytes = message_bytes(dimension);
  return traits;
}

template <class Scalar>
std::size_t Dither<Scalar>::message_bytes(std::size_t dimension) const {
  std::size_t bytes = buckets_.count(dimension) * sizeof(Scalar);
  buckets_.for_each(dimension,
                    [&](std::size_t, std::size_t, std::size_t size) { bytes += code_.bytes(size); });
  return bytes;
}

template <class Scalar>
double Dither<Scalar>::norm_of(std::span<const Scalar> bucket) const {
  const double largest = largest_of(bucket);
  if (norm_ == DitherNorm::linf || largest == 0.0 || !std::isfinite(largest)) return largest;
  const bool squares_in_range = 0x1p-400 < largest && largest < 0x1p400;
  const double norm = squares_in_range ? std::sqrt(squared_norm(bucket)) : scaled_norm(bucket, largest);
  const bool in_range = norm <= static_cast<double>(std::numeric_limits<Scalar>::max());
  return in_range ? norm : std::numeric_limits<double>::infinity();
}

template <class Scalar>
CodecStatus Dither<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  return encode_sweep(input, out, nullptr);
}

template <class Scalar>
CodecStatus Dither<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                             std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  return encode_sweep(input, out, into.data());
}

template <class Scalar>
CodecStatus Dither<Scalar>::encode_sweep(const EncodeInput<Scalar>& input, PacketBuffer& out, Scalar* into) {
  const std::size_t dimension = input.vector.size();
  ensure(dimension <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  const ElementKey key = input.random.element_key();
  const auto bytes = out.resize(message_bytes(dimension));
  const auto steps = bytes.first(buckets_.count(dimension) * sizeof(Scalar));
  auto codes = bytes.subspan(steps.size());
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(dimension, [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto z = input.vector.subspan(begin, size);
    const auto bucket_codes = codes.first(code_.bytes(size));
    codes = codes.subspan(bucket_codes.size());
    const double norm = norm_of(z);
    if (!std::isfinite(norm)) {
      write_scalar(steps, bucket, static_cast<Scalar>(norm));
      std::fill(bucket_codes.begin(), bucket_codes.end(), std::byte{0});
      if (status != CodecStatus::not_finite)
        status = std::isnan(norm) ? CodecStatus::not_finite : CodecStatus::saturated;
      into = nullptr;
      return;
    }
    const auto step = dither_step<Scalar>(norm, code_);
    write_scalar(steps, bucket, step.step);
    encode_any(z, step, code_, key, static_cast<std::uint32_t>(begin), bucket_codes,
               into ? into + begin : nullptr);
  });
  return status;
}

template <class Scalar>
CodecStatus Dither<Scalar>::check(std::span<const std::byte> packet, std::size_t dimension) const {
  if (packet.size() != message_bytes(dimension)) return CodecStatus::malformed;
  auto codes = packet.subspan(buckets_.count(dimension) * sizeof(Scalar));
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(dimension, [&](std::size_t bucket, std::size_t, std::size_t size) {
    const auto bucket_codes = codes.first(code_.bytes(size));
    codes = codes.subspan(bucket_codes.size());
    const auto step = read_scalar<Scalar>(packet, bucket);
    if (std::signbit(step) || !valid_any(bucket_codes, code_, size))
      status = CodecStatus::malformed;
    else if (!std::isfinite(step * static_cast<Scalar>(code_.levels)) && status == CodecStatus::ok)
      status = CodecStatus::not_finite;
  });
  return status;
}

template <class Scalar>
CodecStatus Dither<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                       std::span<Scalar> into) {
  const CodecStatus status = check(packet, into.size());
  if (status != CodecStatus::ok) return status;
  auto codes = packet.subspan(buckets_.count(into.size()) * sizeof(Scalar));
  buckets_.for_each(into.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto bucket_codes = codes.first(code_.bytes(size));
    codes = codes.subspan(bucket_codes.size());
    accumulate_any(bucket_codes, code_, read_scalar<Scalar>(packet, bucket), scale,
                   into.subspan(begin, size));
  });
  return CodecStatus::ok;
}

template <class Scalar>
std::vector<Bracket> Dither<Scalar>::brackets(std::span<const Scalar> vector) const {
  std::vector<Bracket> brackets;
  bool encodable = true;
  buckets_.for_each(vector.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto z = vector.subspan(begin, size);
    const double norm = norm_of(z);
    encodable = encodable && std::isfinite(norm);
    if (!encodable) return;
    const auto step = dither_step<Scalar>(norm, code_);
    const std::int32_t unit = std::int32_t{1} << code_.fraction_bits;
    for (const Scalar value : z) {
      const std::int32_t fixed = fixed_point(value, step, code_);
      const std::int32_t low = fixed >> code_.fraction_bits;
      const std::int32_t high = std::min(low + 1, code_.levels);  // at the top the probability is 0
      brackets.push_back({static_cast<double>(static_cast<Scalar>(low) * step.step),
                          static_cast<double>(static_cast<Scalar>(high) * step.step),
                          static_cast<double>(fixed & (unit - 1)) / unit});
    }
  });
  if (!encodable) brackets.clear();
  return brackets;
}

template class Dither<float>;
template class Dither<double>;

}  // namespace hearsay
