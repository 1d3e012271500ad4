#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay {

/// The tables of tabled asymmetric numeral systems (tANS: J. Duda 2013, arXiv:1311.2540; the form is that of
/// Collet's finite state entropy). A state x in [L, 2 L), L = 2^bits, represents what was coded so far;
/// symbol s owns f_s of the L places.
///
///   encode s   drop the lowest bits of x until it is in [f_s, 2 f_s), then x = the place number x - f_s of s
///   decode x   s = the owner of place x; its rank there + f_s, then as many bits behind it as bring it back
///              to [L, 2 L)
///
/// Each step undoes the other exactly, whatever the frequencies are, so no table can do harm. Decoding only
/// needs that the f_s sum to L.

constexpr unsigned least_state_bits = 5;
constexpr unsigned most_state_bits = 12;
constexpr std::size_t most_symbols = 256;

using SymbolCounts = std::array<std::uint64_t, most_symbols>;
using Frequencies = std::array<std::uint16_t, most_symbols>;

/// The bits of the states for `total` symbols, the highest of which is `highest`: fewer for short messages,
/// whose tables would cost more than they save.
unsigned state_bits(std::size_t total, std::size_t highest);

/// Shares of L = 2^bits, about counts / total, at least 1 for every count above 0. They are rounded down,
/// then up where most was lost (at the lower symbol if losses are equal). If there are too many small shares,
/// the largest give up places. Integers only, so that every machine finds the same. At most L counts may be
/// above 0, and total 2^bits must be below 2^64.
Frequencies normalised(const SymbolCounts& counts, std::uint64_t total, unsigned bits);

struct StateEncoder {
  struct Symbol {
    std::uint32_t bits_bias;   ///< the state x drops (x + bits_bias) >> 16 bits
    std::int32_t first_place;  ///< added to the rest of the state, gives its place
  };
  std::array<Symbol, most_symbols> symbols;
  std::array<std::uint16_t, std::size_t{1} << most_state_bits> next;

  void build(const Frequencies& frequencies, unsigned bits);
};

struct StateDecoder {
  struct Place {
    std::uint16_t base;  ///< the next state minus L, before its new bits are added
    std::uint8_t bits;
    std::uint8_t symbol;
  };
  std::array<Place, std::size_t{1} << most_state_bits> places;

  void build(const Frequencies& frequencies, unsigned bits);
};

}  // namespace hearsay
