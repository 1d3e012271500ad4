#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "algorithms/compression/coders/backward_writer.hpp"
#include "algorithms/compression/coders/state_tables.hpp"
#include "algorithms/compression/quantizers/code_pairs.hpp"

namespace hearsay {

/// The number of states, which take turns.
constexpr std::size_t state_lanes = 4;
using States = std::array<std::uint32_t, state_lanes>;

/// The symbol of each pair of codes, by CodePairs::index.
using PairSymbols = std::array<StateEncoder::Symbol, code_pairs>;

/// One step of the encoder: the bits that the state drops go in front of all bits written so far.
inline void encode_step(std::uint32_t& state, const StateEncoder::Symbol& symbol, const std::uint16_t* next,
                        BackwardWriter& writer) {
  const unsigned dropped = (state + symbol.bits_bias) >> 16;
  writer.add(state & ((1u << dropped) - 1), dropped);
  state = next[static_cast<std::int32_t>(state >> dropped) + symbol.first_place];
}

/// Writes CodePairs::index of the codes two by two: codes.size() / 2 indices.
void pair_indices(std::span<const std::int32_t> codes, const CodeRange& range, std::uint16_t* indices);

/// Encodes pairs from the last to the first, pair k with state k mod 4. The number of pairs is a multiple of
/// 4. Compiled for each instruction set, since newer ones shift by a variable number of bits in a third of
/// the instructions.
void encode_pairs(std::span<const std::uint16_t> pairs, const PairSymbols& symbols, const std::uint16_t* next,
                  States& states, BackwardWriter& writer);

}  // namespace hearsay
