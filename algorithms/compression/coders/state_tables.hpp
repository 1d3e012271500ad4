#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hearsay {

// The tables of tabled asymmetric numeral systems (tANS: J. Duda 2013, arXiv:1311.2540; the form is that of
// Collet's finite state entropy). A state x in [L, 2 L), L = 2^bits, represents what was coded so far. Symbol
// s owns f_s of the L places.
///
//   encode s   drop the lowest bits of x until it is in [f_s, 2 f_s), then x = L + the place of s with rank x
//              - f_s
//   decode x   s = the owner of place x - L; x = the rank of that place among those of s, plus f_s; then
//              append as many bits as bring x back to [L, 2 L)
///
// Each step undoes the other exactly, whatever the frequencies are, so no table can do harm. Decoding only
// needs frequencies that sum to L.

constexpr unsigned least_state_bits = 5;
constexpr unsigned most_state_bits = 12;
constexpr std::size_t most_symbols = 256;

using SymbolCounts = std::array<std::uint64_t, most_symbols>;
using Frequencies = std::array<std::uint16_t, most_symbols>;

/// Returns the bits of the states for `total` codes, with `highest` the highest symbol. Short messages get
/// fewer bits, since large tables would cost more than they save.
unsigned state_bits(std::size_t total, std::size_t highest);

/// Returns shares of L = 2^bits that are about counts / total, and at least 1 for every count above 0. Shares
/// are rounded down, then up where the loss was largest (at the lower symbol if losses are equal). If too
/// many shares are small, the largest ones give up places. Integers only, so that every machine computes the
/// same. At most L counts may be above 0, and total 2^bits must be below 2^64.
Frequencies normalised(const SymbolCounts& counts, std::uint64_t total, unsigned bits);

struct StateEncoder {
  struct Symbol {
    std::uint32_t bits_bias;   ///< the state x drops (x + bits_bias) >> 16 bits
    std::int32_t first_place;  ///< plus what is left of the state, the index in `next`
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
