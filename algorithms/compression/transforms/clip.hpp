#pragma once

#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/spelling.hpp"
#include "algorithms/compression/seam/transform.hpp"

namespace hearsay {

/// Clipping by the standard deviation sigma of a layer: coordinates beyond c sigma are set to c sigma, with
/// their sign.
///
///   mean    m     = (1/n) sum_i z_i             over the n coordinates of a layer
///   sigma   s     = sqrt((1/n) sum_i (z_i - m)^2)
///   clipped y_i   = min(max(z_i, -c s), c s)
///
/// Lossy; the inverse is the identity: C(z) = y. Biased, since what is cut off is lost (unbiased rounding of
/// y is unbiased about y, not about z). Not idempotent: the clipped layer has a smaller sigma. No contraction
/// is stated: a layer of nearly equal coordinates has a sigma near 0 and loses nearly all of its norm.
///
/// Layers     those of the model. If the vector has none, or after a transform that mixes them, the whole
///            vector.
/// Latest     dW, the newest part of z = r + dW, changes the clipped vector by clip(z) - clip(r), both with
///            the limit of z; if neither is clipped, by dW itself. A stage adacomp after this one uses that
///            change.
/// Rounding   sums in double in the lanes of reductions.hpp, of coordinates scaled by a power of two, so that
///            no square leaves the range; c sigma is rounded to Scalar. The same bits everywhere.
/// Failure    Inf or NaN in a layer makes the whole layer NaN.
/// Source     Wen, Xu, Yan, Wu, Wang, Chen, Li 2017 (TernGrad, arXiv:1705.07878), section 3.3, with c = 2.5.
/// Departs    a layer of equal coordinates (above all, of a single one) has sigma 0 and stays as it is. By
///            the formula of the paper it would become 0 and never be trained.
template <class Scalar>
class Clip final : public Transform<Scalar> {
 public:
  static std::unique_ptr<Transform<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  /// `deviations` is c > 0. The buckets are the layers.
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
  /// Returns c sigma of a layer; the largest Scalar if nothing is to be clipped, NaN if a coordinate is Inf
  /// or NaN. `scratch` has the size of the layer.
  Scalar limit_of(std::span<const Scalar> layer, std::span<Scalar> scratch) const;

  double deviations_;
  Buckets layers_;
};

extern template class Clip<float>;
extern template class Clip<double>;

}  // namespace hearsay
