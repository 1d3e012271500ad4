#include "algorithms/compression/coders/trit5_coder.hpp"

#include <algorithm>

namespace hearsay {

namespace {

constexpr std::size_t digits = 5;
constexpr unsigned states = 243;

/// x / 3 for x < 243, without a division.
unsigned third(unsigned x) { return x * 171 >> 9; }

void pack_whole(const std::int32_t* __restrict codes, std::size_t plane, std::size_t bytes,
                std::byte* __restrict out) {
  constexpr std::int32_t offset = states / 2;
  for (std::size_t j = 0; j < bytes; ++j)
    out[j] = static_cast<std::byte>(offset + codes[j] + 3 * codes[j + plane] + 9 * codes[j + 2 * plane] +
                                    27 * codes[j + 3 * plane] + 81 * codes[j + 4 * plane]);
}

void unpack_whole(const std::byte* __restrict in, std::size_t plane, std::size_t bytes,
                  std::int32_t* __restrict codes) {
  for (std::size_t j = 0; j < bytes; ++j) {
    auto rest = std::to_integer<unsigned>(in[j]);
    for (std::size_t p = 0; p < digits; ++p) {
      const unsigned next = third(rest);
      codes[j + p * plane] = static_cast<std::int32_t>(rest - 3 * next) - 1;
      rest = next;
    }
  }
}

}  // namespace

std::unique_ptr<Coder> Trit5Coder::parse(const StageSpelling& stage) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<Trit5Coder>();
}

std::string Trit5Coder::objection(const CodeRange& range) const {
  if (range.least >= -1 && range.most <= 1) return "";
  return "trit5 codes -1, 0 and 1 only, not " + std::to_string(range.least) + " to " +
         std::to_string(range.most);
}

void Trit5Coder::begin(std::size_t, const CodeRange&, const Buckets&, std::span<std::byte> out) {
  out_ = out;
  used_ = 0;
}

void Trit5Coder::append(std::span<const std::int32_t> codes) {
  const std::size_t n = codes.size();
  const std::size_t plane = (n + digits - 1) / digits;
  // The number of bytes in which each of the five digits has a code.
  const std::size_t whole = n - std::min(n, (digits - 1) * plane);
  pack_whole(codes.data(), plane, whole, out_.data());
  for (std::size_t j = whole; j < plane; ++j) {
    std::int32_t value = 0;
    for (std::size_t i = j, weight = 1; i < n; i += plane, weight *= 3)
      value += static_cast<std::int32_t>(weight) * (codes[i] + 1);
    out_[j] = static_cast<std::byte>(value);
  }
  used_ = plane;
}

std::size_t Trit5Coder::finish() { return used_; }

bool Trit5Coder::decode(std::span<const std::byte> in, const CodeRange& range, const Buckets&,
                        std::span<std::int32_t> codes) {
  const std::size_t n = codes.size();
  const std::size_t plane = (n + digits - 1) / digits;
  if (in.size() != plane) return false;
  if (!std::ranges::all_of(in, [](std::byte byte) { return std::to_integer<unsigned>(byte) < states; }))
    return false;
  const std::size_t whole = n - std::min(n, (digits - 1) * plane);
  unpack_whole(in.data(), plane, whole, codes.data());
  for (std::size_t j = whole; j < plane; ++j) {
    auto rest = std::to_integer<unsigned>(in[j]);
    for (std::size_t i = j; i < n; i += plane) {
      codes[i] = static_cast<std::int32_t>(rest % 3) - 1;
      rest /= 3;
    }
    if (rest != 0) return false;
  }
  return (range.least == -1 && range.most == 1) ||
         std::ranges::all_of(codes, [&](std::int32_t code) { return range.contains(code); });
}

}  // namespace hearsay
