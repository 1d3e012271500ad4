#include "algorithms/compression/chunk_topk.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/coders/bit_writer.hpp"
#include "algorithms/compression/seam/byte_pieces.hpp"
#include "algorithms/compression/seam/compose.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

namespace {

constexpr std::size_t largest_chunk = std::size_t{1} << 24;
constexpr unsigned most_value_bits = 8;
constexpr std::size_t most_centroids = std::size_t{1} << most_value_bits;

/// Reads "64/4096" into k and c.
void parse_size(const Arguments& arguments, ChunkTopKSettings& settings) {
  const std::string expected = "k/c, how many coordinates of each chunk of c are kept, such as 64/4096";
  const std::string_view text = arguments.text("size");
  const std::size_t slash = text.find('/');
  std::uint64_t kept = 0;
  std::uint64_t chunk = 0;
  if (slash == std::string_view::npos || !parse_whole(text.substr(0, slash), kept) ||
      !parse_whole(text.substr(slash + 1), chunk) || kept == 0 || kept > chunk || chunk > largest_chunk)
    arguments.refuse("size", expected);
  settings.kept = static_cast<std::size_t>(kept);
  settings.chunk = static_cast<std::size_t>(chunk);
}

/// Reads "raw" or "2bit".
unsigned parse_value_bits(const Arguments& arguments) {
  std::string_view text = arguments.text("values");
  if (text.empty() || text == "raw") return 0;
  const bool has_unit = text.ends_with("bit");
  if (has_unit) text.remove_suffix(3);
  std::uint64_t bits = 0;
  if (!has_unit || !parse_whole(text, bits) || bits < 1 || bits > most_value_bits)
    arguments.refuse("values", "raw, or 1bit to 8bit");
  return static_cast<unsigned>(bits);
}

}  // namespace

template <class Scalar>
std::unique_ptr<Compressor<Scalar>> ChunkTopK<Scalar>::parse(const StageSpelling& stage,
                                                             const SegmentTable& segments) {
  const Arguments arguments(stage, {"size", {"size", "values", "range", "indices", "bucket"}, {}});
  ChunkTopKSettings settings{};
  parse_size(arguments, settings);
  settings.value_bits = parse_value_bits(arguments);
  if (arguments.has("range") && settings.value_bits == 0)
    arguments.refuse("range", "no range where values are raw");
  settings.range = arguments.positive("range").value_or(6.0);
  const std::string kinds[] = {"packed", "rice"};
  settings.indices = arguments.word("indices", kinds) == "rice" ? ChunkIndices::rice : ChunkIndices::packed;
  return std::make_unique<ChunkTopK>(settings, Buckets::parse(arguments, segments, "layer"));
}

template <class Scalar>
ChunkTopK<Scalar>::ChunkTopK(const ChunkTopKSettings& settings, Buckets segments)
    : settings_(settings),
      index_code_(settings.indices, settings.kept, settings.chunk),
      segments_(std::move(segments)) {
  ensure(1 <= settings.kept && settings.kept <= settings.chunk && settings.chunk <= largest_chunk &&
             settings.value_bits <= most_value_bits,
         "k is at most c, and a value has at most eight bits");
}

template <class Scalar>
std::string ChunkTopK<Scalar>::spelling() const {
  std::string text =
      "chunk-topk(" + std::to_string(settings_.kept) + "/" + std::to_string(settings_.chunk) + ", values=";
  if (settings_.value_bits == 0)
    text += "raw";
  else
    text += std::to_string(settings_.value_bits) + "bit, range=" + number_text(settings_.range);
  if (settings_.indices == ChunkIndices::rice) text += ", indices=rice";
  return text + ", bucket=" + segments_.spelling() + ")";
}

template <class Scalar>
template <class Visit>
void ChunkTopK<Scalar>::for_each_chunk(std::size_t begin, std::size_t size, Visit visit) const {
  for (std::size_t at = 0; at < size; at += settings_.chunk) {
    const std::size_t length = std::min(settings_.chunk, size - at);
    visit(begin + at, length, std::min(settings_.kept, length));
  }
}

template <class Scalar>
typename ChunkTopK<Scalar>::Sizes ChunkTopK<Scalar>::sizes(std::size_t dimension) const {
  Sizes sizes;
  segments_.for_each(dimension, [&](std::size_t, std::size_t begin, std::size_t size) {
    for_each_chunk(begin, size, [&](std::size_t, std::size_t length, std::size_t kept) {
      sizes.kept += kept;
      sizes.bits += index_code_.most_bits(length, kept) + kept * settings_.value_bits;
    });
    if (settings_.value_bits > 0) sizes.scalars += 1 + (std::size_t{1} << settings_.value_bits);
  });
  if (settings_.value_bits == 0) sizes.scalars = sizes.kept;
  const bool varies = settings_.indices == ChunkIndices::rice && dimension > 0;
  sizes.prefix = varies ? sizeof(std::uint32_t) : 0;
  return sizes;
}

