#include "algorithms/compression/entropy_coder.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "algorithms/compression/elias.hpp"

namespace hearsay {

namespace {

/// Numbers below are symbols of their own.
constexpr std::uint32_t own_symbols = 32;
constexpr unsigned octave_bits = 3;  ///< of the symbols of an octave
constexpr unsigned first_octave = 5;

constexpr unsigned mode_bits = 8;
constexpr unsigned highest_bits = 8;

/// Codes to numbers >= 0 and back.
class Numbering {
 public:
  explicit Numbering(const CodeRange& range) : signed_(range.least < 0), least_(signed_ ? 0 : range.least) {}

  std::uint32_t number(std::int32_t code) const {
    const auto q = static_cast<std::uint32_t>(code) - static_cast<std::uint32_t>(least_);
    return signed_ ? q << 1 ^ (0u - (q >> 31)) : q;
  }
  std::int32_t code(std::uint32_t number) const {
    const std::uint32_t q = signed_ ? number >> 1 ^ (0u - (number & 1)) : number;
    return static_cast<std::int32_t>(q + static_cast<std::uint32_t>(least_));
  }
  /// The largest number of a range.
  std::uint32_t most(const CodeRange& range) const {
    return std::max(number(range.least), number(range.most));
  }

 private:
  bool signed_;
  std::int32_t least_;
};

unsigned extra_bits(std::uint32_t number) {
  return number < own_symbols ? 0 : static_cast<unsigned>(std::bit_width(number)) - 1 - octave_bits;
}

std::uint32_t symbol_of(std::uint32_t number) {
  if (number < own_symbols) return number;
  const auto octave = static_cast<unsigned>(std::bit_width(number)) - 1;
  return own_symbols + ((octave - first_octave) << octave_bits) + (number >> (octave - octave_bits)) -
         (1u << octave_bits);
}

/// The smallest number of a symbol, and how many bits are added to it.
struct SymbolNumbers {
  std::uint32_t first;
  unsigned extra_bits;
};
SymbolNumbers numbers_of(std::uint32_t symbol) {
  if (symbol < own_symbols) return {symbol, 0};
  const unsigned octave = first_octave + ((symbol - own_symbols) >> octave_bits);
  const std::uint32_t leading = (1u << octave_bits) | ((symbol - own_symbols) & ((1u << octave_bits) - 1));
  return {leading << (octave - octave_bits), octave - octave_bits};
}

unsigned fixed_width(const CodeRange& range) {
  return static_cast<unsigned>(std::bit_width(range.size() - 1));
}

std::size_t fixed_bytes(std::size_t n, const CodeRange& range) { return (n * fixed_width(range) + 7) / 8; }

/// Writes bits before those that it has written, from the end of a place to its front.
class BackwardWriter {
 public:
  /// `front` must have 8 bytes more than are written.
  explicit BackwardWriter(std::byte* end) : at_(end) {}

  /// Up to 56 bits from flush to flush.
  void add(std::uint64_t word, unsigned count) {
    window_ |= word << filled_;
    filled_ += count;
  }
  void flush() {
    const std::uint64_t word = big_endian(window_);
    std::memcpy(at_ - sizeof(word), &word, sizeof(word));
    at_ -= filled_ / 8;
    window_ >>= filled_ & ~7u;
    filled_ &= 7;
  }
  std::byte* at() const { return at_; }
  std::uint64_t window() const { return window_; }
  unsigned filled() const { return filled_; }

 private:
  std::byte* at_;
  std::uint64_t window_ = 0;  ///< the first bits of the message so far, the last of them lowest
  unsigned filled_ = 0;
};

/// One step of the encoder; the bits that are dropped go in front of all others.
inline void step(std::uint32_t& state, const StateEncoder::Symbol& symbol, const std::uint16_t* next,
                 BackwardWriter& writer) {
  const unsigned dropped = (state + symbol.bits_bias) >> 16;
  writer.add(state & ((1u << dropped) - 1), dropped);
  state = next[static_cast<std::int32_t>(state >> dropped) + symbol.first_place];
}

}  // namespace

std::unique_ptr<Coder> EntropyCoder::parse(const StageSpelling& stage) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<EntropyCoder>();
}

std::size_t EntropyCoder::most_bytes(std::size_t n, const CodeRange& range, const Buckets&) const {
  return n == 0 ? 0 : mode_bits / 8 + fixed_bytes(n, range);
}

