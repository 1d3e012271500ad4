#include "algorithms/compression/coders/gap_coder.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "algorithms/compression/coders/elias.hpp"

namespace hearsay {

namespace {

constexpr std::size_t gap_block = 64;
constexpr unsigned gap_glimpse_bits = 12;

/// Runs and levels below these have entries in the table of words.
constexpr std::uint32_t short_runs = 32;
constexpr std::int32_t low_levels = 32;

/// The word of a run of zeros and the level after it: gamma, sign, gamma. Both must be short enough for 64
/// bits.
CodeWord code_word(std::uint64_t run, std::int64_t q, unsigned sign_bits) {
  const CodeWord zeros = gamma_word(run + 1);
  const CodeWord level = gamma_word(static_cast<std::uint64_t>(q < 0 ? -q : q));
  return {(zeros.bits << sign_bits | static_cast<std::uint64_t>(q < 0)) << level.length | level.bits,
          zeros.length + sign_bits + level.length};
}

std::int32_t zero_of(const CodeRange& range) { return std::max(range.least, 0); }

/// A mask whose bit i is set if code i of a block is not zero.
std::uint64_t nonzeros(const std::int32_t* codes, std::int32_t zero) {
  std::array<std::uint8_t, gap_block> flags;
  for (std::size_t i = 0; i < gap_block; ++i) flags[i] = codes[i] != zero;
  std::uint64_t mask = 0;
  for (std::size_t group = 0; group < gap_block; group += 8) {
    std::uint64_t bytes = 0;
    for (std::size_t k = 0; k < 8; ++k) bytes |= std::uint64_t{flags[group + k]} << (8 * k);
    // The highest byte of the product collects the lowest bit of each byte.
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
  // The worst case has no zeros: a run between non-zeros takes no more bits than as many non-zeros would, a
  // run at the end at most one bit more.
  const std::size_t code = 1 + (range.least < 0) + gamma_word(static_cast<std::uint64_t>(level)).length;
  return (n * code + 1 + 7) / 8;
}

void GapCoder::prepare_words(unsigned sign_bits) {
  if (words_sign_bits_ == sign_bits) return;
  words_sign_bits_ = sign_bits;
  words_.assign(std::size_t{short_runs} * 2 * low_levels, {0, 0});
  for (std::uint32_t run = 0; run < short_runs; ++run)
    for (std::int32_t q = -low_levels; q < low_levels; ++q) {
      if (q == 0 || (q < 0 && sign_bits == 0)) continue;
      const CodeWord word = code_word(run, q, sign_bits);
      words_[run * 2 * low_levels + static_cast<std::uint32_t>(q + low_levels)] = {
          static_cast<std::uint32_t>(word.bits), word.length};
    }
}

void GapCoder::begin(std::size_t, const CodeRange& range, const Buckets&, std::span<std::byte> out) {
  zero_ = zero_of(range);
  sign_bits_ = range.least < 0 ? 1 : 0;
  prepare_words(sign_bits_);
  zeros_ = 0;
  writer_ = BitWriter(out);
}

void GapCoder::append(std::span<const std::int32_t> codes) {
  BitWriter writer = writer_;                  // a local copy stays in registers
  std::size_t told = std::size_t{0} - zeros_;  // all codes before this place are written; modulo 2^64
  const auto put_code = [&](std::size_t place) {
    const std::int64_t q = std::int64_t{codes[place]} - zero_;
    const std::size_t run = place - told;
    told = place + 1;
    const auto level = static_cast<std::uint64_t>(q + low_levels);
    if (run < short_runs && level < 2 * low_levels) {
      const ShortWord word = words_[run * 2 * low_levels + level];
      writer.add(word.bits, word.length);
      writer.flush();
      return;
    }
    const CodeWord run_word = gamma_word(run + 1);
    const CodeWord level_word = gamma_word(static_cast<std::uint64_t>(q < 0 ? -q : q));
    writer.put(0, run_word.length / 2);
    writer.put(run_word.bits, run_word.length / 2 + 1);
    writer.put(q < 0, sign_bits_);
    writer.put(level_word.bits, level_word.length);
  };
  std::size_t i = 0;
  for (; i + gap_block <= codes.size(); i += gap_block)
    for (std::uint64_t mask = nonzeros(&codes[i], zero_); mask != 0; mask &= mask - 1)
      put_code(i + static_cast<std::size_t>(std::countr_zero(mask)));
  for (; i < codes.size(); ++i)
    if (codes[i] != zero_) put_code(i);
  zeros_ = codes.size() - told;
  writer_ = writer;
}

std::size_t GapCoder::finish() {
  if (zeros_ > 0) {
    const CodeWord run = gamma_word(zeros_ + 1);
    writer_.put(0, run.length / 2);
    writer_.put(run.bits, run.length / 2 + 1);
  }
  return writer_.finish();
}

void GapCoder::prepare_glimpses(unsigned sign_bits) {
  if (glimpses_sign_bits_ == sign_bits) return;
  glimpses_sign_bits_ = sign_bits;
  glimpses_.assign(std::size_t{1} << gap_glimpse_bits, {});
  // Fills in every run and level whose words are short enough, followed by any bits.
  for (unsigned run = 0; gamma_word(run + 1).length < gap_glimpse_bits; ++run)
    for (unsigned level = 1; gamma_word(level).length < gap_glimpse_bits; ++level)
      for (unsigned sign = 0; sign <= sign_bits; ++sign) {
        const CodeWord run_word = gamma_word(run + 1);
        const CodeWord level_word = gamma_word(level);
        const unsigned bits = run_word.length + sign_bits + level_word.length;
        if (bits > gap_glimpse_bits) continue;
        const auto word = static_cast<std::size_t>((run_word.bits << sign_bits | sign) << level_word.length |
                                                   level_word.bits);
        const int signed_level = sign != 0 ? -static_cast<int>(level) : static_cast<int>(level);
        const std::size_t rest = std::size_t{1} << (gap_glimpse_bits - bits);
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
    const Glimpse glimpse = glimpses_[reader.window() >> (64 - gap_glimpse_bits)];
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
