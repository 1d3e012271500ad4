#include "algorithms/compression/coders/varint_coder.hpp"

#include <algorithm>
#include <bit>

#include "algorithms/compression/coders/varint_kernels.hpp"
#include "algorithms/compression/quantizers/place_packing.hpp"

namespace hearsay {

namespace {

/// The number of codes that are written or read one by one before the kernels are tried again.
constexpr std::size_t group = 16;

std::uint32_t zigzag(std::int32_t q) {
  return static_cast<std::uint32_t>(q) << 1 ^ static_cast<std::uint32_t>(q >> 31);
}

std::int32_t unzigzag(std::uint32_t word) {
  return static_cast<std::int32_t>(word >> 1) ^ -static_cast<std::int32_t>(word & 1);
}

std::size_t bytes_of(std::int32_t q) {
  return (static_cast<std::size_t>(std::bit_width(zigzag(q) | 1)) + 6) / 7;
}

}  // namespace

std::unique_ptr<Coder> VarintCoder::parse(const StageSpelling& stage) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<VarintCoder>();
}

std::size_t VarintCoder::most_bytes(std::size_t n, const CodeRange& range, const Buckets&) const {
  return n * std::max(bytes_of(range.least), bytes_of(range.most));
}

void VarintCoder::begin(std::size_t, const CodeRange&, const Buckets&, std::span<std::byte> out) {
  out_ = out;
  at_ = out.data();
}

void VarintCoder::append(std::span<const std::int32_t> codes) {
  std::byte* at = at_;
  for (std::size_t i = 0; i < codes.size();) {
    const auto [written, bytes] =
        write_short_words(codes.subspan(i), {at, static_cast<std::size_t>(out_.data() + out_.size() - at)});
    i += written;
    at += bytes;
    for (const std::size_t end = std::min(i + group, codes.size()); i < end; ++i) {
      std::uint32_t word = zigzag(codes[i]);
      for (; word >= 0x80; word >>= 7) *at++ = static_cast<std::byte>(word | 0x80);
      *at++ = static_cast<std::byte>(word);
    }
  }
  at_ = at;
}

std::size_t VarintCoder::finish() { return static_cast<std::size_t>(at_ - out_.data()); }

bool VarintCoder::decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
                         std::span<std::int32_t> codes) {
  return decode_part(in, range, buckets, codes) == in.size();
}

std::optional<std::size_t> VarintCoder::decode_part(std::span<const std::byte> in, const CodeRange& range,
                                                    const Buckets&, std::span<std::int32_t> codes) {
  constexpr unsigned last_shift = 28;
  std::size_t at = 0;
  for (std::size_t i = 0; i < codes.size();) {
    if (at > 0) {
      const auto [read, bytes] = read_short_words(in, at, codes.subspan(i));
      i += read;
      at += bytes;
    }
    for (const std::size_t end = std::min(i + group, codes.size()); i < end; ++i) {
      std::uint32_t word = 0;
      for (unsigned shift = 0;; shift += 7) {
        if (at == in.size() || shift > last_shift) return std::nullopt;
        const auto byte = std::to_integer<std::uint32_t>(in[at++]);
        if (shift == last_shift && byte > 0x0F) return std::nullopt;  // more than 32 bits
        word |= (byte & 0x7F) << shift;
        if (byte >= 0x80) continue;
        if (byte == 0 && shift > 0) return std::nullopt;  // a shorter form exists
        break;
      }
      codes[i] = unzigzag(word);
    }
  }
  if (codes.empty()) return at;
  const auto [least, most] = least_and_most(codes);
  if (!range.contains(least) || !range.contains(most)) return std::nullopt;
  return at;
}

}  // namespace hearsay
