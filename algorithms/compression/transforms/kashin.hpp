#pragma once

#include "algorithms/compression/seam/spelling.hpp"
#include "algorithms/compression/seam/transform.hpp"
#include "algorithms/compression/transforms/hadamard.hpp"

namespace hearsay {

/// Democratic embedding: coefficients a with S a = z whose largest is about as small as possible. They are
/// twice as many as those of fwht. The largest is about 2 ||z|| / sqrt(N); the least possible factor is 1,
/// and that of fwht is 4 or more (with its own, smaller N).
///
///   frame   S = [D1 H, D2 H] / sqrt(2), n x N with N = 2 n: two randomised Hadamard bases side by side, S S'
///           = I
///   start   a = 0, v = z
///   6 times M = ||v|| / sqrt(N);  c = S' v clipped to +-M;  a += c;  v -= S c         truncate and correct
///   end     a += S' v
///   z       = S a, exactly but for rounding, whatever was clipped
///
/// Never worse than the near-democratic S' z, whose coefficients are those of fwht over sqrt(2): a block
/// takes S' z if the result has a larger coefficient or a squared norm above 2 ||z||^2.
///
/// Errors     an error e of the coefficients becomes S e: ||S e|| <= ||e||, and E ||S e||^2 = E ||e||^2 / 2
///            if its entries are uncorrelated with mean 0. Since ||a||^2 <= 2 ||z||^2, the omega of the
///            stages after it remains valid, and a contraction of delta becomes 2 delta - 1.
/// Blocks     and signs by the index of the coefficient, as in fwht. The coefficients of a block are those of
///            D1 H, then those of D2 H.
/// Rounding   norms in double in the lanes of reductions.hpp, the rest in Scalar by hadamard.hpp: the same
///            bits everywhere. Small numbers lose digits as in fwht.
/// Failure    as in fwht.
/// Source     Lyubarskii, Vershynin 2010 (Uncertainty principles and vector quantization); Saha, Pilanci,
///            Goldsmith 2021 (DGD-DEF, arXiv:2103.07578), democratic embedding.
/// Departs    two bases take the place of the paper's N > n sampled rows of one, and M from the residual at
///            hand that of M <- eta M. The paper's delta = 0.3 mu^2 / ln(1/mu) of M = ||z|| / sqrt(delta N)
///            has no value at N = 2 n (mu = 1). Here delta is 1, which shrinks v to about 2 % in 6 rounds;
///            what is left is added unclipped.
template <class Scalar>
class Kashin final : public Transform<Scalar> {
 public:
  static std::unique_ptr<Transform<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  /// `block` is a power of two.
  explicit Kashin(std::size_t block) : blocks_{block} {}

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t coefficients(std::size_t dimension) const override { return 2 * blocks_.padded(dimension); }
  bool uses_seed() const override { return true; }
  double expansion() const override { return 2.0; }
  void forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;
  void inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;

 private:
  /// out = sqrt(2) S' z.
  static void analyse(std::span<const Scalar> z, ElementKey key, std::uint32_t first, std::span<Scalar> out);
  /// z = S in; or, if `subtract`, z -= S in. `in` is overwritten.
  static void synthesise(std::span<Scalar> in, ElementKey key, std::uint32_t first, bool subtract,
                         std::span<Scalar> z);
  void embed(std::span<const Scalar> z, ElementKey key, std::uint32_t first, std::span<Scalar> out);

  HadamardBlocks blocks_;

  // Scratch, kept from message to message.
  std::vector<Scalar> rest_;     ///< v
  std::vector<Scalar> clipped_;  ///< c
};

extern template class Kashin<float>;
extern template class Kashin<double>;

}  // namespace hearsay
