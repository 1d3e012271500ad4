#include "algorithms/compression/selectors/randk.hpp"

#include <bit>
#include <cmath>

#include "algorithms/arithmetic/wire_scalar.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Selector<Scalar>> RandK<Scalar>::parse(const StageSpelling& stage,
                                                       const SegmentTable& segments) {
  const Arguments arguments(stage, {"share", {"share", "k"}, {"scaled"}});
  return std::make_unique<RandK>(SelectionSize::parse(arguments, segments), arguments.flag("scaled"));
}

template <class Scalar>
std::string RandK<Scalar>::spelling() const {
  return "randk(" + size_.spelling() + (scaled_ ? ", scaled)" : ")");
}

template <class Scalar>
Traits RandK<Scalar>::traits(std::size_t dimension) const {
  const std::size_t k = size_.of(dimension);
  const double kept = dimension ? static_cast<double>(k) / static_cast<double>(dimension) : 1.0;
  Traits traits;
  traits.unbiased = scaled_ || kept == 1.0;
  if (traits.unbiased) traits.omega = traits.omega_typical = 1.0 / kept - 1.0;
  if (!scaled_)
    traits.contraction = kept;
  else if (traits.omega < 1.0)
    traits.contraction = 1.0 - traits.omega;
  return traits;
}

template <class Scalar>
Scalar RandK<Scalar>::factor(std::size_t dimension) const {
  if (!scaled_ || dimension == 0) return Scalar(1);
  return static_cast<Scalar>(static_cast<double>(dimension) / static_cast<double>(size_.of(dimension)));
}

template <class Scalar>
void RandK<Scalar>::draw(std::span<const std::byte> seed_bytes, std::size_t dimension,
                         std::vector<std::uint32_t>& indices) {
  const auto seed = read_scalar<Seed>(seed_bytes, 0);
  const std::size_t k = size_.of(dimension);
  const bool complement = k > dimension - k;
  const std::size_t drawn = complement ? dimension - k : k;
  subset_.assign((dimension + 63) / 64, 0);
  const auto place = [this](std::size_t i) -> std::uint64_t& { return subset_[i / 64]; };
  const auto bit = [](std::size_t i) { return std::uint64_t{1} << (i % 64); };
  RandomStream random(seed.a, 0, seed.b, Purpose::compression);
  for (std::size_t last = dimension - drawn; last < dimension; ++last) {
    const auto candidate = static_cast<std::size_t>(random.below(last + 1));
    const std::size_t member = place(candidate) & bit(candidate) ? last : candidate;
    place(member) |= bit(member);
  }
  if (complement) {
    for (std::uint64_t& word : subset_) word = ~word;
    if (dimension % 64 != 0) subset_.back() &= bit(dimension) - 1;
  }
  indices.clear();
  for (std::size_t word = 0; word < subset_.size(); ++word)
    for (std::uint64_t left = subset_[word]; left != 0; left &= left - 1)
      indices.push_back(
          static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(left))));
}

template <class Scalar>
void RandK<Scalar>::select(const EncodeInput<Scalar>& input, std::span<std::byte> seed,
                           Selection& selection) {
  const std::uint64_t a = input.random.bits64();
  write_scalar(seed, 0, Seed{a, input.random.bits64()});
  selection.shared_scale.reset();
  draw(seed, input.vector.size(), selection.indices);
}

template class RandK<float>;
template class RandK<double>;

}  // namespace hearsay
