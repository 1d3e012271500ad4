#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"

namespace hearsay {

/// The arithmetic of natural compression, one coordinate at a time: what the kernels must reproduce bit for
/// bit.
///
/// A code is a sign bit above an exponent field. Without a window the field is that of Scalar (0 stands for
/// 0, all ones for what is no number). With the window of 7 bits the fields 1 to 127 are 2^-109 to 2^17, 0 is
/// 0, and 0 with the sign bit is what is no number.
template <class Scalar>
class NaturalCode {
 public:
  using Word = Magnitude<Scalar>;

  explicit NaturalCode(bool windowed) : windowed_(windowed) {}

  bool windowed() const { return windowed_; }
  /// Bits of a code: 8 in the window, else 9 for float and 12 for double.
  unsigned bits() const { return field_bits() + 1; }
  /// The code of what is no number.
  std::int32_t failure() const { return windowed_ ? 1 << 7 : (1 << field_bits()) - 1; }

  /// Of the largest power of two that has a code. What is above it cannot be encoded.
  Word largest() const {
    return power(windowed_ ? highest_in_window : std::numeric_limits<Scalar>::max_exponent - 1);
  }
  /// `not_finite` or `saturated` for a magnitude above largest(), else ok.
  CodecStatus status(Word size) const {
    if (size <= largest()) return CodecStatus::ok;
    return size < infinity ? CodecStatus::saturated : CodecStatus::not_finite;
  }

  /// The code of z, |z| not above the largest power, rounded with 32 random bits.
  std::int32_t encode(Scalar z, std::uint32_t random) const {
    const Position place = position(z);
    Word carried;
    if constexpr (sizeof(Scalar) == 4)
      carried = place.word + (random >> 9);
    else
      carried = place.word + (Word{1} << 19) + (Word{random} << 20);
    const auto field = static_cast<std::int32_t>((carried >> fraction_bits) - place.field_of_0);
    const bool negative = std::bit_cast<Word>(z) > ~sign_bit;
    return field + (negative && !(windowed_ && field == 0) ? 1 << field_bits() : 0);
  }

  /// Of any code but failure().
  Scalar decode(std::int32_t code) const {
    const Word field = static_cast<Word>(code) & ((Word{1} << field_bits()) - 1);
    const Word sign = code >> field_bits() ? sign_bit : 0;
    return std::bit_cast<Scalar>(sign | (windowed_ && field == 0 ? 0 : field + first_field())
                                            << fraction_bits);
  }
  /// True where the code stands for a number; it is one of bits() bits.
  bool is_number(std::int32_t code) const {
    return windowed_ ? code != failure() : (code & failure()) != failure();
  }

  /// Exactly what encode does.
  Bracket bracket(Scalar z) const {
    const Position place = position(z);
    const auto field = static_cast<std::int32_t>((place.word >> fraction_bits) - place.field_of_0);
    Word fraction = place.word & ((Word{1} << fraction_bits) - 1);
    double probability = static_cast<double>(fraction) * 0x1p-23;
    if constexpr (sizeof(Scalar) == 8)
      probability = static_cast<double>((fraction + (Word{1} << 19)) >> 20) * 0x1p-32;
    const auto near = static_cast<double>(decode(field));
    // At the largest power there is nothing to round up to, and the probability is 0.
    if (fraction == 0) return {std::copysign(near, z), std::copysign(near, z), 0.0};
    const auto far = static_cast<double>(decode(field + 1));
    if (std::bit_cast<Word>(z) > ~sign_bit) return {-far, -near, 1.0 - probability};
    return {near, far, probability};
  }

 private:
  static constexpr int fraction_bits = std::numeric_limits<Scalar>::digits - 1;
  static constexpr int bias = std::numeric_limits<Scalar>::max_exponent - 1;
  static constexpr int lowest_in_window = -109;
  static constexpr int highest_in_window = 17;
  static constexpr Word sign_bit = Word{1} << (8 * sizeof(Scalar) - 1);
  static constexpr Word infinity = ((Word{1} << (8 * sizeof(Scalar) - 1 - fraction_bits)) - 1)
                                   << fraction_bits;

  unsigned field_bits() const { return windowed_ ? 7 : 8 * sizeof(Scalar) - 1 - fraction_bits; }
  static constexpr Word power(int exponent) { return static_cast<Word>(exponent + bias) << fraction_bits; }
  /// What the field of a code in the window and that of its Scalar differ by.
  Word first_field() const { return windowed_ ? bias + lowest_in_window - 1 : 0; }

  /// A word whose fraction is the probability of the next power, and the field there of what has the code 0.
  struct Position {
    Word word;
    Word field_of_0;
  };
  Position position(Scalar z) const {
    const Word size = magnitude(z);
    if (!windowed_ || size >= power(lowest_in_window)) return {size, first_field()};
    // Between 0 and the lowest power: the sum has that power's exponent, and in its fraction the share of it
    // that |z| is.
    return {magnitude(std::bit_cast<Scalar>(size) + std::bit_cast<Scalar>(power(lowest_in_window))),
            first_field() + 1};
  }

  bool windowed_;
};

}  // namespace hearsay
