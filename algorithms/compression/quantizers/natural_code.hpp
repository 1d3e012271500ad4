#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"

namespace hearsay {

/// The arithmetic of natural compression, one coordinate at a time. The kernels must reproduce it bit for
/// bit.
///
/// A code is a sign bit above an exponent field. Without a window the field is that of Scalar: 0 stands for
/// the number 0, all ones for a failure (no number). With the window of 7 bits the fields 1 to 127 stand for
/// 2^-109 to 2^17, 0 stands for 0, and 0 with the sign bit stands for a failure.
template <class Scalar>
class NaturalCode {
 public:
  using Word = Magnitude<Scalar>;

  explicit NaturalCode(bool windowed) : windowed_(windowed) {}

  bool windowed() const { return windowed_; }
  /// The width of a code: 8 bits with the window, else 9 for float and 12 for double.
  unsigned bits() const { return field_bits() + 1; }
  /// The code that stands for no number.
  std::int32_t failure() const { return windowed_ ? 1 << 7 : (1 << field_bits()) - 1; }

  /// The magnitude of the largest power of two that has a code. Nothing above it can be encoded.
  Word largest() const {
    return power(windowed_ ? highest_in_window : std::numeric_limits<Scalar>::max_exponent - 1);
  }
  /// The status of encoding a magnitude: `not_finite` or `saturated` if it is above largest(), else `ok`.
  CodecStatus status(Word size) const {
    if (size <= largest()) return CodecStatus::ok;
    return size < infinity ? CodecStatus::saturated : CodecStatus::not_finite;
  }

  /// Returns the code of z, rounded with 32 random bits; |z| is at most largest().
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

  /// Returns the value of any code that is_number.
  Scalar decode(std::int32_t code) const {
    const Word field = static_cast<Word>(code) & ((Word{1} << field_bits()) - 1);
    const Word sign = code >> field_bits() ? sign_bit : 0;
    return std::bit_cast<Scalar>(sign | (windowed_ && field == 0 ? 0 : field + first_field())
                                            << fraction_bits);
  }
  /// True if the code, of bits() bits, stands for a number.
  bool is_number(std::int32_t code) const {
    return windowed_ ? code != failure() : (code & failure()) != failure();
  }

  /// Returns what encode may give, and with which probability, exactly.
  Bracket bracket(Scalar z) const {
    const Position place = position(z);
    const auto field = static_cast<std::int32_t>((place.word >> fraction_bits) - place.field_of_0);
    Word fraction = place.word & ((Word{1} << fraction_bits) - 1);
    double probability = static_cast<double>(fraction) * 0x1p-23;
    if constexpr (sizeof(Scalar) == 8)
      probability = static_cast<double>((fraction + (Word{1} << 19)) >> 20) * 0x1p-32;
    const auto near = static_cast<double>(decode(field));
    // On a power of two the probability is 0. (Above the largest power there is nothing to round up to.)
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
  /// The field of a code plus this is the exponent field of its Scalar.
  Word first_field() const { return windowed_ ? bias + lowest_in_window - 1 : 0; }

  /// `word` is a Scalar whose fraction is the probability of rounding up; `field_of_0` is the exponent field
  /// in it that gets the code field 0.
  struct Position {
    Word word;
    Word field_of_0;
  };
  Position position(Scalar z) const {
    const Word size = magnitude(z);
    if (!windowed_ || size >= power(lowest_in_window)) return {size, first_field()};
    // Between 0 and the lowest power: the sum of |z| and that power has the exponent of that power, and its
    // fraction is |z| over that power.
    return {magnitude(std::bit_cast<Scalar>(size) + std::bit_cast<Scalar>(power(lowest_in_window))),
            first_field() + 1};
  }

  bool windowed_;
};

}  // namespace hearsay
