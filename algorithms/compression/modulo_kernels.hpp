#pragma once

#include <cstdint>
#include <span>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

// The loops of modulo.hpp, with the widest vectors that the machine has (chosen at run time). Codes are whole
// numbers below 2^53 in magnitude, in doubles. Every instruction set gives the same codes.

/// Which grid it is, and which of its points are told apart.
struct ModuloGrid {
  double step;
  double modulus;        ///< k, at most 2^16
  double largest_ratio;  ///< z is out of range if |z / step| reaches this, at most 2^52
  bool nearest;          ///< rounds to the nearest point, the upper one if two are; else at random
};

/// codes = the rounded z / step, with the hash of index first + i for element i. False if a receiver with
/// side information `near` (empty for zeros) does not surely recover all of them, or z is out of range.
template <class Scalar>
bool modulo_codes(const ModuloGrid& grid, std::span<const Scalar> z, std::span<const Scalar> near,
                  ElementKey key, std::uint32_t first, std::span<double> codes);

/// words = codes mod k, in [0, k).
void modulo_words(const ModuloGrid& grid, std::span<const double> codes, std::span<std::int32_t> words);

/// codes = for each word w the member of w + k Z nearest to near / step; values = codes step. False if a word
/// is not below k, or `near` out of range.
template <class Scalar>
bool modulo_nearest(const ModuloGrid& grid, std::span<const std::int32_t> words, std::span<const Scalar> near,
                    std::span<double> codes, std::span<Scalar> values);

}  // namespace hearsay
