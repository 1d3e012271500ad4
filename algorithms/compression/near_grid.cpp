#include "algorithms/compression/near_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/code_checksum.hpp"
#include "algorithms/compression/modulo.hpp"
#include "algorithms/compression/radix_digits.hpp"
#include "algorithms/compression/seam/byte_pieces.hpp"
#include "algorithms/compression/seam/near_compressor.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

enum BucketKind : std::uint8_t { near_side_information = 0, in_full = 1, no_numbers = 2 };

constexpr std::size_t head_bytes = 5;
constexpr std::uint64_t largest_modulus = 65536;
constexpr std::uint64_t largest_full_modulus = std::uint64_t{1} << 32;

/// The least k for which every difference is in [-k/2, k/2).
class LeastModulus {
 public:
  void add(std::int64_t difference) {
    least_ = std::min(least_, difference);
    most_ = std::max(most_, difference);
  }
  std::uint64_t value() const {
    return std::max(static_cast<std::uint64_t>(-2 * least_), static_cast<std::uint64_t>(2 * most_ + 1));
  }

 private:
  std::int64_t least_ = 0;
  std::int64_t most_ = 0;
};

std::uint64_t remainder(std::int64_t code, std::uint64_t modulus) {
  const std::int64_t k = static_cast<std::int64_t>(modulus);
  const std::int64_t rest = code % k;
  return static_cast<std::uint64_t>(rest < 0 ? rest + k : rest);
}

/// The member of remainder + modulus Z in [prediction - modulus/2, prediction + modulus/2).
std::int64_t nearest(std::uint64_t remainder_sent, std::int64_t prediction, std::uint64_t modulus) {
  const std::uint64_t above =
      remainder(static_cast<std::int64_t>(remainder_sent) - prediction, modulus);  // in [0, modulus)
  const auto difference = static_cast<std::int64_t>(above);
  return prediction + (2 * above < modulus ? difference : difference - static_cast<std::int64_t>(modulus));
}

}  // namespace

template <class Scalar>
NearGrid<Scalar>::NearGrid(double step, std::optional<std::uint64_t> modulus, Buckets buckets)
    : step_(step), grid_(step), modulus_(modulus), buckets_(std::move(buckets)) {
  ensure(!modulus || (*modulus > 0 && *modulus <= largest_modulus), "a modulus fits its place in a message");
}

template <class Scalar>
Traits NearGrid<Scalar>::traits(std::size_t dimension) const {
  Traits traits = grid_.traits(dimension);
  traits.data_dependent_size = true;
  buckets_.for_each(dimension, [&](std::size_t, std::size_t, std::size_t size) {
    traits.bytes += head_bytes + RadixDigits(largest_full_modulus).bytes(size);
  });
  return traits;
}

/// p_i = the whole number nearest to y_i / step. False if one of them is out of the range of codes.
template <class Scalar>
bool NearGrid<Scalar>::predict(std::span<const Scalar> near) {
  if (near.empty()) {
    std::ranges::fill(predictions_, 0);
    return true;
  }
  for (std::size_t i = 0; i < near.size(); ++i) {
    const double ratio = std::floor(static_cast<double>(near[i]) / step_ + 0.5);
    if (!(std::abs(ratio) < 0x1p31)) return false;
    predictions_[i] = static_cast<std::int64_t>(ratio);
  }
  return true;
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  ensure(input.near.empty() || input.near.size() == z.size(), "side information is of the vector's size");
  codes_.resize(z.size());
  predictions_.resize(z.size());

  // code: q_i = floor(z_i / step + u_i);  p_i = the whole number nearest to y_i / step
  const CodecStatus status = grid_.quantize(z, {input.random.element_key(), std::nullopt}, {}, codes_);
  if (status != CodecStatus::ok) {
    write_scalar(out.resize(1), 0, no_numbers);
    return status;
  }
  const bool predicted = predict(input.near);

  const std::size_t room = traits(z.size()).bytes;
  BytePieces message(out.resize(room));
  buckets_.for_each(z.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    // bound: k = the least with -k/2 <= q_i - p_i < k/2 for every i of a bucket; or the k that is spelled
    LeastModulus least, least_in_full;
    CodeChecksum checksum;
    for (std::size_t i = begin; i < begin + size; ++i) {
      least.add(codes_[i] - predictions_[i]);
      least_in_full.add(codes_[i]);
      checksum.add(codes_[i]);
    }
    const std::uint64_t k_in_full = least_in_full.value();
    const std::uint64_t k = modulus_.value_or(least.value());
    const bool suffices = predicted && least.value() <= k && k <= largest_modulus;
    const bool near = suffices && (modulus_ || k <= k_in_full);

    // sent: w_i = q_i mod k, and a checksum of the q_i;  in full: w_i = q_i mod k_0
    const auto head = message.take(head_bytes);
    write_scalar(head, 0, near ? near_side_information : in_full);
    if (near) {
      write_scalar(head.subspan(1), 0, static_cast<std::uint16_t>(k - 1));
      write_scalar(head.subspan(1), 1, checksum.value());
    } else {
      write_scalar(head.subspan(1), 0, static_cast<std::uint32_t>(k_in_full - 1));
    }
    const std::uint64_t sent_k = near ? k : k_in_full;
    const RadixDigits digits(sent_k);
    digits.write(size, message.take(digits.bytes(size)),
                 [&](std::size_t i) { return remainder(codes_[begin + i], sent_k); });
  });
  out.resize(room - message.rest().size());
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                               std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  CodecStatus status = encode(input, out);
  if (status != CodecStatus::ok) return status;
  values_.resize(into.size());
  status = grid_.reconstruct({}, codes_, values_);
  if (status != CodecStatus::ok) return CodecStatus::saturated;
  for (std::size_t i = 0; i < into.size(); ++i) into[i] += values_[i];
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                         std::span<Scalar> into) {
  return accumulate_near(packet, {}, scale, into);
}

