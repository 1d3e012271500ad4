#include "algorithms/compression/pipeline.hpp"

#include <algorithm>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/quantizers/grid.hpp"
#include "algorithms/compression/selectors/magnitudes.hpp"
#include "algorithms/compression/tiled_coding.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
Pipeline<Scalar>::Pipeline(PipelineStages<Scalar> stages)
    : stages_(std::move(stages)), seeded_(stages_.use_seed()), mixed_(stages_.mix()) {
  ensure(!stages_.coder == !stages_.quantizer, "a pipeline codes what it quantizes");
  ensure(!stages_.index_coder || stages_.selector, "only a selection has indices");
  ensure(!stages_.selector || !stages_.selector->shares_indices() ||
             (stages_.index_coder && !stages_.selector->count_varies()),
         "a choice that is shared is a fixed number of indices that travel");
}

template <class Scalar>
void Pipeline<Scalar>::reserve(std::size_t most) {
  selection_.indices.reserve(most);
  values_.reserve(most);
  if (!stages_.quantizer) return;
  codes_.reserve(most);
  stages_.coder->reserve(most, stages_.quantizer->range());
}

/// What is reserved and not written costs no memory: so codes, where they are coded and read in parts.
template <class Scalar>
std::size_t Pipeline<Scalar>::scratch_bytes(std::size_t dimension, CodecUse use) const {
  const std::size_t size = stages_.coefficients_of(dimension);
  const std::size_t sent = stages_.selector ? stages_.selector->most(size) : size;
  std::size_t bytes = sent * sizeof(Scalar);
  if (!stages_.transforms.empty()) bytes += 2 * size * sizeof(Scalar);
  if (stages_.selector)
    bytes += sent * sizeof(std::uint32_t) + hearsay::scratch_bytes(*stages_.selector, size, use);
  if (stages_.coder) {
    bytes += hearsay::scratch_bytes(*stages_.coder, sent, use);
    if (!stages_.coder->decodes_in_parts()) bytes += sent * sizeof(std::int32_t);
  }
  return bytes;
}

template <class Scalar>
void Pipeline<Scalar>::reserve_sweeps(std::size_t dimension) {
  if (stages_.transforms.empty()) return;
  // ping_ and pong_ swap with every transform, so each needs room for the most coefficients: those after the
  // last transform, since no transform reduces their number.
  const std::size_t most = stages_.coefficients_of(dimension);
  for (auto* sweep : {&ping_, &pong_}) sweep->reserve(most);
  if (stages_.selector && stages_.selector->uses_latest())
    for (auto* sweep : {&latest_ping_, &latest_pong_}) sweep->reserve(most);
}

template <class Scalar>
std::span<const Scalar> Pipeline<Scalar>::transform(std::span<const Scalar> vector, std::uint64_t seed,
                                                    std::span<const Scalar>& latest) {
  reserve_sweeps(vector.size());
  std::span<const Scalar> current = vector;
  for (const auto& transform : stages_.transforms) {
    pong_.resize(transform->coefficients(current.size()));
    if (!latest.empty()) {
      latest_pong_.resize(pong_.size());
      const bool known = transform->forward_latest(current, latest, latest_pong_);
      std::swap(latest_ping_, latest_pong_);
      latest = known ? latest_ping_ : std::span<const Scalar>();
    }
    transform->forward(current, seed, pong_);
    std::swap(ping_, pong_);
    current = ping_;
  }
  return current;
}

