#include "tools/influence/projection.hpp"

#include "algorithms/arithmetic/random.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

Projection::Projection(Index dimension, Index size, std::uint64_t seed) : size_(size) {
  ensure(size >= 1 && size < Index{1} << 31, "a projection has a coordinate, and a place fits 32 bits");
  RandomStream random(seed, 0, static_cast<std::uint64_t>(size), Purpose::sketch);
  places_.reserve(static_cast<std::size_t>(dimension));
  for (Index j = 0; j < dimension; ++j)
    places_.push_back(static_cast<std::uint32_t>(random.below(2 * static_cast<std::uint64_t>(size))));
}

template <class Scalar>
Vector<double> Projection::of(std::span<const Scalar> vector) const {
  ensure(vector.size() == places_.size(), "a projection is of vectors of one dimension");
  Vector<double> result = Vector<double>::Zero(size_);
  for (std::size_t j = 0; j < vector.size(); ++j) {
    const auto value = static_cast<double>(vector[j]);
    result[static_cast<Index>(places_[j] >> 1)] += (places_[j] & 1) != 0 ? -value : value;
  }
  return result;
}

template Vector<double> Projection::of<float>(std::span<const float>) const;
template Vector<double> Projection::of<double>(std::span<const double>) const;

}  // namespace hearsay
