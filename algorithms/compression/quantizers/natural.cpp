#include "algorithms/compression/quantizers/natural.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "algorithms/compression/quantizers/natural_kernels.hpp"
#include "algorithms/compression/quantizers/places.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

/// Floats that stay in the first-level cache between rounding and applying; a multiple of 16.
constexpr std::size_t tile = 2048;

}  // namespace

std::size_t Natural::message_bytes(std::size_t dimension) const {
  return place_bytes(dimension, code().bits());
}

Traits Natural::traits(std::size_t dimension) const {
  Traits traits = quantizer_.traits(dimension);
  traits.bytes = message_bytes(dimension);
  return traits;
}

CodecStatus Natural::encode(const EncodeInput<float>& input, PacketBuffer& out) {
  return encode_sweep(input, out, {});
}

CodecStatus Natural::encode_and_apply(const EncodeInput<float>& input, PacketBuffer& out,
                                      std::span<float> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  return encode_sweep(input, out, into);
}

CodecStatus Natural::encode_sweep(const EncodeInput<float>& input, PacketBuffer& out, std::span<float> into) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  const ElementKey key = input.random.element_key();
  const auto bytes = out.resize(message_bytes(z.size()));
  const auto signs = bytes.subspan(z.size());
  std::uint32_t largest = 0;
  for (std::size_t begin = 0; begin < z.size(); begin += tile) {
    const std::size_t size = std::min(tile, z.size() - begin);
    std::byte* const tile_signs = signs.empty() ? nullptr : signs.data() + begin / 8;
    const std::uint32_t in_tile =
        natural_encode_fast(z.subspan(begin, size), code(), key, static_cast<std::uint32_t>(begin),
                            bytes.data() + begin, tile_signs);
    largest = std::max(largest, in_tile);
    if (!into.empty() && largest <= code().largest())
      natural_accumulate_fast(bytes.data() + begin, tile_signs, code(), 1.0f, into.subspan(begin, size));
  }
  const CodecStatus status = code().status(largest);
  if (status != CodecStatus::ok) {
    std::ranges::fill(bytes.first(z.size()), static_cast<std::byte>(code().failure()));
    std::ranges::fill(signs, std::byte{0});
  }
  return status;
}

CodecStatus Natural::accumulate(std::span<const std::byte> packet, float scale, std::span<float> into) {
  if (packet.size() != message_bytes(into.size()) ||
      !unused_places_are_zero(packet, code().bits(), into.size()))
    return CodecStatus::malformed;
  if (into.empty()) return CodecStatus::ok;
  if (std::memchr(packet.data(), code().failure(), into.size())) return CodecStatus::not_finite;
  const std::byte* const signs = code().windowed() ? nullptr : packet.data() + into.size();
  natural_accumulate_fast(packet.data(), signs, code(), scale, into);
  return CodecStatus::ok;
}

}  // namespace hearsay
