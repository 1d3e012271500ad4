#include "algorithms/compression/coders/state_tables.hpp"

#include <algorithm>
#include <bit>

namespace hearsay {

namespace {

unsigned floor_log2(std::size_t k) { return static_cast<unsigned>(std::bit_width(k)) - 1; }

/// Calls visit(place, symbol) for all places, symbol after symbol. The places go in steps of an odd stride,
/// which meets every place once.
template <class Visit>
void spread(const Frequencies& frequencies, unsigned bits, Visit visit) {
  const std::size_t size = std::size_t{1} << bits;
  const std::size_t stride = size / 2 + size / 8 + 3;
  std::size_t place = 0;
  for (std::size_t symbol = 0; symbol < frequencies.size(); ++symbol)
    for (unsigned k = 0; k < frequencies[symbol]; ++k) {
      visit(place, symbol);
      place = (place + stride) & (size - 1);
    }
}

}  // namespace

unsigned state_bits(std::size_t total, std::size_t highest) {
  const auto wanted = static_cast<unsigned>(std::bit_width(total / 4));
  const auto needed = static_cast<unsigned>(std::bit_width(highest));
  return std::max(needed, std::clamp(wanted, least_state_bits, most_state_bits));
}

Frequencies normalised(const SymbolCounts& counts, std::uint64_t total, unsigned bits) {
  struct Loss {
    std::uint64_t lost;
    std::size_t symbol;
  };
  std::array<Loss, most_symbols> losses;
  std::size_t size = 0;
  Frequencies frequencies{};
  std::int64_t left = std::int64_t{1} << bits;
  for (std::size_t s = 0; s < counts.size(); ++s) {
    if (counts[s] == 0) continue;
    const std::uint64_t share = (counts[s] << bits) / total;
    frequencies[s] = static_cast<std::uint16_t>(std::max<std::uint64_t>(share, 1));
    if (share > 0) losses[size++] = {(counts[s] << bits) % total, s};
    left -= frequencies[s];
  }
  if (left > 0) {
    const auto more = [](const Loss& a, const Loss& b) {
      return a.lost != b.lost ? a.lost > b.lost : a.symbol < b.symbol;
    };
    std::nth_element(losses.begin(), losses.begin() + left,
                     losses.begin() + static_cast<std::ptrdiff_t>(size), more);
    for (std::int64_t k = 0; k < left; ++k) ++frequencies[losses[static_cast<std::size_t>(k)].symbol];
  }
  // Rare symbols were rounded up to 1: the most frequent symbol gives up places, a sixteenth of them at a
  // time.
  while (left < 0) {
    std::uint16_t& most = *std::ranges::max_element(frequencies);
    const auto paid = std::min<std::int64_t>(-left, std::max(1, most / 16));
    most = static_cast<std::uint16_t>(most - paid);
    left += paid;
  }
  return frequencies;
}

void StateEncoder::build(const Frequencies& frequencies, unsigned bits) {
  std::array<std::uint16_t, std::size_t{1} << most_state_bits> owner;
  spread(frequencies, bits,
         [&](std::size_t place, std::size_t symbol) { owner[place] = static_cast<std::uint16_t>(symbol); });
  std::array<std::uint16_t, most_symbols> begin;
  unsigned sum = 0;
  for (std::size_t s = 0; s < frequencies.size(); ++s) {
    begin[s] = static_cast<std::uint16_t>(sum);
    const unsigned frequency = frequencies[s];
    if (frequency == 0) continue;
    // States below `border` drop one bit less.
    const unsigned most_dropped = bits - floor_log2(frequency);
    const unsigned border = frequency << most_dropped;
    symbols[s] = {(most_dropped << 16) - border,
                  static_cast<std::int32_t>(sum) - static_cast<std::int32_t>(frequency)};
    sum += frequency;
  }
  const std::size_t size = std::size_t{1} << bits;
  for (std::size_t place = 0; place < size; ++place)
    next[begin[owner[place]]++] = static_cast<std::uint16_t>(size + place);
}

void StateDecoder::build(const Frequencies& frequencies, unsigned bits) {
  spread(frequencies, bits, [&](std::size_t place, std::size_t symbol) {
    places[place].symbol = static_cast<std::uint8_t>(symbol);
  });
  Frequencies rest = frequencies;
  const std::size_t size = std::size_t{1} << bits;
  for (std::size_t place = 0; place < size; ++place) {
    const unsigned rank = rest[places[place].symbol]++;
    const unsigned dropped = bits - floor_log2(rank);
    places[place].bits = static_cast<std::uint8_t>(dropped);
    places[place].base = static_cast<std::uint16_t>((rank << dropped) - size);
  }
}

}  // namespace hearsay