template <class Scalar>
CodecStatus NearGrid<Scalar>::accumulate_near(std::span<const std::byte> packet, std::span<const Scalar> near,
                                              Scalar scale, std::span<Scalar> into) {
  ensure(near.empty() || near.size() == into.size(), "side information is of the vector's size");
  codes_.resize(into.size());
  predictions_.resize(into.size());
  values_.resize(into.size());
  CodecStatus status = decode(packet, near);
  if (status != CodecStatus::ok) return status;

  // decoded: C(z)_i = q_i step
  status = grid_.reconstruct({}, codes_, values_);
  if (status == CodecStatus::ok)
    for (std::size_t i = 0; i < into.size(); ++i) into[i] += scale * values_[i];
  return status;
}

/// Reads the q_i of a message.
template <class Scalar>
CodecStatus NearGrid<Scalar>::decode(std::span<const std::byte> packet, std::span<const Scalar> near) {
  if (packet.size() == 1 && read_scalar<std::uint8_t>(packet, 0) == no_numbers)
    return codes_.empty() ? CodecStatus::malformed : CodecStatus::not_finite;
  const bool predicted = predict(near);
  BytePieces message(packet);
  CodecStatus status = CodecStatus::ok;
  buckets_.for_each(codes_.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    if (status == CodecStatus::malformed) return;
    const CodecStatus so_far = std::exchange(status, CodecStatus::malformed);
    if (!message.has(head_bytes)) return;
    const auto head = message.take(head_bytes);
    const auto kind = read_scalar<std::uint8_t>(head, 0);
    if (kind != near_side_information && kind != in_full) return;
    const bool is_near = kind == near_side_information;
    const std::uint64_t k = 1 + (is_near ? std::uint64_t{read_scalar<std::uint16_t>(head.subspan(1), 0)}
                                         : std::uint64_t{read_scalar<std::uint32_t>(head.subspan(1), 0)});
    const RadixDigits digits(k);
    const std::size_t bytes = digits.bytes(size);
    if (!message.has(bytes)) return;

    // read: q_i = the member of w_i + k Z nearest to p_i, or to 0
    CodeChecksum checksum;
    bool in_range = true;
    const bool whole = digits.read(size, message.take(bytes), [&](std::size_t i, std::uint64_t sent) {
      const std::int64_t code = nearest(sent, is_near ? predictions_[begin + i] : 0, k);
      in_range = in_range && std::abs(code) < (std::int64_t{1} << 31);
      checksum.add(code);
      codes_[begin + i] = in_range ? static_cast<std::int32_t>(code) : 0;
    });
    if (!whole) return;
    const bool as_meant =
        !is_near || (predicted && checksum.value() == read_scalar<std::uint16_t>(head.subspan(1), 1));
    if (as_meant && in_range)
      status = so_far;
    else if (!as_meant && !near.empty())
      status = CodecStatus::out_of_reach;
  });
  return message.has(1) ? CodecStatus::malformed : status;
}

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> make_near_compressor(const std::string& spelling,
                                                         const SegmentTable& segments) {
  const PipelineSpelling stages = parse_pipeline(spelling);
  const StageSpelling& stage = stages.front();
  if (stages.size() > 1 || (stage.name != "grid" && stage.name != "mod")) return nullptr;
  make_compressor<Scalar>(spelling, segments);  // refuses what it refuses elsewhere
  if (stage.name == "grid") {
    const double step = *Arguments(stage, {"step", {"step"}, {}}).positive("step");
    const Arguments none({}, {"", {"bucket"}, {}});
    return std::make_unique<NearGrid<Scalar>>(step, std::nullopt, Buckets::parse(none, segments, "512"));
  }
  const Arguments arguments(stage, {"k", {"k", "step", "bucket"}, {"nearest"}});
  if (arguments.flag("nearest")) return nullptr;
  return std::make_unique<NearGrid<Scalar>>(*arguments.positive("step"),
                                            arguments.count("k", 1, largest_modulus),
                                            Buckets::parse(arguments, segments, "512"));
}

template class NearGrid<float>;
template class NearGrid<double>;
template std::unique_ptr<Compressor<float>> make_near_compressor<float>(const std::string&,
                                                                        const SegmentTable&);
template std::unique_ptr<Compressor<double>> make_near_compressor<double>(const std::string&,
                                                                          const SegmentTable&);

}  // namespace hearsay
