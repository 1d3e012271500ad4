#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/compression/selectors/magnitudes.hpp"

namespace hearsay {

/// Returns a border that exactly k magnitudes of z reach, 0 < k < z.size(). If none does, for ties, returns
/// the k-th largest magnitude. Counts, by vectors, how many reach a border, from `guess` on; which magnitudes
/// reach the result does not depend on it. Some eight looks at z: for short z.
std::uint32_t border_of_largest(std::span<const float> z, std::size_t k, std::uint32_t guess);

/// The k largest of one chunk after the other, of similar ones.
template <class Scalar>
class ChunkSelection {
 public:
  /// Makes room for chunks of up to `longest` coordinates.
  void reserve(std::size_t longest);
  /// Writes the indices of the kept.size() of largest magnitude, ascending, ties to the lowest: `first` and
  /// more. They are neither none nor all.
  void select(std::span<const Scalar> chunk, std::uint32_t first, std::span<std::uint32_t> kept);

 private:
  void select_long(std::span<const Scalar> chunk, std::uint32_t first, std::span<std::uint32_t> kept);
  void select_short(std::span<const float> chunk, std::uint32_t first, std::span<std::uint32_t> kept);

  // Scratch, kept from chunk to chunk.
  std::vector<std::uint32_t> found_;
  std::vector<Magnitude<Scalar>> found_sizes_, ranked_;
  Magnitude<Scalar> expected_border_ = 0;  ///< a guess for the next chunk, of no influence on the result
};

extern template class ChunkSelection<float>;
extern template class ChunkSelection<double>;

}  // namespace hearsay
