#include "algorithms/compression/randk.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "algorithms/compression/wire_scalar.hpp"
#include "algorithms/kernels.hpp"
#include "topology/ensure.hpp"

namespace hearsay {

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> RandK<Scalar>::parse(const StageSpelling& stage,
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
  traits.bytes = message_bytes(dimension);
  return traits;
}

template <class Scalar>
std::size_t RandK<Scalar>::message_bytes(std::size_t dimension) const {
  return dimension ? sizeof(Seed) + size_.of(dimension) * sizeof(Scalar) : 0;
}

template <class Scalar>
void RandK<Scalar>::draw(Seed seed, std::size_t dimension) {
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
  if (!complement) return;
  for (std::uint64_t& word : subset_) word = ~word;
  if (dimension % 64 != 0) subset_.back() &= bit(dimension) - 1;
}

template <class Scalar>
template <class Visit>
void RandK<Scalar>::for_each_member(Visit visit) const {
  std::size_t entry = 0;
  for (std::size_t word = 0; word < subset_.size(); ++word)
    for (std::uint64_t left = subset_[word]; left != 0; left &= left - 1)
      visit(entry++, word * 64 + static_cast<std::size_t>(std::countr_zero(left)));
}

template <class Scalar>
CodecStatus RandK<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  const auto bytes = out.resize(message_bytes(z.size()));
  if (z.empty()) return CodecStatus::ok;
  const auto word = [&] {
    const std::uint64_t high = input.random.bits();
    return high << 32 | input.random.bits();
  };
  const std::uint64_t a = word();
  const Seed seed{a, word()};
  write_scalar(bytes, 0, seed);
  draw(seed, z.size());

  const auto values = bytes.subspan(sizeof(Seed));
  const Scalar factor =
      scaled_ ? static_cast<Scalar>(static_cast<double>(z.size()) / static_cast<double>(size_.of(z.size())))
              : Scalar(1);
  for_each_member([&](std::size_t entry, std::size_t i) { write_scalar(values, entry, z[i] * factor); });
  // A coordinate that was not drawn counts too: the vector as a whole has failed, whatever this message shows
  // of it.
  const CodecStatus status = !all_finite(z)                ? CodecStatus::not_finite
                             : !all_finite<Scalar>(values) ? CodecStatus::saturated
                                                           : CodecStatus::ok;
  if (status != CodecStatus::ok)
    for_each_member([&](std::size_t entry, std::size_t) {
      write_scalar(values, entry, std::numeric_limits<Scalar>::quiet_NaN());
    });
  return status;
}

template <class Scalar>
CodecStatus RandK<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                            std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  if (status != CodecStatus::ok || into.empty()) return status;
  const auto values = out.bytes().subspan(sizeof(Seed));
  for_each_member([&](std::size_t entry, std::size_t i) { into[i] += read_scalar<Scalar>(values, entry); });
  return status;
}

template <class Scalar>
CodecStatus RandK<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                      std::span<Scalar> into) {
  if (packet.size() != message_bytes(into.size())) return CodecStatus::malformed;
  if (into.empty()) return CodecStatus::ok;
  const auto values = packet.subspan(sizeof(Seed));
  if (!all_finite<Scalar>(values)) return CodecStatus::not_finite;
  draw(read_scalar<Seed>(packet, 0), into.size());
  for_each_member(
      [&](std::size_t entry, std::size_t i) { into[i] += scale * read_scalar<Scalar>(values, entry); });
  return CodecStatus::ok;
}

template class RandK<float>;
template class RandK<double>;

}  // namespace hearsay
