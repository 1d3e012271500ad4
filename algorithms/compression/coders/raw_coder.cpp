#include "algorithms/compression/coders/raw_coder.hpp"

#include <algorithm>
#include <bit>

#include "algorithms/compression/quantizers/place_packing.hpp"
#include "algorithms/compression/quantizers/places.hpp"

namespace hearsay {

std::unique_ptr<Coder> RawCoder::parse(const StageSpelling& stage) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<RawCoder>();
}

unsigned RawCoder::width(const CodeRange& range) {
  if (range.least >= 0)
    return std::max(
        1u, static_cast<unsigned>(std::bit_width(static_cast<std::uint32_t>(range.most - range.least))));
  const auto below = static_cast<std::uint32_t>(-(range.least + 1));
  const auto above = static_cast<std::uint32_t>(std::max(range.most, 0));
  return 1u + static_cast<unsigned>(std::bit_width(std::max(below, above)));
}

std::string RawCoder::objection(const CodeRange& range) const {
  return width(range) <= 24 ? "" : "raw takes codes of at most 24 bits; take varint, elias or entropy";
}

std::size_t RawCoder::most_bytes(std::size_t n, const CodeRange& range, const Buckets& buckets) const {
  const unsigned bits = width(range);
  std::size_t bytes = 0;
  buckets.for_each(n, [&](std::size_t, std::size_t, std::size_t size) { bytes += place_bytes(size, bits); });
  return bytes;
}

void RawCoder::begin(std::size_t, const CodeRange& range, const Buckets& buckets, std::span<std::byte> out) {
  range_ = range;
  buckets_ = &buckets;
  rest_ = out;
  used_ = 0;
}

void RawCoder::append(std::span<const std::int32_t> codes) {
  const unsigned bits = width(range_);
  const std::int32_t zero = range_.least >= 0 ? range_.least : 0;
  buckets_->for_each(codes.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto bytes = rest_.first(place_bytes(size, bits));
    rest_ = rest_.subspan(bytes.size());
    used_ += bytes.size();
    pack_places(codes.subspan(begin, size), zero, bits, bytes);
  });
}

std::size_t RawCoder::finish() { return used_; }

bool RawCoder::decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
                      std::span<std::int32_t> codes) {
  return decode_part(in, range, buckets, codes) == in.size();
}

std::optional<std::size_t> RawCoder::decode_part(std::span<const std::byte> in, const CodeRange& range,
                                                 const Buckets& buckets, std::span<std::int32_t> codes) {
  const std::size_t all = most_bytes(codes.size(), range, buckets);
  if (in.size() < all) return std::nullopt;
  if (codes.empty()) return all;
  const unsigned bits = width(range);
  bool places_are_clean = true;
  std::size_t used = 0;
  buckets.for_each(codes.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const auto bytes = in.subspan(used, place_bytes(size, bits));
    used += bytes.size();
    unpack_places(bytes, bits, range.least < 0, codes.subspan(begin, size));
    places_are_clean = places_are_clean && unused_places_are_zero(bytes, bits, size);
  });
  if (range.least > 0)
    for (std::int32_t& code : codes) code += range.least;
  const auto [least, most] = least_and_most(codes);
  if (!places_are_clean || !range.contains(least) || !range.contains(most)) return std::nullopt;
  return all;
}

}  // namespace hearsay
