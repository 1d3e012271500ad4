#pragma once

#include "algorithms/compression/seam/spelling.hpp"
#include "algorithms/compression/seam/transform.hpp"
#include "algorithms/compression/transforms/hadamard.hpp"

namespace hearsay {

/// Randomised Hadamard transform, the near-democratic embedding: every coefficient carries about the same
/// share of the norm, whatever the vector is. So quantizers by the largest magnitude waste no levels on a few
/// large coordinates.
///
///   y = H D z    block by block: D random signs, H the Walsh-Hadamard matrix over sqrt(N), so that H H = I
///   z = D H y
///
/// Orthonormal: ||y|| = ||z||, and an error of y becomes an error of z of the same norm. So the traits of the
/// stages after it remain valid. For a block of N = `block` coordinates, ||y||_inf <= 2 sqrt(ln(2N) / N)
/// ||z||_2 with probability at least 1 - 1/(2N) over the signs (Hoeffding and a union bound).
///
/// Blocks     of `block` coordinates, a power of two (4096 unless spelled otherwise). The last one is padded
///            with zeros to the next power of two, so there are fewer than 2 d coefficients, and d if `block`
///            divides d.
/// Signs      element_bits(seed, index of the coefficient); every message has a seed of its own.
/// Rounding   see hadamard.hpp: exact but for m + 2 roundings per coefficient, N = 2^m. Numbers so small that
///            1/sqrt(N) of them is subnormal lose digits; traits.hpp says from where on relative bounds do
///            not hold.
/// Failure    if a block has Inf or NaN, none of its coefficients is finite. If its norm is near the largest
///            Scalar, coefficients or the inverse may leave the range: the pipeline returns `saturated`.
/// Source     Saha, Pilanci, Goldsmith 2021 (DGD-DEF, arXiv:2103.07578), near-democratic embedding.
/// Departs    all rows of the Hadamard matrix are used, on blocks. The S = P D H of the paper, with N > n,
///            samples rows.
template <class Scalar>
class Fwht final : public Transform<Scalar> {
 public:
  static std::unique_ptr<Transform<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  /// `block` is a power of two.
  explicit Fwht(std::size_t block) : blocks_{block} {}

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t coefficients(std::size_t dimension) const override { return blocks_.padded(dimension); }
  bool uses_seed() const override { return true; }
  void forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;
  void inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;

 private:
  HadamardBlocks blocks_;
};

/// Reads the argument `block` of a stage: a power of two from 2 to 2^20, 4096 if it is missing.
std::size_t parse_hadamard_block(const Arguments& arguments);

extern template class Fwht<float>;
extern template class Fwht<double>;

}  // namespace hearsay
