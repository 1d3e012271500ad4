#include "algorithms/compression/transforms/fwht.hpp"

#include "algorithms/compression/seam/compose.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

std::size_t parse_hadamard_block(const Arguments& arguments) {
  constexpr std::uint64_t largest = 1u << 20;
  std::uint64_t block = 4096;
  const bool whole = !arguments.has("block") || parse_whole(arguments.text("block"), block);
  if (!whole || block < 2 || block > largest || !std::has_single_bit(block))
    arguments.refuse("block", "a power of two from 2 to " + std::to_string(largest));
  return static_cast<std::size_t>(block);
}

template <class Scalar>
std::unique_ptr<Transform<Scalar>> Fwht<Scalar>::parse(const StageSpelling& stage, const SegmentTable&) {
  return std::make_unique<Fwht>(parse_hadamard_block(Arguments(stage, {"block", {"block"}, {}})));
}

template <class Scalar>
std::string Fwht<Scalar>::spelling() const {
  return "fwht(block=" + std::to_string(blocks_.block) + ")";
}

template <class Scalar>
Traits Fwht<Scalar>::traits(std::size_t) const {
  Traits traits = exact_traits();
  traits.deterministic = false;
  return traits;
}

template <class Scalar>
void Fwht<Scalar>::forward(std::span<const Scalar> in, std::uint64_t seed, std::span<Scalar> out) {
  blocks_.for_each(in.size(), [&](std::size_t begin, std::size_t size, std::size_t padded) {
    signed_hadamard(in.subspan(begin, size), sign_key(seed), static_cast<std::uint32_t>(begin),
                    out.subspan(begin, padded));
  });
}

template <class Scalar>
void Fwht<Scalar>::inverse(std::span<Scalar> in, std::uint64_t seed, std::span<Scalar> out) {
  blocks_.for_each(out.size(), [&](std::size_t begin, std::size_t size, std::size_t padded) {
    hadamard_signed(in.subspan(begin, padded), sign_key(seed), static_cast<std::uint32_t>(begin),
                    out.subspan(begin, size));
  });
}

template class Fwht<float>;
template class Fwht<double>;

}  // namespace hearsay
