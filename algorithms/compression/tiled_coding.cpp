#include "algorithms/compression/tiled_coding.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/compression/seam/byte_pieces.hpp"
#include "algorithms/compression/seam/scale_status.hpp"

namespace hearsay {

namespace {

/// The number of values in a tile, about: they and their codes fill two thirds of a first-level cache.
constexpr std::size_t tile_values = 4096;

/// The number of values in a tile; n if one of the stages takes no parts.
std::size_t tile_size(std::size_t n, std::size_t quantizer_grain, std::size_t coder_grain) {
  const std::size_t grain = std::lcm(quantizer_grain, coder_grain);  // 0 if one of them is
  if (grain == 0 || grain >= n) return n;
  return std::max<std::size_t>(tile_values / grain, 1) * grain;
}

}  // namespace

template <class Scalar>
CodedValues quantize_and_code(const Quantizer<Scalar>& quantizer, Coder& coder,
                              std::span<const Scalar> values, const QuantizeInput& input,
                              std::span<std::byte> header, std::span<std::byte> out,
                              std::vector<std::int32_t>& codes) {
  const Buckets& buckets = quantizer.buckets();
  const std::size_t n = values.size();
  std::size_t tile = tile_size(n, quantizer.part_grain(), coder.part_grain(buckets));
  CodecStatus status = CodecStatus::ok;
  BytePieces headers(header);
  coder.begin(n, quantizer.range(), buckets, out);
  for (std::size_t begin = 0; begin < n; begin += tile) {
    QuantizeInput part_input = input;
    part_input.first += static_cast<std::uint32_t>(begin);
    const auto part = values.subspan(begin, std::min(tile, n - begin));
    codes.resize(part.size());
    status = quantizer.quantize(part, part_input, headers.take(quantizer.header_bytes(part.size())), codes);
    if (status != CodecStatus::ok && part.size() < n) {
      // Starts again with all values in one part, since the header and codes of a failure depend on all of
      // them.
      tile = n;
      codes.resize(n);
      status = quantizer.quantize(values, input, header, codes);
      coder.begin(n, quantizer.range(), buckets, out);
      begin = 0;
    }
    coder.append(codes);
  }
  return {status, coder.finish()};
}

template <class Scalar>
CodecStatus decode_and_reconstruct(const Quantizer<Scalar>& quantizer, Coder& coder,
                                   std::span<const std::byte> header, std::span<const std::byte> in,
                                   std::span<Scalar> values, std::vector<std::int32_t>& codes) {
  const CodeRange range = quantizer.range();
  const Buckets& buckets = quantizer.buckets();
  const std::size_t n = values.size();
  if (!coder.decodes_in_parts()) {
    codes.resize(n);
    if (!coder.decode(in, range, buckets, codes)) return CodecStatus::malformed;
    return quantizer.reconstruct(header, codes, values);
  }
  const std::size_t tile = tile_size(n, quantizer.part_grain(), coder.part_grain(buckets));
  CodecStatus status = CodecStatus::ok;
  BytePieces headers(header);
  for (std::size_t begin = 0; begin < n; begin += tile) {
    const auto part = values.subspan(begin, std::min(tile, n - begin));
    codes.resize(part.size());
    const auto bytes = coder.decode_part(in, range, buckets, codes);
    if (!bytes) return CodecStatus::malformed;
    in = in.subspan(*bytes);
    status =
        worse(status, quantizer.reconstruct(headers.take(quantizer.header_bytes(part.size())), codes, part));
  }
  return in.empty() ? status : CodecStatus::malformed;
}

#define HEARSAY_INSTANTIATE(Scalar)                                                                         \
  template CodedValues quantize_and_code<Scalar>(const Quantizer<Scalar>&, Coder&, std::span<const Scalar>, \
                                                 const QuantizeInput&, std::span<std::byte>,                \
                                                 std::span<std::byte>, std::vector<std::int32_t>&);         \
  template CodecStatus decode_and_reconstruct<Scalar>(                                                      \
      const Quantizer<Scalar>&, Coder&, std::span<const std::byte>, std::span<const std::byte>,             \
      std::span<Scalar>, std::vector<std::int32_t>&);
HEARSAY_INSTANTIATE(float)
HEARSAY_INSTANTIATE(double)
#undef HEARSAY_INSTANTIATE

}  // namespace hearsay
