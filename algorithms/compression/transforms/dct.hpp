#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/compression/seam/buckets.hpp"
#include "algorithms/compression/seam/spelling.hpp"
#include "algorithms/compression/seam/transform.hpp"

namespace hearsay {

/// The orthonormal DCT-II of n coordinates, and its inverse, for one n:
///
///   y_k = sqrt((k ? 2 : 1) / n) sum_i z_i cos(pi (2i + 1) k / (2n))                          k = 0 ... n-1
///
/// Folded:    cos is even about the middle for even k, and odd for odd k. So y of even k comes from the sums
///            z_i + z_{n-1-i}, y of odd k from the differences: n/2 products a coordinate, not n. The inverse
///            leaves out coefficients of 0, so that it costs as much as they are.
/// Rounding   the products of a coefficient are added in ascending i, those of a coordinate in ascending k:
///            the same bits everywhere. Cosines are rounded from long double.
template <class Scalar>
class CosineBasis {
 public:
  explicit CosineBasis(std::size_t n);

  std::size_t size() const { return size_; }
  /// y = DCT(z). Both have size() entries and do not overlap.
  void forward(std::span<const Scalar> z, std::span<Scalar> y);
  /// z = DCT^-1(y). Both have size() entries and do not overlap.
  void inverse(std::span<const Scalar> y, std::span<Scalar> z);

 private:
  /// The even k, which come from sums, or the odd k, which come from differences.
  struct Half {
    Half(std::size_t n, std::size_t half, std::size_t first);
    /// sums = what the coefficients y_{2k + first} add to the coordinates. Leaves out those of 0.
    void invert(std::span<const Scalar> y, std::size_t first);

    std::size_t size;             ///< how many k; as many sums
    std::vector<Scalar> rows;     ///< for every sum (difference), its share of each k, padded
    std::vector<Scalar> columns;  ///< the transposed
    std::vector<Scalar> weights;  ///< scratch, as all below
    std::vector<std::uint32_t> places;
    std::vector<Scalar> sums;
  };

  std::size_t size_;  ///< n
  Half even_, odd_;
  std::vector<std::uint32_t> all_;  ///< 0, 1, 2, ...
};

/// Discrete cosine transform of runs of `chunk` coordinates of every layer; the last run of a layer may be
/// shorter and has a transform of its own length. Neighboring coordinates that change together become few
/// large coefficients, which a selector then keeps.
///
/// Orthonormal: an error of the coefficients becomes an error of the coordinates of the same norm, so the
/// traits of the stages after it remain valid. A layer's coefficients stand where its coordinates stood:
/// layers remain.
///
/// Cost       chunk / 2 products a coordinate.
/// Failure    if a run has Inf or NaN, so have its coefficients. Coordinates near the largest Scalar may
///            leave the range: the message is `saturated`.
/// Source     Ahmed, Natarajan, Rao 1974; in optimizers: Peng, Quesnelle, Kingma 2024 (DeMo,
///            arXiv:2411.19870), with chunk = 64.
/// Departs    there matrices are cut into square tiles of at most 64 x 64, here the vector into runs.
template <class Scalar>
class Dct final : public Transform<Scalar> {
 public:
  static std::unique_ptr<Transform<Scalar>> parse(const StageSpelling& stage, const SegmentTable& segments);

  Dct(std::size_t chunk, Buckets layers) : chunk_(chunk), layers_(std::move(layers)) {}

  std::string spelling() const override;
  Traits traits(std::size_t dimension) const override;
  std::size_t coefficients(std::size_t dimension) const override { return dimension; }
  bool uses_seed() const override { return false; }
  bool mixes() const override { return true; }
  bool keeps_layers() const override { return true; }
  void forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;
  void inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) override;

 private:
  /// Calls visit(first coordinate, basis) for every run, in ascending order.
  template <class Visit>
  void for_each_run(std::size_t dimension, Visit visit);
  CosineBasis<Scalar>& basis(std::size_t n);

  std::size_t chunk_;
  Buckets layers_;
  std::vector<CosineBasis<Scalar>> bases_;  ///< of every length that occurred: `chunk`, and rests
};

extern template class CosineBasis<float>;
extern template class CosineBasis<double>;
extern template class Dct<float>;
extern template class Dct<double>;

}  // namespace hearsay