template <class Scalar>
Traits ChunkTopK<Scalar>::traits(std::size_t dimension) const {
  double least = 1.0;
  bool indices_vary = false;
  segments_.for_each(dimension, [&](std::size_t, std::size_t begin, std::size_t size) {
    for_each_chunk(begin, size, [&](std::size_t, std::size_t length, std::size_t kept) {
      least = std::min(least, static_cast<double>(kept) / static_cast<double>(length));
      indices_vary |= kept < length && settings_.indices == ChunkIndices::rice;
    });
  });
  Traits traits;
  if (settings_.value_bits == 0 && least == 1.0)
    traits = exact_traits();
  else if (settings_.value_bits == 0)
    traits.contraction = least;
  traits.deterministic = true;
  traits.data_dependent_size = indices_vary;
  traits.bytes = sizes(dimension).bytes();
  return traits;
}

template <class Scalar>
void ChunkTopK<Scalar>::select(std::span<const Scalar> chunk, std::size_t begin, std::size_t kept) {
  const std::size_t before = indices_.size();
  indices_.resize(before + kept);
  const auto places = std::span(indices_).subspan(before);
  const auto first = static_cast<std::uint32_t>(begin);
  if (kept == chunk.size())
    std::iota(places.begin(), places.end(), first);
  else
    selection_.select(chunk, first, places);
}

template <class Scalar>
bool ChunkTopK<Scalar>::quantize(std::span<const Scalar> values, std::span<std::byte> scalars,
                                 std::span<std::uint8_t> codes) {
  const std::size_t cells = std::size_t{1} << settings_.value_bits;
  const auto n = static_cast<double>(values.size());
  const auto shift = static_cast<Scalar>(sum(values) / n);
  const double center = static_cast<double>(shift);
  double s =
      settings_.range * std::sqrt(squared_deviation(values, center) / (n - 1.0)) / static_cast<double>(cells);
  if (!(s > 0.0) || !std::isfinite(s)) s = 1.0;
  const double middle = static_cast<double>(cells / 2);
  std::array<double, most_centroids> sums{};
  std::array<std::uint32_t, most_centroids> counts{};
  for (std::size_t j = 0; j < values.size(); ++j) {
    const double centered = static_cast<double>(values[j]) - center;
    const double place = std::nearbyint(centered / s) + middle;
    // A place that is not a number (the mean has left the range) counts as 0; the message fails below.
    const double cell = place > 0.0 ? std::min(place, static_cast<double>(cells - 1)) : 0.0;
    codes[j] = static_cast<std::uint8_t>(cell);
    sums[codes[j]] += centered;
    ++counts[codes[j]];
  }
  bool finite = true;
  write_scalar(scalars, 0, shift);
  for (std::size_t q = 0; q < cells; ++q) {
    const auto centroid = static_cast<Scalar>(counts[q] > 0 ? sums[q] / counts[q] : 0.0);
    write_scalar(scalars, 1 + q, centroid);
    finite = finite && std::isfinite(shift + centroid);
  }
  return finite;
}

