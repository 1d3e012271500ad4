#include "algorithms/compression/transforms/dct.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "algorithms/compression/seam/compose.hpp"
#include "algorithms/compression/transforms/weighted_rows.hpp"
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

/// The length of a row of n entries in memory.
std::size_t padded(std::size_t n) { return (n + row_multiple - 1) / row_multiple * row_multiple; }

}  // namespace

template <class Scalar>
CosineBasis<Scalar>::CosineBasis(std::size_t n)
    : size_(n), even_(n, (n + 1) / 2, 0), odd_(n, n / 2, 1), all_((n + 1) / 2) {
  std::iota(all_.begin(), all_.end(), 0u);
}

template <class Scalar>
CosineBasis<Scalar>::Half::Half(std::size_t n, std::size_t half, std::size_t first)
    : size(half),
      rows(half * padded(half)),
      columns(half * padded(half)),
      weights(half),
      places(half),
      sums(padded(half)) {
  for (std::size_t i = 0; i < half; ++i)
    for (std::size_t k = 0; k < half; ++k)
      rows[i * sums.size() + k] = columns[k * sums.size() + i] = entry<Scalar>(n, i, 2 * k + first);
}

template <class Scalar>
void CosineBasis<Scalar>::Half::invert(std::span<const Scalar> y, std::size_t first) {
  std::size_t count = 0;
  for (std::size_t k = 0; k < size; ++k) {
    const Scalar weight = y[2 * k + first];
    weights[count] = weight;
    places[count] = static_cast<std::uint32_t>(k);
    count += weight != 0;
  }
  sum_rows<Scalar>({std::span(places).first(count), std::span(weights).first(count)}, columns, sums);
}

template <class Scalar>
void CosineBasis<Scalar>::forward(std::span<const Scalar> z, std::span<Scalar> y) {
  for (std::size_t i = 0; i < odd_.size; ++i) {
    const Scalar mirrored = z[size_ - 1 - i];
    even_.weights[i] = z[i] + mirrored;
    odd_.weights[i] = z[i] - mirrored;
  }
  if (size_ % 2 == 1) even_.weights[odd_.size] = z[odd_.size];
  const std::span<const std::uint32_t> all(all_);
  sum_rows<Scalar>({all, even_.weights}, even_.rows, even_.sums);
  sum_rows<Scalar>({all.first(odd_.size), odd_.weights}, odd_.rows, odd_.sums);
  for (std::size_t k = 0; k < odd_.size; ++k) {
    y[2 * k] = even_.sums[k];
    y[2 * k + 1] = odd_.sums[k];
  }
  if (size_ % 2 == 1) y[size_ - 1] = even_.sums[odd_.size];
}

template <class Scalar>
void CosineBasis<Scalar>::inverse(std::span<const Scalar> y, std::span<Scalar> z) {
  even_.invert(y, 0);
  odd_.invert(y, 1);
  if (size_ % 2 == 1) z[odd_.size] = even_.sums[odd_.size];
  for (std::size_t i = 0; i < odd_.size; ++i) {
    z[i] = even_.sums[i] + odd_.sums[i];
    z[size_ - 1 - i] = even_.sums[i] - odd_.sums[i];
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
