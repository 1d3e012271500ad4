#include "algorithms/compression/transformed.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/seam/compose.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
Transformed<Scalar>::Transformed(std::vector<std::unique_ptr<Transform<Scalar>>> transforms,
                                 std::unique_ptr<Compressor<Scalar>> inner)
    : transforms_(std::move(transforms)),
      inner_(std::move(inner)),
      seeded_(std::ranges::any_of(transforms_, [](const auto& stage) { return stage->uses_seed(); })),
      between_(transforms_.size()) {
  ensure(!transforms_.empty(), "a compressor without transforms stands alone");
}

template <class Scalar>
std::string Transformed<Scalar>::spelling() const {
  std::string text;
  for (const auto& transform : transforms_) text += transform->spelling() + " | ";
  return text + inner_->spelling();
}

template <class Scalar>
std::size_t Transformed<Scalar>::coefficient_count(std::size_t dimension) const {
  for (const auto& transform : transforms_) dimension = transform->coefficients(dimension);
  return dimension;
}

template <class Scalar>
Traits Transformed<Scalar>::traits(std::size_t dimension) const {
  Traits traits = exact_traits();
  double expansion = 1.0;
  bool mixed = false;
  std::size_t size = dimension;
  for (const auto& transform : transforms_) {
    traits = composed(traits, transform->traits(size));
    size = transform->coefficients(size);
    expansion *= transform->expansion();
    mixed = mixed || transform->mixes();
  }
  const Traits inner = inner_->traits(size);
  traits = behind_transforms(composed(traits, inner), expansion, mixed);
  traits.bytes = dimension == 0 ? 0 : inner.bytes + seed_bytes();
  traits.data_dependent_size = inner.data_dependent_size;
  return traits;
}

template <class Scalar>
CodecStatus Transformed<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  if (input.vector.empty()) {
    out.resize(0);
    return CodecStatus::ok;
  }
  const std::uint64_t seed = seeded_ ? input.random.bits64() : 0;
  std::span<const Scalar> current = input.vector;
  make_room(current.size());
  for (std::size_t k = 0; k < transforms_.size(); ++k) {
    transforms_[k]->forward(current, seed, between_[k]);
    current = between_[k];
  }
  // No coefficient comes back more than n times as large as the largest one (a random selection scales so),
  // up to a small factor of rounding, and no inverse returns more than the sum of its coefficients.
  const auto n = static_cast<double>(current.size());
  const auto largest = static_cast<double>(std::bit_cast<Scalar>(largest_magnitude_of<Scalar>(current)));
  const bool surely_returns =
      1024.0 * n * n * largest <= static_cast<double>(std::numeric_limits<Scalar>::max());

  CodecStatus status = inner_->encode({current, input.random}, out);
  if (seeded_) {
    const std::size_t size = out.bytes().size();
    write_scalar(out.resize(size + seed_bytes()).subspan(size), 0, seed);
  }
  if (status == CodecStatus::not_finite && all_finite(input.vector)) status = CodecStatus::saturated;
  if (status == CodecStatus::ok && !surely_returns &&
      decode(out.bytes(), input.vector.size()) != CodecStatus::ok)
    status = CodecStatus::saturated;
  return status;
}

template <class Scalar>
CodecStatus Transformed<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                                  std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  return status == CodecStatus::ok ? accumulate(out.bytes(), Scalar(1), into) : status;
}

/// The coefficients after each transform, and the vector that is decoded.
template <class Scalar>
std::size_t Transformed<Scalar>::scratch_bytes(std::size_t dimension, CodecUse use) const {
  std::size_t numbers = dimension;
  std::size_t size = dimension;
  for (const auto& transform : transforms_) numbers += size = transform->coefficients(size);
  return numbers * sizeof(Scalar) + hearsay::scratch_bytes(*inner_, size, use);
}

template <class Scalar>
void Transformed<Scalar>::make_room(std::size_t dimension) {
  for (std::size_t k = 0; k < transforms_.size(); ++k)
    between_[k].resize(dimension = transforms_[k]->coefficients(dimension));
}

template <class Scalar>
void Transformed<Scalar>::invert(std::span<Scalar> coefficients, std::uint64_t seed, std::span<Scalar> out) {
  for (std::size_t k = transforms_.size(); k-- > 0;) {
    const std::span<Scalar> undone = k == 0 ? out : std::span<Scalar>(between_[k - 1]);
    transforms_[k]->inverse(coefficients, seed, undone);
    coefficients = undone;
  }
}

template <class Scalar>
CodecStatus Transformed<Scalar>::decode(std::span<const std::byte> packet, std::size_t dimension) {
  if (packet.size() < seed_bytes()) return CodecStatus::malformed;
  const auto message = packet.first(packet.size() - seed_bytes());
  const std::uint64_t seed = seeded_ ? read_scalar<std::uint64_t>(packet.subspan(message.size()), 0) : 0;
  make_room(dimension);
  std::vector<Scalar>& coefficients = between_.back();
  std::ranges::fill(coefficients, Scalar(0));
  if (const CodecStatus status = inner_->accumulate(message, Scalar(1), coefficients);
      status != CodecStatus::ok)
    return status;
  decoded_.resize(dimension);
  invert(coefficients, seed, decoded_);
  return all_finite(std::span<const Scalar>(decoded_)) ? CodecStatus::ok : CodecStatus::not_finite;
}

template <class Scalar>
CodecStatus Transformed<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                            std::span<Scalar> into) {
  if (into.empty()) return packet.empty() ? CodecStatus::ok : CodecStatus::malformed;
  const CodecStatus status = decode(packet, into.size());
  if (status != CodecStatus::ok) return status;
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += scale * decoded_[i];
  return CodecStatus::ok;
}

template <class Scalar>
SentCoefficients<Scalar>* Transformed<Scalar>::sent_coefficients() {
  return !seeded_ && inner_->sent_coefficients() ? this : nullptr;
}

template <class Scalar>
CodecStatus Transformed<Scalar>::accumulate_sent(std::span<const std::byte> packet, std::size_t dimension,
                                                 std::span<Scalar> sum, std::span<std::uint32_t> senders) {
  return inner_->sent_coefficients()->accumulate_sent(packet, coefficient_count(dimension), sum, senders);
}

template <class Scalar>
void Transformed<Scalar>::restore(std::span<Scalar> coefficients, std::span<Scalar> out) {
  make_room(out.size());
  invert(coefficients, 0, out);
}

template <class Scalar>
CodecStatus Transformed<Scalar>::accumulate_coefficients(std::span<const std::byte> packet,
                                                         std::span<Scalar> sum) {
  ensure(coefficient_count(sum.size()) == sum.size(),
         "a transform without a seed keeps the size of a vector");
  return inner_->accumulate(packet, Scalar(1), sum);
}

template <class Scalar>
CodecStatus Transformed<Scalar>::restore(std::span<Scalar> sum) {
  make_room(sum.size());
  std::ranges::copy(sum, between_.back().begin());
  invert(between_.back(), 0, sum);
  return all_finite(std::span<const Scalar>(sum)) ? CodecStatus::ok : CodecStatus::not_finite;
}

template class Transformed<float>;
template class Transformed<double>;

}  // namespace hearsay
