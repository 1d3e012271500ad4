#include "algorithms/compression/transforms/dct.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "algorithms/compression/seam/compose.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t largest_chunk = 1024;

/// The share of coordinate i in coefficient k.
template <class Scalar>
Scalar entry(std::size_t n, std::size_t i, std::size_t k) {
  // The angle is a multiple of pi / (2n); what is beyond a full turn is taken off while it is a whole number.
  const auto angle = static_cast<long double>((2 * i + 1) * k % (4 * n));
  const auto length = static_cast<long double>(n);
  const long double scale = std::sqrt((k == 0 ? 1.0L : 2.0L) / length);
  return static_cast<Scalar>(scale * std::cos(std::numbers::pi_v<long double> * angle / (2.0L * length)));
}

/// sums_k += value row_k
template <class Scalar>
void add_row(Scalar value, std::span<const Scalar> row, std::span<Scalar> sums) {
  for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += value * row[k];
}

}  // namespace

template <class Scalar>
CosineBasis<Scalar>::CosineBasis(std::size_t n)
    : size_(n),
      even_rows_(even() * even()),
      odd_rows_(odd() * odd()),
      even_columns_(even() * even()),
      odd_columns_(odd() * odd()),
      from_even_(even()),
      from_odd_(odd()) {
  for (std::size_t i = 0; i < even(); ++i)
    for (std::size_t k = 0; k < even(); ++k)
      even_rows_[i * even() + k] = even_columns_[k * even() + i] = entry<Scalar>(n, i, 2 * k);
  for (std::size_t i = 0; i < odd(); ++i)
    for (std::size_t k = 0; k < odd(); ++k)
      odd_rows_[i * odd() + k] = odd_columns_[k * odd() + i] = entry<Scalar>(n, i, 2 * k + 1);
}

template <class Scalar>
void CosineBasis<Scalar>::forward(std::span<const Scalar> z, std::span<Scalar> y) {
  std::ranges::fill(from_even_, Scalar(0));
  std::ranges::fill(from_odd_, Scalar(0));
  for (std::size_t i = 0; i < even(); ++i) {
    const std::size_t mirrored = size_ - 1 - i;
    const Scalar sum = i == mirrored ? z[i] : z[i] + z[mirrored];
    add_row<Scalar>(sum, std::span(even_rows_).subspan(i * even(), even()), from_even_);
    if (i < odd())
      add_row<Scalar>(z[i] - z[mirrored], std::span(odd_rows_).subspan(i * odd(), odd()), from_odd_);
  }
  for (std::size_t k = 0; k < even(); ++k) y[2 * k] = from_even_[k];
  for (std::size_t k = 0; k < odd(); ++k) y[2 * k + 1] = from_odd_[k];
}

template <class Scalar>
void CosineBasis<Scalar>::inverse(std::span<const Scalar> y, std::span<Scalar> z) {
  std::ranges::fill(from_even_, Scalar(0));
  std::ranges::fill(from_odd_, Scalar(0));
  for (std::size_t k = 0; k < even(); ++k)
    if (y[2 * k] != 0)
      add_row<Scalar>(y[2 * k], std::span(even_columns_).subspan(k * even(), even()), from_even_);
  for (std::size_t k = 0; k < odd(); ++k)
    if (y[2 * k + 1] != 0)
      add_row<Scalar>(y[2 * k + 1], std::span(odd_columns_).subspan(k * odd(), odd()), from_odd_);
  if (size_ % 2 == 1) z[odd()] = from_even_[odd()];
  for (std::size_t i = 0; i < odd(); ++i) {
    z[i] = from_even_[i] + from_odd_[i];
    z[size_ - 1 - i] = from_even_[i] - from_odd_[i];
  }
}

template <class Scalar>
std::unique_ptr<Transform<Scalar>> Dct<Scalar>::parse(const StageSpelling& stage,
                                                      const SegmentTable& segments) {
  const Arguments arguments(stage, {"chunk", {"chunk"}, {}});
  std::uint64_t chunk = 64;
  const bool whole = !arguments.has("chunk") || parse_whole(arguments.text("chunk"), chunk);
  if (!whole || chunk < 2 || chunk > largest_chunk)
    arguments.refuse("chunk", "a whole number from 2 to " + std::to_string(largest_chunk));
  return std::make_unique<Dct>(static_cast<std::size_t>(chunk), Buckets::parse(arguments, segments, "layer"));
}

template <class Scalar>
std::string Dct<Scalar>::spelling() const {
  return "dct(chunk=" + std::to_string(chunk_) + ")";
}

template <class Scalar>
Traits Dct<Scalar>::traits(std::size_t) const {
  return exact_traits();
}

template <class Scalar>
CosineBasis<Scalar>& Dct<Scalar>::basis(std::size_t n) {
  const auto known = std::ranges::find(bases_, n, &CosineBasis<Scalar>::size);
  return known != bases_.end() ? *known : bases_.emplace_back(n);
}

template <class Scalar>
template <class Visit>
void Dct<Scalar>::for_each_run(std::size_t dimension, Visit visit) {
  layers_.for_each(dimension, [&](std::size_t, std::size_t begin, std::size_t size) {
    for (std::size_t at = 0; at < size; at += chunk_) visit(begin + at, basis(std::min(chunk_, size - at)));
  });
}

template <class Scalar>
void Dct<Scalar>::forward(std::span<const Scalar> in, std::uint64_t, std::span<Scalar> out) {
  for_each_run(in.size(), [&](std::size_t begin, CosineBasis<Scalar>& basis) {
    basis.forward(in.subspan(begin, basis.size()), out.subspan(begin, basis.size()));
  });
}

template <class Scalar>
void Dct<Scalar>::inverse(std::span<Scalar> in, std::uint64_t, std::span<Scalar> out) {
  for_each_run(out.size(), [&](std::size_t begin, CosineBasis<Scalar>& basis) {
    basis.inverse(in.subspan(begin, basis.size()), out.subspan(begin, basis.size()));
  });
}

template class CosineBasis<float>;
template class CosineBasis<double>;
template class Dct<float>;
template class Dct<double>;

}  // namespace hearsay
