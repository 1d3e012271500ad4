#include "algorithms/compression/gap_coder.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "algorithms/compression/elias.hpp"

namespace hearsay {

namespace {

constexpr std::size_t block = 64;
constexpr unsigned glimpse_bits = 12;

std::int32_t zero_of(const CodeRange& range) { return std::max(range.least, 0); }

/// Bit i is set where code i of a block is not zero.
std::uint64_t nonzeros(const std::int32_t* codes, std::int32_t zero) {
  std::array<std::uint8_t, block> flags;
  for (std::size_t i = 0; i < block; ++i) flags[i] = codes[i] != zero;
  std::uint64_t mask = 0;
  for (std::size_t group = 0; group < block; group += 8) {
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < 8; ++k) bytes |= std::uint64_t{flags[group + k]} << (8 * k);
    // The product's highest byte collects the lowest bits of all bytes.
    mask |= (bytes * 0x0102040810204080u >> 56) << group;
  }
  return mask;
}

}  // namespace

std::unique_ptr<Coder> GapCoder::parse(const StageSpelling& stage) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<GapCoder>();
}

std::size_t GapCoder::most_bytes(std::size_t n, const CodeRange& range, const Buckets&) const {
  if (n == 0) return 0;
  const std::int64_t zero = zero_of(range);
  const std::int64_t level = std::max<std::int64_t>({1, range.most - zero, zero - range.least});
  // Without any zero: a run between non-zeros takes no more bits than as many non-zeros; one at the end a bit more.
  const std::size_t code = 1 + (range.least < 0) + gamma_word(static_cast<std::uint64_t>(level)).length;
  return (n * code + 1 + 7) / 8;
}

std::size_t GapCoder::encode(std::span<const std::int32_t> codes, const CodeRange& range, const Buckets&,
                             std::span<std::byte> out) {
  BitWriter writer(out);
  const std::int32_t zero = zero_of(range);
  const unsigned sign_bits = range.least < 0 ? 1 : 0;
  std::size_t told = 0;  // codes before this one are written
  const auto put_run = [&](std::size_t place) {
    const CodeWord run = gamma_word(place - told + 1);
    writer.put(0, run.length / 2);
    writer.put(run.bits, run.length / 2 + 1);
  };
  const auto put_code = [&](std::size_t place) {
    const std::int64_t q = std::int64_t{codes[place]} - zero;
    const std::uint64_t negative = q < 0;
    const CodeWord level = gamma_word(static_cast<std::uint64_t>(q < 0 ? -q : q));
    const CodeWord run = gamma_word(place - told + 1);
    const unsigned tail = sign_bits + level.length;
    if (run.length + tail <= 56) {
      writer.put((run.bits << sign_bits | negative) << level.length | level.bits, run.length + tail);
    } else {
      put_run(place);
      writer.put(negative, sign_bits);
      writer.put(level.bits, level.length);
    }
    told = place + 1;
  };
  std::size_t i = 0;
  for (; i + block <= codes.size(); i += block)
    for (std::uint64_t mask = nonzeros(&codes[i], zero); mask != 0; mask &= mask - 1)
      put_code(i + static_cast<std::size_t>(std::countr_zero(mask)));
  for (; i < codes.size(); ++i)
    if (codes[i] != zero) put_code(i);
  if (told < codes.size()) put_run(codes.size());
  return writer.finish();
}

void GapCoder::prepare_glimpses(unsigned sign_bits) {
  if (glimpses_sign_bits_ == sign_bits) return;
  glimpses_sign_bits_ = sign_bits;
  glimpses_.assign(std::size_t{1} << glimpse_bits, {});
  // Every run and level whose words are short enough, with whatever follows them.
  for (unsigned run = 0; gamma_word(run + 1).length < glimpse_bits; ++run)
    for (unsigned level = 1; gamma_word(level).length < glimpse_bits; ++level)
      for (unsigned sign = 0; sign <= sign_bits; ++sign) {
        const CodeWord run_word = gamma_word(run + 1);
        const CodeWord level_word = gamma_word(level);
        const unsigned bits = run_word.length + sign_bits + level_word.length;
        if (bits > glimpse_bits) continue;
        const auto word = static_cast<std::size_t>((run_word.bits << sign_bits | sign) << level_word.length |
                                                   level_word.bits);
        const int signed_level = sign != 0 ? -static_cast<int>(level) : static_cast<int>(level);
        const std::size_t rest = std::size_t{1} << (glimpse_bits - bits);
        for (std::size_t behind = 0; behind < rest; ++behind)
          glimpses_[word * rest + behind] = {static_cast<std::uint8_t>(run),
                                             static_cast<std::int8_t>(signed_level),
                                             static_cast<std::uint8_t>(bits)};
      }
}

bool GapCoder::decode(std::span<const std::byte> in, const CodeRange& range, const Buckets&,
                      std::span<std::int32_t> codes) {
  const std::int64_t zero = zero_of(range);
  const unsigned sign_bits = range.least < 0 ? 1 : 0;
  prepare_glimpses(sign_bits);
  std::ranges::fill(codes, static_cast<std::int32_t>(zero));
  BitReader reader(in);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    reader.refill();
    const Glimpse glimpse = glimpses_[reader.window() >> (64 - glimpse_bits)];
    std::int64_t q = 0;
    if (glimpse.bits != 0 && glimpse.run < codes.size() - i) {
      i += glimpse.run;
      q = zero + glimpse.level;
      reader.skip(glimpse.bits);
    } else {
      const auto run = read_gamma(reader);
      if (!run || *run - 1 > codes.size() - i) return false;
      i += *run - 1;
      if (i == codes.size()) break;
      const bool negative = reader.read(sign_bits) != 0;
      const auto level = read_gamma(reader);
      if (!level) return false;
      q = zero + (negative ? -1 : 1) * static_cast<std::int64_t>(*level);
    }
    if (q < range.least || q > range.most) return false;
    codes[i] = static_cast<std::int32_t>(q);
  }
  return reader.finish() == in.size();
}

}  // namespace hearsay
