#include "algorithms/compression/coders/varint_coder.hpp"

#include <algorithm>
#include <bit>

namespace hearsay {

namespace {

/// The number of codes that are written or read together if their words are short.
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

/// Writes a group of words that are all below 128. False if one is not; `out` may then be overwritten.
bool write_short(const std::int32_t* __restrict codes, std::byte* __restrict out) {
  std::uint32_t all = 0;
  for (std::size_t k = 0; k < group; ++k) {
    const std::uint32_t word = zigzag(codes[k]);
    all |= word;
    out[k] = static_cast<std::byte>(word);
  }
  return all < 0x80;
}

/// Writes a group of words that are all below 2^14, in one or two bytes each, without branches, since a
/// processor could not predict them. Returns how many bytes they take; 0 if a word is larger. May overwrite
/// up to two bytes a word in `out`.
std::size_t write_middling(const std::int32_t* __restrict codes, std::byte* __restrict out) {
  std::uint32_t all = 0;
  for (std::size_t k = 0; k < group; ++k) all |= zigzag(codes[k]);
  if (all >= 1u << 14) return 0;
  std::size_t at = 0;
  for (std::size_t k = 0; k < group; ++k) {
    const std::uint32_t word = zigzag(codes[k]);
    const std::uint32_t longer = word >= 0x80;
    out[at] = static_cast<std::byte>(word | longer << 7);
    out[at + 1] = static_cast<std::byte>(word >> 7);
    at += 1 + longer;
  }
  return at;
}

bool read_short(const std::byte* __restrict in, std::int32_t* __restrict codes) {
  std::uint32_t all = 0;
  for (std::size_t k = 0; k < group; ++k) {
    const auto word = std::to_integer<std::uint32_t>(in[k]);
    all |= word;
    codes[k] = unzigzag(word);
  }
  return all < 0x80;
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
    // Every code takes a byte at least, so a group always fits.
    if (i + group <= codes.size() && write_short(&codes[i], at)) {
      i += group;
      at += group;
      continue;
    }
    if (i + group <= codes.size() && out_.data() + out_.size() - at >= std::ptrdiff_t{2 * group})
      if (const std::size_t bytes = write_middling(&codes[i], at); bytes > 0) {
        i += group;
        at += bytes;
        continue;
      }
    for (const std::size_t end = std::min(i + group, codes.size()); i < end; ++i) {
      std::uint32_t word = zigzag(codes[i]);
      for (; word >= 0x80; word >>= 7) *at++ = static_cast<std::byte>(word | 0x80);
      *at++ = static_cast<std::byte>(word);
    }
  }
  at_ = at;
}

std::size_t VarintCoder::finish() { return static_cast<std::size_t>(at_ - out_.data()); }

bool VarintCoder::decode(std::span<const std::byte> in, const CodeRange& range, const Buckets&,
                         std::span<std::int32_t> codes) {
  constexpr unsigned last_shift = 28;
  std::size_t at = 0;
  for (std::size_t i = 0; i < codes.size();) {
    if (i + group <= codes.size() && at + group <= in.size() && read_short(&in[at], &codes[i])) {
      i += group;
      at += group;
      continue;
    }
    for (const std::size_t end = std::min(i + group, codes.size()); i < end; ++i) {
      std::uint32_t word = 0;
      for (unsigned shift = 0;; shift += 7) {
        if (at == in.size() || shift > last_shift) return false;
        const auto byte = std::to_integer<std::uint32_t>(in[at++]);
        if (shift == last_shift && byte > 0x0F) return false;  // more than 32 bits
        word |= (byte & 0x7F) << shift;
        if (byte >= 0x80) continue;
        if (byte == 0 && shift > 0) return false;  // a shorter form exists
        break;
      }
      codes[i] = unzigzag(word);
    }
  }
  return at == in.size() &&
         std::ranges::all_of(codes, [&](std::int32_t code) { return range.contains(code); });
}

}  // namespace hearsay
