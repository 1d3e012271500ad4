#include "algorithms/compression/transforms/kashin.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/compression/seam/compose.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"
#include "algorithms/compression/transforms/fwht.hpp"
#include "algorithms/compression/transforms/kashin_kernels.hpp"

namespace hearsay {

namespace {

constexpr int rounds = 6;

template <class Scalar>
constexpr Scalar half_root = static_cast<Scalar>(1.0 / std::numbers::sqrt2);

template <class Scalar>
double norm(std::span<const Scalar> x) {
  return std::sqrt(squared_norm(x));
}

}  // namespace

template <class Scalar>
std::unique_ptr<Transform<Scalar>> Kashin<Scalar>::parse(const StageSpelling& stage, const SegmentTable&) {
  return std::make_unique<Kashin>(parse_hadamard_block(Arguments(stage, {"block", {"block"}, {}})));
}

template <class Scalar>
std::string Kashin<Scalar>::spelling() const {
  return "kashin(block=" + std::to_string(blocks_.block) + ")";
}

template <class Scalar>
Traits Kashin<Scalar>::traits(std::size_t) const {
  Traits traits = exact_traits();
  traits.deterministic = false;
  return traits;
}

template <class Scalar>
void Kashin<Scalar>::analyse(std::span<const Scalar> z, ElementKey key, std::uint32_t first,
                             std::span<Scalar> out) {
  const std::size_t n = out.size() / 2;
  signed_hadamard(z, key, first, out.first(n));
  signed_hadamard(z, key, first + static_cast<std::uint32_t>(n), out.subspan(n));
}

template <class Scalar>
void Kashin<Scalar>::synthesise(std::span<Scalar> in, ElementKey key, std::uint32_t first, bool subtract,
                                std::span<Scalar> z) {
  const std::size_t n = in.size() / 2;
  const auto one = in.first(z.size());
  const auto other = in.subspan(n, z.size());
  hadamard_signed(in.first(n), key, first, one);
  hadamard_signed(in.subspan(n), key, first + static_cast<std::uint32_t>(n), other);
  combine_halves(one, other, half_root<Scalar>, subtract, z);
}

template <class Scalar>
void Kashin<Scalar>::embed(std::span<const Scalar> z, ElementKey key, std::uint32_t first,
                           std::span<Scalar> out) {
  constexpr Scalar unlimited = std::numeric_limits<Scalar>::infinity();
  constexpr double largest_scalar = std::numeric_limits<Scalar>::max();
  const double root = std::sqrt(static_cast<double>(out.size()));
  rest_.assign(z.begin(), z.end());
  clipped_.resize(out.size());
  std::ranges::fill(out, Scalar(0));
  Scalar near_democratic = 0;
  for (int round = 0; round < rounds; ++round) {
    analyse(rest_, key, first, clipped_);
    if (round == 0)
      near_democratic = half_root<Scalar> * std::bit_cast<Scalar>(largest_magnitude_of<Scalar>(clipped_));
    const auto limit = static_cast<Scalar>(std::min(norm<Scalar>(rest_) / root, largest_scalar));
    clip_and_add(clipped_, half_root<Scalar>, limit, out);
    synthesise(clipped_, key, first, true, rest_);
  }
  analyse(rest_, key, first, clipped_);
  clip_and_add(clipped_, half_root<Scalar>, unlimited, out);
  const bool flat = largest_magnitude_of<Scalar>(out) <= magnitude(near_democratic);
  if (flat && squared_norm<Scalar>(out) <= 2.0 * squared_norm(z)) return;
  analyse(z, key, first, out);
  for (Scalar& value : out) value *= half_root<Scalar>;
}

template <class Scalar>
void Kashin<Scalar>::forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) {
  blocks_.for_each(in.size(), [&](std::size_t begin, std::size_t size, std::size_t padded) {
    embed(in.subspan(begin, size), sign_key(seed), static_cast<std::uint32_t>(2 * begin),
          out.subspan(2 * begin, 2 * padded));
  });
}

template <class Scalar>
void Kashin<Scalar>::inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) {
  blocks_.for_each(out.size(), [&](std::size_t begin, std::size_t size, std::size_t padded) {
    synthesise(in.subspan(2 * begin, 2 * padded), sign_key(seed), static_cast<std::uint32_t>(2 * begin),
               false, out.subspan(begin, size));
  });
}

template class Kashin<float>;
template class Kashin<double>;

}  // namespace hearsay