template <class Scalar>
bool Pipeline<Scalar>::surely_returns() {
  if (!mixed_) return true;
  if (stages_.quantizer && !coarsest_)
    coarsest_ = 2.0 * stages_.quantizer->traits(ping_.size()).absolute_error_per_coordinate.value_or(0.0);
  // No quantizer returns more than the norm of its values (natural twice as much, a grid one step more), and
  // no inverse more than the sum of its coefficients.
  const auto n = static_cast<double>(ping_.size());
  double largest = static_cast<double>(std::bit_cast<Scalar>(largest_magnitude_of<Scalar>(ping_)));
  if (stages_.selector) largest *= static_cast<double>(stages_.selector->factor(ping_.size()));
  return 2.0 * n * (n * largest + coarsest_.value_or(0.0)) <=
         static_cast<double>(std::numeric_limits<Scalar>::max());
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const CodecStatus status = write_message(input, out);
  if (status != CodecStatus::ok || input.vector.empty() || surely_returns()) return status;
  const bool decodes = decode(out.bytes(), input.vector.size(), input.shared_indices) == CodecStatus::ok &&
                       restore(input.vector.size());
  return decodes ? status : CodecStatus::saturated;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::write_message(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const std::size_t dimension = input.vector.size();
  ensure(dimension <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  const std::size_t room = stages_.most_bytes(dimension);
  BytePieces message(out.resize(room));
  if (dimension == 0) return CodecStatus::ok;
  const ElementKey key = input.random.element_key();
  if (seeded_) {
    seed_ = input.random.bits64();
    write_scalar(message.take(sizeof(seed_)), 0, seed_);
  }
  // A coordinate that is not finite counts even if it is not selected. Without a selector the quantizer
  // itself sees every such value.
  const bool is_selected_if_not_finite = stages_.selector && stages_.selector->keeps_largest() &&
                                         stages_.transforms.empty() && input.shared_indices.empty();
  bool finite =
      (!stages_.selector && stages_.quantizer) || is_selected_if_not_finite || all_finite(input.vector);
  std::span<const Scalar> latest;
  if (stages_.selector && stages_.selector->uses_latest()) latest = input.latest;
  std::span<const Scalar> values = transform(input.vector, seed_, latest);
  if (stages_.selector) {
    select(input, values, latest, message);
    if (is_selected_if_not_finite) finite = all_finite<Scalar>(values_);
    // A vector that is not finite fails as a whole, even if the selected values are finite.
    if (!finite) std::ranges::fill(values_, std::numeric_limits<Scalar>::quiet_NaN());
    values = values_;
  }
  const CodecStatus status = stages_.quantizer ? write_codes(input.vector, values, key, finite, message)
                                               : write_values(values, finite, message);
  out.resize(room - message.rest().size());
  return status;
}

template <class Scalar>
void Pipeline<Scalar>::select(const EncodeInput<Scalar>& input, std::span<const Scalar> y,
                              std::span<const Scalar> latest, BytePieces<std::byte>& message) {
  Selector<Scalar>& selector = *stages_.selector;
  const auto count_place =
      selector.count_varies() ? message.take(sizeof(std::uint32_t)) : std::span<std::byte>();
  const std::vector<std::uint32_t>& indices = selection_.indices;
  if (!input.shared_indices.empty()) {
    ensure(selector.shares_indices() && input.shared_indices.size() == selector.most(y.size()) &&
               input.shared_indices.back() < y.size(),
           "shared indices are a choice for this vector");
    selection_.indices.assign(input.shared_indices.begin(), input.shared_indices.end());
  } else {
    selector.select({y, input.random, latest}, message.take(selector.seed_bytes(y.size())), selection_);
    if (!count_place.empty())
      write_scalar(count_place, 0, static_cast<std::uint32_t>(y.size() - indices.size()));
    if (stages_.index_coder) message.take(stages_.index_coder->encode(indices, y.size(), message.rest()));
  }
  const Scalar factor = selector.factor(y.size());
  reserve(selector.most(y.size()));
  values_.resize(indices.size());
  for (std::size_t k = 0; k < indices.size(); ++k) values_[k] = factor * y[indices[k]];
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::write_codes(std::span<const Scalar> vector, std::span<const Scalar> values,
                                          ElementKey key, bool finite, BytePieces<std::byte>& message) {
  const Quantizer<Scalar>& quantizer = *stages_.quantizer;
  QuantizeInput input{key, std::nullopt};
  if (stages_.selector) input.shared_scale = selection_.shared_scale;
  const auto header = message.take(quantizer.header_bytes(values.size()));
  const auto [quantized, bytes] =
      quantize_and_code(quantizer, *stages_.coder, values, input, header, message.rest(), codes_);
  message.take(bytes);
  if (quantized != CodecStatus::ok && !stages_.selector) finite = all_finite(vector);
  if (!finite) return CodecStatus::not_finite;
  // If the coordinates are finite and the values are not, a transform or a factor has left the range.
  return quantized == CodecStatus::not_finite ? CodecStatus::saturated : quantized;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::write_values(std::span<const Scalar> values, bool finite,
                                           BytePieces<std::byte>& message) {
  const auto place = message.take(values.size_bytes());
  std::ranges::copy(std::as_bytes(values), place.begin());
  if (!finite) return CodecStatus::not_finite;
  if (all_finite(values)) return CodecStatus::ok;
  for (std::size_t k = 0; k < values.size(); ++k)
    write_scalar(place, k, std::numeric_limits<Scalar>::quiet_NaN());
  return CodecStatus::saturated;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                               std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = write_message(input, out);
  if (status != CodecStatus::ok) return status;
  const CodecStatus applied = accumulate(out.bytes(), Scalar(1), into);
  return applied == CodecStatus::not_finite ? CodecStatus::saturated : applied;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::decode(std::span<const std::byte> packet, std::size_t dimension,
                                     std::span<const std::uint32_t> shared_indices) {
  const std::size_t size = stages_.coefficients_of(dimension);
  BytePieces reader(packet);
  if (seeded_) {
    if (!reader.has(sizeof(seed_))) return CodecStatus::malformed;
    seed_ = read_scalar<std::uint64_t>(reader.take(sizeof(seed_)), 0);
  }
  std::size_t n = stages_.selector ? stages_.selector->most(size) : size;
  reserve(n);
  if (const auto& selector = stages_.selector) {
    if (selector->count_varies()) {
      if (!reader.has(sizeof(std::uint32_t))) return CodecStatus::malformed;
      const std::size_t dropped = read_scalar<std::uint32_t>(reader.take(sizeof(std::uint32_t)), 0);
      if (dropped > size || size - dropped > n) return CodecStatus::malformed;
      n = size - dropped;
      if (n < selector->fewest()) return CodecStatus::malformed;
    }
    const std::size_t seed_bytes = selector->seed_bytes(size);
    if (!reader.has(seed_bytes)) return CodecStatus::malformed;
    if (!shared_indices.empty()) {
      selection_.indices.assign(shared_indices.begin(), shared_indices.end());
    } else if (seed_bytes > 0) {
      selector->draw(reader.take(seed_bytes), size, selection_.indices);
    } else {
      selection_.indices.resize(n);
      const auto used = stages_.index_coder->decode(reader.rest(), size, selection_.indices);
      if (!used) return CodecStatus::malformed;
      reader.take(*used);
    }
  }
  values_.resize(n);
  if (!stages_.quantizer) {
    if (reader.rest().size() != n * sizeof(Scalar)) return CodecStatus::malformed;
    if (!all_finite<Scalar>(reader.rest())) return CodecStatus::not_finite;
    std::ranges::copy(reader.rest(), std::as_writable_bytes(std::span(values_)).begin());
    return CodecStatus::ok;
  }
  const Quantizer<Scalar>& quantizer = *stages_.quantizer;
  const std::size_t header_bytes = quantizer.header_bytes(n);
  if (!reader.has(header_bytes)) return CodecStatus::malformed;
  const auto header = reader.take(header_bytes);
  return decode_and_reconstruct<Scalar>(quantizer, *stages_.coder, header, reader.rest(), values_, codes_);
}

template <class Scalar>
bool Pipeline<Scalar>::restore(std::size_t dimension) {
  reserve_sweeps(dimension);
  if (stages_.selector) {
    ping_.assign(stages_.coefficients_of(dimension), Scalar(0));
    for (std::size_t k = 0; k < values_.size(); ++k) ping_[selection_.indices[k]] = values_[k];
  } else {
    ping_.assign(values_.begin(), values_.end());
  }
  invert(dimension);
  return all_finite(std::span<const Scalar>(ping_));
}

/// Inverts the transforms from the last to the first; `before` is the size of the input that the transform
/// had.
template <class Scalar>
void Pipeline<Scalar>::invert(std::size_t dimension) {
  for (std::size_t stage = stages_.transforms.size(); stage-- > 0;) {
    std::size_t before = dimension;
    for (std::size_t earlier = 0; earlier < stage; ++earlier)
      before = stages_.transforms[earlier]->coefficients(before);
    pong_.resize(before);
    stages_.transforms[stage]->inverse(ping_, seed_, pong_);
    std::swap(ping_, pong_);
  }
}

template <class Scalar>
void Pipeline<Scalar>::add_values(Scalar scale, std::span<Scalar> into) const {
  if (!stages_.selector)
    for (std::size_t k = 0; k < into.size(); ++k) into[k] += scale * values_[k];
  else
    for (std::size_t k = 0; k < values_.size(); ++k) into[selection_.indices[k]] += scale * values_[k];
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::apply(Scalar scale, std::span<Scalar> into) {
  if (stages_.transforms.empty()) {
    add_values(scale, into);
    return CodecStatus::ok;
  }
  if (!restore(into.size())) return CodecStatus::not_finite;
  for (std::size_t k = 0; k < into.size(); ++k) into[k] += scale * ping_[k];
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                         std::span<Scalar> into) {
  if (into.empty()) return packet.empty() ? CodecStatus::ok : CodecStatus::malformed;
  const CodecStatus status = decode(packet, into.size(), {});
  return status == CodecStatus::ok ? apply(scale, into) : status;
}

template <class Scalar>
SharedSelection<Scalar>* Pipeline<Scalar>::shared_selection() {
  return stages_.selector && stages_.selector->shares_indices() ? this : nullptr;
}

template <class Scalar>
SummedCoefficients<Scalar>* Pipeline<Scalar>::summed_coefficients() {
  return stages_.transforms.empty() || seeded_ ? nullptr : this;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::accumulate_coefficients(std::span<const std::byte> packet,
                                                      std::span<Scalar> sum) {
  ensure(stages_.coefficients_of(sum.size()) == sum.size(),
         "a transform without a seed keeps the size of a vector");
  if (sum.empty()) return packet.empty() ? CodecStatus::ok : CodecStatus::malformed;
  const CodecStatus status = decode(packet, sum.size(), {});
  if (status == CodecStatus::ok) add_values(1, sum);
  return status;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::restore(std::span<Scalar> sum) {
  reserve_sweeps(sum.size());
  ping_.assign(sum.begin(), sum.end());
  invert(sum.size());
  std::ranges::copy(ping_, sum.begin());
  return all_finite(std::span<const Scalar>(sum)) ? CodecStatus::ok : CodecStatus::not_finite;
}

template <class Scalar>
std::size_t Pipeline<Scalar>::choice_bytes(std::size_t dimension) const {
  const std::size_t size = stages_.coefficients_of(dimension);
  return stages_.index_coder->most_bytes(stages_.selector->most(size), size);
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::choose(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  std::span<const Scalar> latest;
  const std::span<const Scalar> y = transform(input.vector, seed_, latest);
  stages_.selector->select({y, input.random}, {}, selection_);
  const auto place = out.resize(choice_bytes(input.vector.size()));
  out.resize(stages_.index_coder->encode(selection_.indices, y.size(), place));
  return all_finite(input.vector) ? CodecStatus::ok : CodecStatus::not_finite;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::read_choice(std::span<const std::byte> packet, std::size_t dimension,
                                          std::vector<std::uint32_t>& indices) {
  const std::size_t size = stages_.coefficients_of(dimension);
  indices.resize(stages_.selector->most(size));
  if (stages_.index_coder->decode(packet, size, indices) == packet.size()) return CodecStatus::ok;
  indices.clear();
  return CodecStatus::malformed;
}

template <class Scalar>
CodecStatus Pipeline<Scalar>::accumulate_shared(std::span<const std::byte> packet,
                                                std::span<const std::uint32_t> indices, Scalar scale,
                                                std::span<Scalar> into) {
  if (into.empty()) return packet.empty() ? CodecStatus::ok : CodecStatus::malformed;
  const CodecStatus status = decode(packet, into.size(), indices);
  return status == CodecStatus::ok ? apply(scale, into) : status;
}

template <class Scalar>
std::vector<Bracket> Pipeline<Scalar>::brackets(std::span<const Scalar> vector) const {
  if (!stages_.transforms.empty() || stages_.selector || !stages_.quantizer) return {};
  return stages_.quantizer->brackets(vector);
}

template <class Scalar>
bool Pipeline<Scalar>::rounds_each_alone() const {
  return stages_.transforms.empty() && !stages_.selector &&
         dynamic_cast<const Grid<Scalar>*>(stages_.quantizer.get()) != nullptr;
}

template class Pipeline<float>;
template class Pipeline<double>;

}  // namespace hearsay