template <class Scalar>
CodecStatus ChunkTopK<Scalar>::encode(const EncodeInput<Scalar>& input, PacketBuffer& out) {
  const auto z = input.vector;
  ensure(z.size() <= std::numeric_limits<std::uint32_t>::max(), "an element's index fits 32 bits");
  const Sizes most = sizes(z.size());
  const auto message = out.resize(most.bytes());
  const auto scalar_part = message.subspan(most.prefix, most.scalars * sizeof(Scalar));
  if (most.prefix > 0) write_scalar(message, 0, static_cast<std::uint32_t>(z.size()));
  const auto fail = [&](CodecStatus status) {
    std::ranges::fill(message.subspan(most.prefix), std::byte{0});
    for (std::size_t k = 0; k < most.scalars; ++k)
      write_scalar(scalar_part, k, std::numeric_limits<Scalar>::quiet_NaN());
    return status;
  };
  if (!all_finite(z)) return fail(CodecStatus::not_finite);
  selection_.reserve(std::min(settings_.chunk, z.size()));
  indices_.clear();
  indices_.reserve(most.kept);
  values_.resize(most.kept);
  codes_.resize(settings_.value_bits > 0 ? most.kept : 0);

  const std::size_t front = most.prefix + scalar_part.size();
  BytePieces scalars(scalar_part);
  BitWriter writer(message.subspan(front));
  bool finite = true;
  segments_.for_each(z.size(), [&](std::size_t, std::size_t begin, std::size_t size) {
    const std::size_t first = indices_.size();
    for_each_chunk(begin, size, [&](std::size_t at, std::size_t length, std::size_t kept) {
      select(z.subspan(at, length), at, kept);
    });
    const std::size_t n = indices_.size() - first;
    for (std::size_t j = first; j < first + n; ++j) values_[j] = z[indices_[j]];
    const auto values = std::span<const Scalar>(values_).subspan(first, n);
    std::span<std::uint8_t> codes;
    if (settings_.value_bits == 0) {
      std::ranges::copy(std::as_bytes(values), scalars.take(values.size_bytes()).begin());
    } else {
      codes = std::span(codes_).subspan(first, n);
      const std::size_t centroids = std::size_t{1} << settings_.value_bits;
      finite = quantize(values, scalars.take((1 + centroids) * sizeof(Scalar)), codes) && finite;
    }
    std::size_t done = 0;
    for_each_chunk(begin, size, [&](std::size_t at, std::size_t length, std::size_t kept) {
      index_code_.write(writer, at, length, std::span(indices_).subspan(first + done, kept));
      if (!codes.empty())
        write_together<std::uint8_t>(writer, codes.subspan(done, kept), 0, settings_.value_bits);
      done += kept;
    });
  });
  if (!finite) return fail(CodecStatus::saturated);
  out.resize(front + writer.finish());
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus ChunkTopK<Scalar>::encode_and_apply(const EncodeInput<Scalar>& input, PacketBuffer& out,
                                                std::span<Scalar> into) {
  ensure(into.size() == input.vector.size(), "the vector that is updated has the size of the one encoded");
  const CodecStatus status = encode(input, out);
  return status == CodecStatus::ok ? accumulate(out.bytes(), Scalar(1), into) : status;
}

template <class Scalar>
CodecStatus ChunkTopK<Scalar>::decode(std::span<const std::byte> packet, std::size_t dimension) {
  const Sizes most = sizes(dimension);
  const std::size_t front = most.prefix + most.scalars * sizeof(Scalar);
  const bool varies = most.prefix > 0;
  if (packet.size() < front || packet.size() > most.bytes() || (!varies && packet.size() < most.bytes()))
    return CodecStatus::malformed;
  if (varies && read_scalar<std::uint32_t>(packet, 0) != dimension) return CodecStatus::malformed;
  BytePieces scalars(packet.subspan(most.prefix, front - most.prefix));
  const auto bits = packet.subspan(front);
  if (!all_finite<Scalar>(scalars.rest())) return CodecStatus::not_finite;
  indices_.resize(most.kept);
  values_.resize(most.kept);
  BitReader reader(bits);
  bool well_formed = true;
  bool finite = true;
  std::size_t done = 0;
  segments_.for_each(dimension, [&](std::size_t, std::size_t begin, std::size_t size) {
    std::array<Scalar, most_centroids> decoded;
    if (settings_.value_bits > 0) {
      const std::size_t cells = std::size_t{1} << settings_.value_bits;
      const auto shared = scalars.take((1 + cells) * sizeof(Scalar));
      for (std::size_t q = 0; q < cells; ++q) {
        decoded[q] = read_scalar<Scalar>(shared, 0) + read_scalar<Scalar>(shared, 1 + q);
        finite = finite && std::isfinite(decoded[q]);
      }
    }
    for_each_chunk(begin, size, [&](std::size_t at, std::size_t length, std::size_t kept) {
      if (!well_formed) return;
      well_formed = index_code_.read(reader, at, length, std::span(indices_).subspan(done, kept));
      for (std::size_t j = done; j < done + kept; ++j)
        values_[j] = settings_.value_bits > 0 ? decoded[reader.read(settings_.value_bits)]
                                              : read_scalar<Scalar>(scalars.rest(), j);
      done += kept;
    });
  });
  if (!well_formed || reader.finish() != bits.size()) return CodecStatus::malformed;
  return finite ? CodecStatus::ok : CodecStatus::not_finite;
}

template <class Scalar>
CodecStatus ChunkTopK<Scalar>::accumulate(std::span<const std::byte> packet, Scalar scale,
                                          std::span<Scalar> into) {
  const CodecStatus status = decode(packet, into.size());
  if (status != CodecStatus::ok) return status;
  for (std::size_t j = 0; j < indices_.size(); ++j) into[indices_[j]] += scale * values_[j];
  return CodecStatus::ok;
}

template <class Scalar>
CodecStatus ChunkTopK<Scalar>::accumulate_sent(std::span<const std::byte> packet, std::size_t dimension,
                                               std::span<Scalar> sum, std::span<std::uint32_t> senders) {
  const CodecStatus status = decode(packet, dimension);
  if (status != CodecStatus::ok) return status;
  for (std::size_t j = 0; j < indices_.size(); ++j) {
    sum[indices_[j]] += values_[j];
    ++senders[indices_[j]];
  }
  return CodecStatus::ok;
}

template <class Scalar>
void ChunkTopK<Scalar>::restore(std::span<Scalar> coefficients, std::span<Scalar> out) {
  std::ranges::copy(coefficients, out.begin());
}

template class ChunkTopK<float>;
template class ChunkTopK<double>;

}  // namespace hearsay
