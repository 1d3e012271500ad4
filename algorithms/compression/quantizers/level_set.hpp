#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/compression/seam/spelling.hpp"

namespace hearsay {

/// The spacing of the levels of a dither.
enum class LevelSpacing { equal, powers_of_two, listed };

/// The levels to which a dither rounds magnitudes, in units of the norm of the bucket: 0 = l_0 < l_1 < ... <
/// l_s = 1, and their negatives. s is the number of positive levels.
///
///   levels=s               uniform(s)         j / s
///   pow2, levels=s         powers_of_two(s)   2^(j - s): 2^-(s-1), ..., 1/2, 1
///   levels={0.1,0.5,1}     listed             any others; a leading 0 may be written
///
/// bits = b instead of levels = s means s = 2^(b-1) - 1, as many as b bits can tell apart with sign and zero.
class LevelSet {
 public:
  static constexpr std::int32_t most_uniform = 32767;
  /// The most positive levels for powers of two and for lists: their codes have at most 8 bits, and 2^-126 is
  /// the smallest normal float.
  static constexpr std::int32_t most_others = 127;

  /// Reads `levels`, `bits` and the flag `pow2`.
  static LevelSet parse(const Arguments& arguments);
  static LevelSet uniform(std::int32_t count);
  static LevelSet powers_of_two(std::int32_t count);
  /// A set of the given positive levels: strictly ascending as floats and as doubles, the last 1.
  static LevelSet listed(std::vector<double> levels);

  /// The spelling that parses back to the set: "levels=7", "pow2, levels=7" or "levels={0.1,0.5,1}".
  std::string spelling() const;
  LevelSpacing spacing() const { return table_->spacing; }
  /// s.
  std::int32_t count() const { return static_cast<std::int32_t>(levels().size()) - 1; }
  /// l_0 to l_s.
  const std::vector<double>& levels() const { return table_->levels; }
  double smallest() const { return levels()[1]; }
  double widest_gap() const { return table_->widest_gap; }
  /// rho = max (u - l)^2 / (4 u l) over neighbors l < u among the positive levels; 0 if there is only one.
  /// Rounding a value between two positive levels has a variance of at most rho times the square of the
  /// value. 1/8 for uniform(s) with s >= 2, and for powers of two.
  double relative_spread() const { return table_->relative_spread; }

 private:
  /// Copies share it: the quantizers of all peers have the same levels.
  struct Table {
    Table(LevelSpacing how, std::vector<double> positive_levels);

    LevelSpacing spacing;
    std::vector<double> levels;
    double widest_gap = 0.0;
    double relative_spread = 0.0;
  };
  explicit LevelSet(std::shared_ptr<const Table> table) : table_(std::move(table)) {}

  std::shared_ptr<const Table> table_;
};

}  // namespace hearsay
