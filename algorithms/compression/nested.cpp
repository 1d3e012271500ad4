#include "algorithms/compression/nested.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/registry.hpp"
#include "algorithms/compression/seam/compose.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t most_rounds = 64;

/// The compressors in the braces of a wrapper. Misuse unless there are `wanted` of them; `example` is a
/// spelling that would be accepted.
template <class Scalar>
std::vector<std::unique_ptr<Compressor<Scalar>>> bodies(const StageSpelling& stage, std::size_t wanted,
                                                        const std::string& example,
                                                        const SegmentTable& segments) {
  if (stage.bodies.size() != wanted)
    refuse_stage(stage, stage.name + (wanted == 1 ? " takes one compressor" : " takes two compressors") +
                            " in braces, such as " + example);
  std::vector<std::unique_ptr<Compressor<Scalar>>> parts;
  for (const PipelineSpelling& body : stage.bodies) {
    parts.push_back(make_compressor<Scalar>(body, segments));
    if (parts.back()->shared_selection())
      refuse_stage(stage, parts.back()->spelling() + " has a leader, which " + stage.name +
                              " cannot ask; expected topk");
  }
  return parts;
}

/// The share of ||z||^2 that is lost after several rounds: `share`, but no less than the rounding errors of
/// the sum in Scalar.
template <class Scalar>
double with_roundings(double share) {
  constexpr double epsilon = std::numeric_limits<Scalar>::epsilon();
  return std::max(share, epsilon * epsilon);
}

bool loses_nothing(const Traits& traits) { return traits.unbiased && traits.omega == 0.0; }

/// The traits on vectors of the model's size, or of 65,536 coordinates if that is not known. (A small default
/// would mislead: on a single coordinate topk(1%) loses nothing.)
template <class Scalar>
Traits traits_on(const Compressor<Scalar>& compressor, const SegmentTable& segments) {
  return compressor.traits(segments.empty() ? 65'536 : static_cast<std::size_t>(segments.back().end()));
}

/// Refuses a compressor whose messages may be too long for the length that stands before them.
template <class Scalar>
void require_short_part(const StageSpelling& stage, const Compressor<Scalar>& part,
                        const SegmentTable& segments) {
  const std::size_t bytes = traits_on(part, segments).bytes;
  if (bytes > std::numeric_limits<std::uint32_t>::max())
    refuse_stage(stage, "a message of " + part.spelling() + " can take " + std::to_string(bytes) +
                            " bytes, and " + stage.name + " writes such a length with 32 bits");
}

}  // namespace

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Nested<Scalar>::parse_repeat(const StageSpelling& stage,
                                                                 const SegmentTable& segments) {
  const Arguments arguments(stage, {"rounds", {"rounds"}, {}});
  const auto rounds = arguments.count("rounds", 1, most_rounds);
  if (!rounds) arguments.refuse("rounds", "how often, such as repeat(4){topk(1%)}");
  const std::string example = "repeat(" + std::to_string(*rounds) + "){topk(1%)}";
  auto nested = std::unique_ptr<Nested>(new Nested(Kind::repeat, static_cast<std::size_t>(*rounds),
                                                   bodies<Scalar>(stage, 1, example, segments)));
  if (nested->messages() > most_rounds)
    refuse_stage(stage, "that is " + std::to_string(nested->messages()) +
                            " rounds in all, expected at most " + std::to_string(most_rounds));
  if (*rounds > 1) require_short_part(stage, nested->part(0), segments);
  return nested;
}

