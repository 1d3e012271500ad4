#include "algorithms/compression/dither.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "algorithms/compression/dither_kernels.hpp"
#include "algorithms/compression/wire_scalar.hpp"
#include "topology/ensure.hpp"

namespace hearsay {

namespace {

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
Traits Dither<Scalar>::traits(std::size_t dimension) const {
  Traits traits = quantizer_.traits(dimension);
  traits.bytes = message_bytes(dimension);
  return traits;
}

template <class Scalar>
std::size_t Dither<Scalar>::message_bytes(std::size_t dimension) const {
  std::size_t bytes = buckets().count(dimension) * sizeof(Scalar);
  buckets().for_each(dimension,
                     [&](std::size_t, std::size_t, std::size_t size) { bytes += code().bytes(size); });
  return bytes;
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
  const auto steps = bytes.first(buckets().count(dimension) * sizeof(Scalar));
  auto codes = bytes.subspan(steps.size());
  CodecStatus status = CodecStatus::ok;
  buckets().for_each(dimension, [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto z = input.vector.subspan(begin, size);
    const auto bucket_codes = codes.first(code().bytes(size));
    codes = codes.subspan(bucket_codes.size());
    const double norm = bucket_norm(quantizer_.norm(), z);
    if (!std::isfinite(norm)) {
      write_scalar(steps, bucket, static_cast<Scalar>(norm));
      std::fill(bucket_codes.begin(), bucket_codes.end(), std::byte{0});
      if (status != CodecStatus::not_finite)
        status = std::isnan(norm) ? CodecStatus::not_finite : CodecStatus::saturated;
      into = nullptr;
      return;
    }
    const auto step = dither_step<Scalar>(norm, code());
    write_scalar(steps, bucket, step.step);
    encode_any(z, step, code(), key, static_cast<std::uint32_t>(begin), bucket_codes,
               into ? into + begin : nullptr);
  });
  return status;
}

template <class Scalar>
CodecStatus Dither<Scalar>::check(std::span<const std::byte> packet, std::size_t dimension) const {
  if (packet.size() != message_bytes(dimension)) return CodecStatus::malformed;
  auto codes = packet.subspan(buckets().count(dimension) * sizeof(Scalar));
  CodecStatus status = CodecStatus::ok;
  buckets().for_each(dimension, [&](std::size_t bucket, std::size_t, std::size_t size) {
    const auto bucket_codes = codes.first(code().bytes(size));
    codes = codes.subspan(bucket_codes.size());
    const auto step = read_scalar<Scalar>(packet, bucket);
    if (std::signbit(step) || !valid_any(bucket_codes, code(), size))
      status = CodecStatus::malformed;
    else if (!std::isfinite(step * static_cast<Scalar>(code().levels)) && status == CodecStatus::ok)
      status = CodecStatus::not_finite;
  });
  return status;
}

template <class Scalar>
CodecStatus Dither<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                       std::span<Scalar> into) {
  const CodecStatus status = check(packet, into.size());
  if (status != CodecStatus::ok) return status;
  auto codes = packet.subspan(buckets().count(into.size()) * sizeof(Scalar));
  buckets().for_each(into.size(), [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    const auto bucket_codes = codes.first(code().bytes(size));
    codes = codes.subspan(bucket_codes.size());
    accumulate_any(bucket_codes, code(), read_scalar<Scalar>(packet, bucket), scale,
                   into.subspan(begin, size));
  });
  return CodecStatus::ok;
}

template class Dither<float>;
template class Dither<double>;

}  // namespace hearsay