void EntropyCoder::count(std::span<const std::int32_t> codes, const CodeRange& range) {
  const Numbering numbering(range);
  // Four counters for each symbol: the same code again would wait for the one before it.
  std::array<std::array<std::uint32_t, most_symbols>, lanes> counters{};
  const std::size_t whole = codes.size() / lanes * lanes;
  const auto count_all = [&](auto symbol) {
    for (std::size_t i = 0; i < whole; i += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) ++counters[lane][symbol(codes[i + lane])];
    for (std::size_t i = whole; i < codes.size(); ++i) ++counters[0][symbol(codes[i])];
  };
  if (numbering.most(range) < own_symbols)
    count_all([&](std::int32_t code) { return numbering.number(code); });
  else
    count_all([&](std::int32_t code) { return symbol_of(numbering.number(code)); });
  for (std::size_t s = 0; s < counts_.size(); ++s) {
    counts_[s] = 0;
    for (const auto& counter : counters) counts_[s] += counter[s];
    if (counts_[s] > 0) highest_ = s;
  }
  bits_ = state_bits(codes.size(), highest_);
  frequencies_ = normalised(counts_, codes.size(), bits_);
}

std::size_t EntropyCoder::encode_states(std::span<const std::int32_t> codes, const CodeRange& range) {
  count(codes, range);
  encoder_.build(frequencies_, bits_);
  const Numbering numbering(range);
  const std::uint32_t most = numbering.most(range);
  constexpr std::size_t slack = 8;
  const std::size_t room = codes.size() * (most_state_bits + extra_bits(most)) / 8 + 2 * slack;
  if (payload_.size() < room) payload_.resize(room);
  BackwardWriter writer(payload_.data() + payload_.size());
  const std::uint16_t* const next = encoder_.next.data();
  std::array<std::uint32_t, lanes> states;
  states.fill(1u << bits_);

  std::size_t i = codes.size();
  const auto encode_one = [&] {
    --i;
    const std::uint32_t number = numbering.number(codes[i]);
    const unsigned extra = extra_bits(number);
    step(states[i % lanes], encoder_.symbols[symbol_of(number)], next, writer);
    writer.add(number & ((1u << extra) - 1), extra);
    writer.flush();
  };
  if (most >= own_symbols) {
    while (i > 0) encode_one();
  } else {
    while (i % lanes != 0) encode_one();
    // By code, so that nothing has to be computed from it.
    std::array<StateEncoder::Symbol, 2 * own_symbols> by_code;
    for (std::int64_t code = range.least; code <= range.most; ++code)
      by_code[static_cast<std::size_t>(code - range.least)] =
          encoder_.symbols[numbering.number(static_cast<std::int32_t>(code))];
    const auto symbol = [&](std::int32_t code) {
      return by_code[static_cast<std::size_t>(code - range.least)];
    };
    auto [a, b, c, d] = states;
    for (; i > 0; i -= lanes) {
      step(d, symbol(codes[i - 1]), next, writer);
      step(c, symbol(codes[i - 2]), next, writer);
      step(b, symbol(codes[i - 3]), next, writer);
      step(a, symbol(codes[i - 4]), next, writer);
      writer.flush();
    }
    states = {a, b, c, d};
  }
  for (std::size_t lane = 0; lane < lanes; ++lane) states_[lane] = states[lane] - (1u << bits_);
  payload_begin_ = static_cast<std::size_t>(writer.at() - payload_.data());
  payload_head_ = writer.window();
  payload_head_bits_ = writer.filled();
  std::size_t total = mode_bits + highest_bits + lanes * bits_;
  for (std::size_t s = 0; s < highest_; ++s) total += gamma_word(frequencies_[s] + 1u).length;
  return total + payload_head_bits_ + 8 * (payload_.size() - payload_begin_);
}

std::size_t EntropyCoder::write_message(std::span<std::byte> out) const {
  BitWriter writer(out);
  writer.put(1, mode_bits);
  writer.put(highest_, highest_bits);
  for (std::size_t s = 0; s < highest_; ++s) {
    const CodeWord word = gamma_word(frequencies_[s] + 1u);
    writer.put(word.bits, word.length);
  }
  for (const std::uint32_t state : states_) writer.put(state, bits_);
  writer.put(payload_head_, payload_head_bits_);
  std::size_t at = payload_begin_;
  for (; at + 8 <= payload_.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, &payload_[at], sizeof(word));
    writer.put(big_endian(word), 64);
  }
  for (; at < payload_.size(); ++at) writer.put(std::to_integer<std::uint64_t>(payload_[at]), 8);
  return writer.finish();
}