template <class Scalar>
std::size_t Nested<Scalar>::messages() const {
  std::size_t of_parts = 0;
  for (const auto& part : parts_) {
    const auto* nested = dynamic_cast<const Nested*>(part.get());
    of_parts += nested ? nested->messages() : 1;
  }
  return kind_ == Kind::repeat ? rounds_ * of_parts : of_parts;
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Nested<Scalar>::parse_scale(const StageSpelling& stage,
                                                                const SegmentTable& segments) {
  const Arguments none(stage, {"", {}, {}});
  auto parts = bodies<Scalar>(stage, 1, "scale{qsgd(4)}", segments);
  const Traits traits = traits_on(*parts[0], segments);
  if (!traits.unbiased || !std::isfinite(traits.omega))
    refuse_stage(stage, "scale takes an unbiased compressor of bounded omega, which " + parts[0]->spelling() +
                            " is not");
  return std::unique_ptr<Nested>(new Nested(Kind::scale, 1, std::move(parts)));
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> Nested<Scalar>::parse_induced(const StageSpelling& stage,
                                                                  const SegmentTable& segments) {
  const Arguments none(stage, {"", {}, {}});
  auto parts = bodies<Scalar>(stage, 2, "induced{topk(5%)}{qsgdinf(4)}", segments);
  if (!traits_on(*parts[0], segments).contraction)
    refuse_stage(stage,
                 "induced takes a contractive compressor first, which " + parts[0]->spelling() + " is not");
  require_short_part(stage, *parts[0], segments);
  if (!traits_on(*parts[1], segments).unbiased)
    refuse_stage(stage,
                 "induced takes an unbiased compressor second, which " + parts[1]->spelling() + " is not");
  return std::unique_ptr<Nested>(new Nested(Kind::induced, 2, std::move(parts)));
}

template <class Scalar>
std::string Nested<Scalar>::spelling() const {
  std::string text = kind_ == Kind::repeat  ? "repeat(rounds=" + std::to_string(rounds_) + ")"
                     : kind_ == Kind::scale ? "scale"
                                            : "induced";
  for (const auto& part : parts_) text += "{" + part->spelling() + "}";
  return text;
}

template <class Scalar>
Traits Nested<Scalar>::traits(std::size_t dimension) const {
  const Traits first = parts_[0]->traits(dimension);
  const Traits last = parts_.back()->traits(dimension);
  Traits traits;
  traits.deterministic = first.deterministic && last.deterministic;
  traits.data_dependent_size = first.data_dependent_size || last.data_dependent_size;
  if (kind_ == Kind::repeat) {
    const auto rounds = static_cast<double>(rounds_);
    traits.unbiased = first.unbiased;
    const auto repeated = [&](double share) {
      return loses_nothing(first) ? 0.0 : with_roundings<Scalar>(std::pow(share, rounds));
    };
    if (traits.unbiased) traits.omega = repeated(first.omega);
    if (first.contraction) traits.contraction = 1.0 - repeated(1.0 - *first.contraction);
    traits.absolute_error_per_coordinate = first.absolute_error_per_coordinate;
    traits.bytes = rounds_ * first.bytes + (rounds_ - 1) * sizeof(std::uint32_t);
  } else if (kind_ == Kind::scale) {
    traits.contraction = 1.0 / (1.0 + first.omega);
    traits.bytes = first.bytes;
  } else {
    traits.unbiased = true;
    // The contraction may exist for smaller vectors only; then it is taken as 0 here.
    const double left =
        loses_nothing(first) ? 0.0 : with_roundings<Scalar>(1.0 - first.contraction.value_or(0.0));
    traits.omega = product_of_factors(last.omega, left);
    if (traits.omega > 0.0) traits.omega = with_roundings<Scalar>(traits.omega);
    if (traits.omega < 1.0) traits.contraction = 1.0 - traits.omega;
    traits.absolute_error_per_coordinate = last.absolute_error_per_coordinate;
    traits.bytes = first.bytes + last.bytes + sizeof(std::uint32_t);
  }
  // What one round leaves is not Gaussian for the next, so omega_typical must be measured
  // (typical_omega.hpp).
  if (traits.unbiased && traits.omega == 0.0) traits.omega_typical = 0.0;
  return traits;
}

/// The vector that the sum is decoded into; to encode, also what is left of a vector, and a round's message.
template <class Scalar>
std::size_t Nested<Scalar>::scratch_bytes(std::size_t dimension, CodecUse use) const {
  std::size_t bytes = dimension * sizeof(Scalar);
  if (use == CodecUse::encodes_and_decodes)
    bytes += dimension * sizeof(Scalar) + parts_[0]->traits(dimension).bytes;
  for (const auto& part : parts_) bytes += hearsay::scratch_bytes(*part, dimension, use);
  return bytes;
}

template <class Scalar>
void Nested<Scalar>::prepare_for(std::size_t dimension) {
  if (dimension_ == dimension) return;
  dimension_ = dimension;
  most_bytes_ = traits(dimension).bytes;
  if (kind_ == Kind::scale) factor_ = static_cast<Scalar>(1.0 / (1.0 + parts_[0]->traits(dimension).omega));
}

template <class Scalar>
CodecStatus Nested<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  prepare_for(input.vector.size());
  residual_.assign(input.vector.begin(), input.vector.end());
  out.resize(most_bytes_);  // so that no later message allocates
  CodecStatus status = CodecStatus::ok;
  std::size_t size = 0;
  for (std::size_t round = 0; round < rounds_; ++round) {
    PacketBuffer packet = pool_.acquire();
    const CodecStatus of_part = part(round).encode({residual_, input.random, input.latest}, packet);
    const auto bytes = packet.bytes();
    const bool last = round + 1 == rounds_;
    const auto place = out.resize(size + (last ? 0 : sizeof(std::uint32_t)) + bytes.size()).subspan(size);
    if (!last) write_scalar(place, 0, static_cast<std::uint32_t>(bytes.size()));
    std::ranges::copy(bytes, place.last(bytes.size()).begin());
    size += place.size();
    if (status == CodecStatus::ok) status = of_part;
    if (last) break;
    if (status == CodecStatus::ok) status = part(round).accumulate(bytes, Scalar(-1), residual_);
    if (status != CodecStatus::ok) std::ranges::fill(residual_, std::numeric_limits<Scalar>::quiet_NaN());
  }
  return status;
}

template <class Scalar>
CodecStatus Nested<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                             std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  return status == CodecStatus::ok ? accumulate(out.bytes(), Scalar(1), into) : status;
}

template <class Scalar>
CodecStatus Nested<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                       std::span<Scalar> into) {
  // Decodes into scratch space first: a fault in a later round must not leave the earlier ones applied.
  decoded_.assign(into.size(), Scalar(0));
  CodecStatus status = CodecStatus::ok;
  for (std::size_t round = 0; round < rounds_; ++round) {
    auto bytes = packet;
    if (round + 1 < rounds_) {
      if (packet.size() < sizeof(std::uint32_t)) return CodecStatus::malformed;
      const std::size_t length = read_scalar<std::uint32_t>(packet, 0);
      packet = packet.subspan(sizeof(std::uint32_t));
      if (packet.size() < length) return CodecStatus::malformed;
      bytes = packet.first(length);
      packet = packet.subspan(length);
    }
    const CodecStatus of_part = part(round).accumulate(bytes, Scalar(1), decoded_);
    if (of_part == CodecStatus::malformed) return of_part;
    if (status == CodecStatus::ok) status = of_part;
  }
  if (status == CodecStatus::ok && !all_finite(std::span<const Scalar>(decoded_)))
    status = CodecStatus::not_finite;
  if (status != CodecStatus::ok) return status;
  prepare_for(into.size());
  for (std::size_t k = 0; k < into.size(); ++k) into[k] += scale * (factor_ * decoded_[k]);
  return CodecStatus::ok;
}

template class Nested<float>;
template class Nested<double>;

}  // namespace hearsay
