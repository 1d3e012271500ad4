#include "algorithms/compression/quantizers/dither.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/dither_kernels.hpp"

namespace hearsay {

namespace {

/// The most buckets of a batch, however small they are.
constexpr std::size_t most_batched = 16;

// The functions *_any call the kernels if they exist, else the plain arithmetic that the kernels reproduce.

template <class Scalar>
void norms_any(std::span<const DitherBucket<Scalar>> buckets, DitherNorm norm, std::span<double> norms) {
  if constexpr (std::is_same_v<Scalar, float>)
    if (norm == DitherNorm::linf) {
      std::array<float, most_batched> largest;
      largest_magnitudes(buckets, largest);
      std::copy_n(largest.begin(), buckets.size(), norms.begin());
      return;
    }
  for (std::size_t k = 0; k < buckets.size(); ++k) norms[k] = bucket_norm(norm, buckets[k].z);
}

template <class Scalar>
void encode_any(std::span<const DitherBucket<Scalar>> buckets, const DitherCode& code, ElementKey key) {
  if constexpr (std::is_same_v<Scalar, float>)
    if (has_dither_kernel(code) &&
        std::ranges::all_of(buckets, [](const auto& bucket) { return bucket.step.lift == 1.0f; }))
      return encode_buckets_fast(buckets, code, key);
  for (const DitherBucket<Scalar>& bucket : buckets) encode_bucket(bucket, code, key);
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
std::size_t Dither<Scalar>::message_bytes(std::size_t dimension) const {
  std::size_t bytes = buckets().count(dimension) * sizeof(Scalar);
  buckets().for_each(dimension,
                     [&](std::size_t, std::size_t, std::size_t size) { bytes += code().bytes(size); });
  return bytes;
}

template <class Scalar>
CodecStatus Dither<Scalar>::sweep(std::span<const Scalar> z, ElementKey key, std::span<std::byte> bytes,
                                  std::span<Scalar> into) {
  const std::size_t dimension = z.size();
  const auto steps = bytes.first(buckets().count(dimension) * sizeof(Scalar));
  auto codes = bytes.subspan(steps.size());
  CodecStatus status = CodecStatus::ok;
  std::array<DitherBucket<Scalar>, most_batched> batch;
  std::size_t batched = 0;
  std::size_t batched_floats = 0;
  const auto encode_batch = [&](std::size_t next_bucket) {
    std::array<double, most_batched> norms;
    norms_any<Scalar>(std::span(batch).first(batched), quantizer().norm(), norms);
    std::size_t kept = 0;
    for (std::size_t k = 0; k < batched; ++k) {
      const std::size_t bucket = next_bucket - batched + k;
      if (std::isfinite(norms[k])) {
        if (kept != k) batch[kept] = batch[k];
        if (status != CodecStatus::ok) batch[kept].into = nullptr;
        batch[kept].step = dither_step<Scalar>(norms[k], code());
        write_scalar(steps, bucket, batch[kept++].step.step);
        continue;
      }
      write_scalar(steps, bucket, static_cast<Scalar>(norms[k]));
      std::ranges::fill(batch[k].bytes, std::byte{0});
      if (status != CodecStatus::not_finite)
        status = std::isnan(norms[k]) ? CodecStatus::not_finite : CodecStatus::saturated;
    }
    encode_any<Scalar>(std::span(batch).first(kept), code(), key);
    batched = batched_floats = 0;
  };
  buckets().for_each(dimension, [&](std::size_t bucket, std::size_t begin, std::size_t size) {
    DitherBucket<Scalar>& added = batch[batched++];
    added.z = z.subspan(begin, size);
    added.first = static_cast<std::uint32_t>(begin);
    added.bytes = codes.first(code().bytes(size));
    added.into = into.empty() ? nullptr : into.data() + begin;
    codes = codes.subspan(added.bytes.size());
    batched_floats += size;
    if (batched == most_batched || batched_floats >= dither_batch_floats) encode_batch(bucket + 1);
  });
  encode_batch(buckets().count(dimension));
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
    else if (!std::isfinite(decoded(code().levels, step, code())) && status == CodecStatus::ok)
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
