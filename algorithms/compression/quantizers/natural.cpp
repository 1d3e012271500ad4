#include "algorithms/compression/quantizers/natural.hpp"

#include <algorithm>
#include <cstring>

#include "algorithms/compression/quantizers/natural_kernels.hpp"
#include "algorithms/compression/quantizers/places.hpp"

namespace hearsay {

namespace {

/// The floats in a tile, a multiple of 16: few enough to stay in the first-level cache between rounding and
/// applying.
constexpr std::size_t tile = 2048;

}  // namespace

std::size_t Natural::message_bytes(std::size_t dimension) const {
  return place_bytes(dimension, code().bits());
}

CodecStatus Natural::sweep(std::span<const float> z, ElementKey key, std::span<std::byte> bytes,
                           std::span<float> into) {
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
