#include "algorithms/compression/coders/entropy_coder.hpp"

#include <algorithm>
#include <bit>

#include "algorithms/compression/coders/elias.hpp"
#include "algorithms/compression/coders/entropy_symbols.hpp"

namespace hearsay {

namespace {

constexpr unsigned mode_bits = 8;
constexpr unsigned highest_bits = 8;

unsigned fixed_width(const CodeRange& range) {
  return static_cast<unsigned>(std::bit_width(range.size() - 1));
}

std::size_t fixed_bytes(std::size_t n, const CodeRange& range) { return (n * fixed_width(range) + 7) / 8; }

}  // namespace

std::unique_ptr<Coder> EntropyCoder::parse(const StageSpelling& stage) {
  const Arguments none(stage, {"", {}, {}});
  return std::make_unique<EntropyCoder>();
}

std::size_t EntropyCoder::most_bytes(std::size_t n, const CodeRange& range, const Buckets&) const {
  return n == 0 ? 0 : mode_bits / 8 + fixed_bytes(n, range);
}

void EntropyCoder::find_frequencies() {
  const SymbolCounts counts = tally_.counts();
  for (std::size_t s = 0; s < counts.size(); ++s)
    if (counts[s] > 0) highest_ = s;
  bits_ = state_bits(tally_.size(), highest_);
  frequencies_ = normalised(counts, tally_.size(), bits_);
}

void EntropyCoder::reserve(std::size_t n, const CodeRange& range) {
  constexpr std::size_t slack = 8;  // the writer stores whole 64-bit words
  const std::size_t room = n * (most_state_bits + extra_bits(Numbering(range).most(range))) / 8 + 2 * slack;
  if (payload_.size() < room) payload_.resize(room);
  tally_.reserve(n, range);
}

/// The payload, and the codes until their frequencies are known: of a wide range, which needs most.
std::size_t EntropyCoder::scratch_bytes(std::size_t codes, CodecUse use) const {
  constexpr CodeRange wide{-(1 << 15), 1 << 15};
  if (use == CodecUse::decodes) return codes * sizeof(std::int32_t);
  const std::size_t bits = most_state_bits + extra_bits(Numbering(wide).most(wide));
  return codes * bits / 8 + codes * sizeof(std::int32_t);
}

bool EntropyCoder::paired() const { return bits_ == most_state_bits && highest_ < pair_symbols; }

Frequencies EntropyCoder::pair_frequencies() const {
  SymbolCounts products{};
  for (std::size_t b = 0; b < pair_symbols; ++b)
    for (std::size_t a = 0; a < pair_symbols; ++a)
      products[a | b << pair_shift] = std::uint64_t{frequencies_[a]} * frequencies_[b];
  return normalised(products, std::uint64_t{1} << (2 * bits_), bits_);
}

void EntropyCoder::encode_singles(BackwardWriter& writer) {
  const Numbering numbering(tally_.range());
  for (std::size_t i = tally_.size(); i-- > 0;) {
    const std::uint32_t number = numbering.number(tally_.code(i));
    const unsigned extra = extra_bits(number);
    encode_step(states_[i % state_lanes], encoder_.symbols[symbol_of(number)], encoder_.next.data(), writer);
    writer.add(number & ((1u << extra) - 1), extra);
    writer.flush();
  }
}

void EntropyCoder::encode_pairs_of_codes(BackwardWriter& writer) {
  const Numbering numbering(tally_.range());
  const std::uint16_t* const next = encoder_.next.data();
  std::size_t pair = (tally_.size() + 1) / 2;
  if (!tally_.has_pairs()) {
    // The range is too wide for pairs in the tally, but this message uses small numbers only.
    for (; pair-- > 0; writer.flush()) {
      const std::size_t second = std::min(2 * pair + 1, tally_.size() - 1);
      const std::uint32_t symbol =
          numbering.number(tally_.code(2 * pair)) | numbering.number(tally_.code(second)) << pair_shift;
      encode_step(states_[pair % state_lanes], encoder_.symbols[symbol], next, writer);
    }
    return;
  }
  const CodePairs pairs(tally_.range());
  PairSymbols by_codes;
  for (std::size_t k = 0; k < code_pairs; ++k) {
    const std::uint32_t a = numbering.number(pairs.first(k));
    const std::uint32_t b = numbering.number(pairs.second(k));
    if (a < pair_symbols && b < pair_symbols) by_codes[k] = encoder_.symbols[a | b << pair_shift];
  }
  for (; pair % state_lanes != 0; writer.flush()) {
    --pair;
    encode_step(states_[pair % state_lanes], by_codes[tally_.pairs()[pair]], next, writer);
  }
  encode_pairs(tally_.pairs().first(pair), by_codes, next, states_, writer);
}

std::size_t EntropyCoder::encode_states() {
  find_frequencies();
  encoder_.build(paired() ? pair_frequencies() : frequencies_, bits_);
  reserve(tally_.size(), tally_.range());
  BackwardWriter writer(payload_.data() + payload_.size());
  states_.fill(1u << bits_);
  if (paired())
    encode_pairs_of_codes(writer);
  else
    encode_singles(writer);
  for (std::uint32_t& state : states_) state -= 1u << bits_;
  payload_begin_ = static_cast<std::size_t>(writer.at() - payload_.data());
  payload_head_ = writer.window();
  payload_head_bits_ = writer.filled();
  std::size_t total = mode_bits + highest_bits + state_lanes * bits_;
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
  writer.put(std::span<const std::byte>(payload_).subspan(payload_begin_));
  return writer.finish();
}

void EntropyCoder::begin(std::size_t n, const CodeRange& range, const Buckets&, std::span<std::byte> out) {
  tally_.begin(n, range);
  out_ = out;
}

void EntropyCoder::append(std::span<const std::int32_t> codes) { tally_.append(codes); }

std::size_t EntropyCoder::finish() {
  const std::size_t n = tally_.size();
  if (n == 0) return 0;
  const CodeRange range = tally_.range();
  const std::size_t fixed = mode_bits / 8 + fixed_bytes(n, range);
  if ((encode_states() + 7) / 8 < fixed) return write_message(out_);
  BitWriter writer(out_);
  writer.put(0, mode_bits);
  const unsigned width = fixed_width(range);
  for (std::size_t i = 0; i < n; ++i)
    writer.put(static_cast<std::uint32_t>(tally_.code(i)) - static_cast<std::uint32_t>(range.least), width);
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

bool EntropyCoder::decode_pairs(BitReader& reader, const CodeRange& range, std::span<std::int32_t> codes) {
  const Numbering numbering(range);
  std::array<std::array<std::int32_t, 2>, most_symbols> codes_of;
  for (std::uint32_t symbol = 0; symbol < most_symbols; ++symbol)
    codes_of[symbol] = {numbering.code(symbol % pair_symbols), numbering.code(symbol >> pair_shift)};
  const auto next_pair = [&](std::uint32_t& state) {
    const StateDecoder::Place place = decoder_.places[state];
    state = place.base + static_cast<std::uint32_t>(reader.take(place.bits));
    return codes_of[place.symbol];
  };
  auto states = states_;
  std::size_t i = 0;
  for (; i + 2 * state_lanes <= codes.size(); i += 2 * state_lanes) {
    reader.refill();
    for (std::size_t lane = 0; lane < state_lanes; ++lane) {
      const auto pair = next_pair(states[lane]);
      codes[i + 2 * lane] = pair[0];
      codes[i + 2 * lane + 1] = pair[1];
    }
  }
  for (; i < codes.size(); i += 2) {
    reader.refill();
    const auto pair = next_pair(states[i / 2 % state_lanes]);
    codes[i] = pair[0];
    if (i + 1 < codes.size())
      codes[i + 1] = pair[1];
    else if (pair[0] != pair[1])
      return false;
  }
  states_ = states;
  return true;
}

bool EntropyCoder::decode_states(BitReader& reader, const CodeRange& range, std::span<std::int32_t> codes) {
  if (!read_frequencies(reader, codes.size())) return false;
  const Numbering numbering(range);
  if (highest_ > symbol_of(numbering.most(range))) return false;
  decoder_.build(paired() ? pair_frequencies() : frequencies_, bits_);
  for (std::uint32_t& state : states_) state = static_cast<std::uint32_t>(reader.read(bits_));
  if (paired()) {
    if (!decode_pairs(reader, range, codes)) return false;
  } else {
    for (std::size_t i = 0; i < codes.size(); ++i) {
      std::uint32_t& state = states_[i % state_lanes];
      reader.refill();
      const StateDecoder::Place place = decoder_.places[state];
      const SymbolNumbers numbers = numbers_of(place.symbol);
      codes[i] = numbering.code(numbers.first + static_cast<std::uint32_t>(reader.take(numbers.extra_bits)));
      state = place.base + static_cast<std::uint32_t>(reader.take(place.bits));
    }
  }
  if (!std::ranges::all_of(states_, [](std::uint32_t state) { return state == 0; })) return false;
  bool in_range = true;
  for (const std::int32_t code : codes) in_range &= range.contains(code);
  if (!in_range) return false;
  // Canonical only if the frequencies are those of the decoded codes.
  const Frequencies told = frequencies_;
  tally_.begin(codes.size(), range);
  tally_.append(codes);
  find_frequencies();
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
  if (reader.finish() != in.size()) return false;
  tally_.begin(codes.size(), range);
  tally_.append(codes);
  return (encode_states() + 7) / 8 >= fixed;
}

}  // namespace hearsay
