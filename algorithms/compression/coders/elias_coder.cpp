#include "algorithms/compression/coders/elias_coder.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace hearsay {

namespace {

constexpr std::array<std::string_view, 3> names{"gamma", "delta", "omega"};

/// Codes further from 0 than this have no entry in the table of words.
constexpr std::int64_t farthest = 1024;
constexpr unsigned elias_glimpse_bits = 11;

/// Words of at most this many bits are written four at once (56 bits).
constexpr unsigned longest_in_fours = 14;

}  // namespace

std::unique_ptr<Coder> EliasCoder::parse(const StageSpelling& stage) {
  const Arguments arguments(stage, {"code", {"code"}, {}});
  const std::array<std::string, 3> words{"gamma", "delta", "omega"};
  const std::string word = arguments.word("code", words);
  return std::make_unique<EliasCoder>(static_cast<Elias>(std::ranges::find(words, word) - words.begin()));
}

std::string EliasCoder::spelling() const {
  return "elias(" + std::string(names[static_cast<std::size_t>(code_)]) + ")";
}

CodeWord EliasCoder::word(std::int32_t code, const CodeRange& range) const {
  const std::int64_t q = code;
  if (range.least >= 0) return elias_word(code_, static_cast<std::uint64_t>(q - range.least) + 1);
  CodeWord word = elias_word(code_, static_cast<std::uint64_t>(q < 0 ? -q : q) + 1);
  if (q != 0) word = {word.bits << 1 | (q < 0), word.length + 1};
  return word;
}

std::optional<std::int32_t> EliasCoder::read(BitReader& reader, const CodeRange& range) const {
  const auto k = read_elias(code_, reader);
  if (!k) return std::nullopt;
  auto q = static_cast<std::int64_t>(*k) - 1;
  if (range.least >= 0)
    q += range.least;
  else if (q != 0 && reader.read(1) != 0)
    q = -q;
  if (q < range.least || q > range.most) return std::nullopt;
  return static_cast<std::int32_t>(q);
}

std::size_t EliasCoder::most_bytes(std::size_t n, const CodeRange& range, const Buckets&) const {
  // Words get longer with the distance of the code from 0.
  const std::size_t longest = std::max(code_bits(range.least, range), code_bits(range.most, range));
  return (n * longest + 7) / 8;
}

void EliasCoder::prepare_words(const CodeRange& range) {
  if (words_range_ && *words_range_ == range) return;
  words_range_ = range;
  const std::int64_t center = std::clamp<std::int64_t>(0, range.least, range.most);
  first_word_ = std::max<std::int64_t>(range.least, center - farthest);
  const std::int64_t last = std::min<std::int64_t>(range.most, center + farthest);
  words_.clear();
  for (std::int64_t q = first_word_; q <= last; ++q)
    words_.push_back(word(static_cast<std::int32_t>(q), range));
  longest_ = std::max(words_.front().length, words_.back().length);
  pair_words_.clear();
  if (range.size() > 1u << code_shift || longest_ > longest_in_fours) return;
  const CodePairs pairs(range);
  pair_words_.resize(code_pairs);
  for (std::size_t k = 0; k < code_pairs; ++k) {
    if (!range.contains(pairs.first(k)) || !range.contains(pairs.second(k))) continue;
    const CodeWord first = word(pairs.first(k), range);
    const CodeWord second = word(pairs.second(k), range);
    pair_words_[k] = {static_cast<std::uint32_t>(first.bits << second.length | second.bits),
                      first.length + second.length};
  }
}

void EliasCoder::begin(std::size_t, const CodeRange& range, const Buckets&, std::span<std::byte> out) {
  prepare_words(range);
  range_ = range;
  writer_ = BitWriter(out);
}

void EliasCoder::append(std::span<const std::int32_t> codes) {
  BitWriter writer = writer_;  // a local copy stays in registers
  const CodeWord* const words = words_.data();
  const auto entry = [&](std::int32_t code) { return words[code - first_word_]; };
  std::size_t i = 0;
  if (!pair_words_.empty()) {
    const CodePairs pairs(range_);
    for (; i + 4 <= codes.size(); i += 4) {
      const PairWord first = pair_words_[pairs.index(&codes[i])];
      const PairWord second = pair_words_[pairs.index(&codes[i + 2])];
      writer.add(std::uint64_t{first.bits} << second.length | second.bits, first.length + second.length);
      writer.flush();
    }
  }
  if (words_.size() == range_.size()) {
    // Four words are joined and written as one.
    if (longest_ <= longest_in_fours)
      for (; i + 4 <= codes.size(); i += 4) {
        for (std::size_t k = 0; k < 4; ++k) {
          const CodeWord word = entry(codes[i + k]);
          writer.add(word.bits, word.length);
        }
        writer.flush();
      }
    for (; i < codes.size(); ++i) {
      const CodeWord word = entry(codes[i]);
      writer.add(word.bits, word.length);
      writer.flush();
    }
  }
  for (; i < codes.size(); ++i) {
    const bool known = static_cast<std::uint64_t>(codes[i] - first_word_) < words_.size();
    const CodeWord word = known ? entry(codes[i]) : this->word(codes[i], range_);
    writer.put(word.bits, word.length);
  }
  writer_ = writer;
}

std::size_t EliasCoder::finish() { return writer_.finish(); }

void EliasCoder::prepare_glimpses(const CodeRange& range) {
  if (glimpses_range_ && *glimpses_range_ == range) return;
  glimpses_range_ = range;
  glimpses_.resize(std::size_t{1} << elias_glimpse_bits);
  for (std::size_t pattern = 0; pattern < glimpses_.size(); ++pattern) {
    Glimpse& glimpse = glimpses_[pattern];
    glimpse = {};
    const std::array<std::byte, 2> bytes{static_cast<std::byte>(pattern >> (elias_glimpse_bits - 8)),
                                         static_cast<std::byte>(pattern << (16 - elias_glimpse_bits))};
    BitReader reader(bytes);
    while (glimpse.count < glimpse.codes.size()) {
      const auto code = read(reader, range);
      if (!code || *code != static_cast<std::int8_t>(*code)) break;
      const unsigned bits = glimpse.bits + word(*code, range).length;
      if (bits > elias_glimpse_bits) break;
      glimpse.codes[glimpse.count++] = static_cast<std::int8_t>(*code);
      glimpse.bits = static_cast<std::uint8_t>(bits);
    }
  }
}

bool EliasCoder::decode(std::span<const std::byte> in, const CodeRange& range, const Buckets&,
                        std::span<std::int32_t> codes) {
  prepare_glimpses(range);
  BitReader reader(in);
  std::size_t i = 0;
  while (i < codes.size()) {
    // All six codes of a glimpse are stored, even if fewer count: the next glimpse overwrites the others.
    constexpr std::size_t most = 6, turns = 4;
    if (i + most * turns <= codes.size()) {
      reader.refill();
      std::size_t before = i;
      for (std::size_t turn = 0; turn < turns; ++turn) {
        const Glimpse& glimpse = glimpses_[reader.window() >> (64 - elias_glimpse_bits)];
        for (std::size_t k = 0; k < most; ++k) codes[i + k] = glimpse.codes[k];
        i += glimpse.count;
        reader.skip(glimpse.bits);
      }
      if (i > before) continue;
    }
    const auto code = read(reader, range);
    if (!code) return false;
    codes[i++] = *code;
  }
  return reader.finish() == in.size();
}

}  // namespace hearsay
