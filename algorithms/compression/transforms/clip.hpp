#pragma once

#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/spelling.hpp"
#include "algorithms/compression/seam/transform.hpp"

namespace hearsay {

/// Clipping by the spread of a layer: coordinates beyond c standard deviations are brought back to them.
///
///   mean    m     = (1/n) sum_i z_i             over the n coordinates of a layer
///   sigma   s     = sqrt((1/n) sum_i (z_i - m)^2)
///   clipped y_i   = min(max(z_i, -c s), c s)
///
/// It is lossy, and the inverse is the identity: C(z) = y. It is biased, since what is cut off is lost for
/// good (unbiased rounding after it is unbiased about y, not about z). It is not idempotent: the clipped
/// layer has a smaller sigma. No contraction is claimed: a layer of nearly equal coordinates has a sigma near
/// 0 and loses nearly all of its norm.
///
/// Layers     those of the model if the vector has layers, else (and behind a transform that mixes them) the
///            whole vector.
/// Latest     dW, the newest part of z = r + dW, changes the clipped vector by clip(z) - clip(r), both with
///            the limit of z; by dW itself if neither is clipped. A stage adacomp behind it uses that.
/// Rounding   sums in double in the lane tree of reductions.hpp, of coordinates scaled by a power of two, so
///            that no square leaves the range; c s is rounded to Scalar. The same bits everywhere.
/// Failure    Inf or NaN in a layer makes the whole layer NaN.
/// Source     Wen, Xu, Yan, Wu, Wang, Chen, Li 2017 (TernGrad, arXiv:1705.07878), section 3.3, with c = 2.5.
/// Departure  a layer of equal coordinates (a single one, above all) has no spread and stays as it is. By the
///            paper's formula it would become 0 and never be trained.
template <class Scalar>
class Clip final : public Transform<Scalar> {
 public:
  static std::unique_ptr<Transform<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  /// c > 0; the buckets are the layers.
  Clip(double deviations, Buckets layers) : deviations_(deviations), layers_(std::move(layers)) {}

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t coefficients(std::size_t dimension) const override { return dimension; }
  bool uses_seed() const override { return false; }
  void forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;
  bool forward_latest(std::span<const Scalar> in, std::span<const Scalar> latest,
                      std::span<Scalar> out) override;
  void inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;

 private:
  /// c s of a layer; the largest Scalar if nothing is to be clipped, NaN if a coordinate is Inf or NaN.
  /// `scratch` has the size of the layer.
  Scalar limit_of(std::span<const Scalar> layer, std::span<Scalar> scratch) const;

  double deviations_;
  Buckets layers_;
};

extern template class Clip<float>;
extern template class Clip<double>;

}  // namespace hearsay