std::size_t EntropyCoder::encode(std::span<const std::int32_t> codes, const CodeRange& range,
                                 const Buckets& buckets, std::span<std::byte> out) {
  if (codes.empty()) return 0;
  const std::size_t fixed = most_bytes(codes.size(), range, buckets);
  if ((encode_states(codes, range) + 7) / 8 < fixed) return write_message(out);
  BitWriter writer(out);
  writer.put(0, mode_bits);
  const unsigned width = fixed_width(range);
  for (const std::int32_t code : codes)
    writer.put(static_cast<std::uint32_t>(code) - static_cast<std::uint32_t>(range.least), width);
  return writer.finish();
}

bool EntropyCoder::read_frequencies(BitReader& reader, std::size_t n) {
  highest_ = reader.read(highest_bits);
  bits_ = state_bits(n, highest_);
  frequencies_ = {};
  std::uint64_t left = std::uint64_t{1} << bits_;
  for (std::size_t s = 0; s < highest_; ++s) {
    const auto word = read_gamma(reader);
    if (!word || *word - 1 >= left) return false;
    frequencies_[s] = static_cast<std::uint16_t>(*word - 1);
    left -= *word - 1;
  }
  frequencies_[highest_] = static_cast<std::uint16_t>(left);
  return true;
}

bool EntropyCoder::decode_states(BitReader& reader, const CodeRange& range, std::span<std::int32_t> codes) {
  if (!read_frequencies(reader, codes.size())) return false;
  const Numbering numbering(range);
  const std::uint32_t most = numbering.most(range);
  if (highest_ > symbol_of(most)) return false;
  decoder_.build(frequencies_, bits_);
  std::array<std::uint32_t, lanes> states;
  for (std::uint32_t& state : states) state = static_cast<std::uint32_t>(reader.read(bits_));

  std::size_t i = 0;
  const auto next_symbol = [&](std::uint32_t& state) {
    const StateDecoder::Place place = decoder_.places[state];
    state = place.base + static_cast<std::uint32_t>(reader.take(place.bits));
    return std::uint32_t{place.symbol};
  };
  if (most < own_symbols)
    for (; i + lanes <= codes.size(); i += lanes) {
      reader.refill();
      for (std::size_t lane = 0; lane < lanes; ++lane)
        codes[i + lane] = numbering.code(next_symbol(states[lane]));
    }
  for (; i < codes.size(); ++i) {
    reader.refill();
    const StateDecoder::Place place = decoder_.places[states[i % lanes]];
    const SymbolNumbers numbers = numbers_of(place.symbol);
    codes[i] = numbering.code(numbers.first + static_cast<std::uint32_t>(reader.take(numbers.extra_bits)));
    next_symbol(states[i % lanes]);
  }
  if (!std::ranges::all_of(states, [](std::uint32_t state) { return state == 0; })) return false;
  if (!std::ranges::all_of(codes, [&](std::int32_t code) { return range.contains(code); })) return false;
  // The frequencies must be those of these codes.
  const Frequencies told = frequencies_;
  count(codes, range);
  return frequencies_ == told;
}

bool EntropyCoder::decode(std::span<const std::byte> in, const CodeRange& range, const Buckets& buckets,
                          std::span<std::int32_t> codes) {
  if (codes.empty()) return in.empty();
  const std::size_t fixed = most_bytes(codes.size(), range, buckets);
  if (in.empty() || in.size() > fixed) return false;
  BitReader reader(in);
  const std::uint64_t mode = reader.read(mode_bits);
  if (mode == 1) {
    if (in.size() == fixed || !decode_states(reader, range, codes)) return false;
    return reader.finish() == in.size();
  }
  if (mode != 0 || in.size() != fixed) return false;
  const unsigned width = fixed_width(range);
  for (std::int32_t& code : codes) {
    const auto word = static_cast<std::uint32_t>(reader.read(width));
    if (word >= range.size()) return false;
    code = static_cast<std::int32_t>(word + static_cast<std::uint32_t>(range.least));
  }
  return reader.finish() == in.size() && (encode_states(codes, range) + 7) / 8 >= fixed;
}

}  // namespace hearsay
