// A packet for a registered compressor. Two bytes choose the spelling; one byte chooses the scalar type, the
// dimension, and what the rest holds: the packet itself, or edits of an encoded packet, each a place (two
// bytes) and a byte to xor there.
#include "algorithms/compression/seam/compressor.hpp"

#include <cmath>
#include <map>
#include <tuple>

#include "algorithms/compression/seam/shared_selection.hpp"
#include "tests/fuzz/choice.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/support/compressor_spellings.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

using Bytes = std::vector<std::byte>;

/// A compressor in its fused form, the same one stage by stage, and a packet of theirs.
template <class Scalar>
struct Bench {
  std::unique_ptr<Compressor<Scalar>> fused, unfused;
  Bytes packet;
};

template <class Scalar>
std::vector<Scalar> wave(std::size_t dimension) {
  std::vector<Scalar> vector(dimension);
  for (std::size_t k = 0; k < dimension; ++k) vector[k] = static_cast<Scalar>(std::sin(1.0 + k * k));
  return vector;
}

template <class Scalar>
const Bench<Scalar>& bench(const std::string& spelling, std::size_t dimension) {
  static std::map<std::pair<std::string, std::size_t>, Bench<Scalar>> benches;
  const auto [place, fresh] = benches.try_emplace({spelling, dimension});
  if (!fresh) return place->second;
  const SegmentTable layers = test::layers(dimension);
  place->second = {
      make_compressor<Scalar>(spelling, layers), make_unfused_compressor<Scalar>(spelling, layers), {}};
  PacketPool pool;
  PacketBuffer buffer = pool.acquire();
  RandomStream random(1, 0, 1, Purpose::compression);
  const std::vector<Scalar> vector = wave<Scalar>(dimension);
  ensure(place->second.fused->encode({vector, random}, buffer) == CodecStatus::ok, "a sine can be encoded");
  const auto bytes = buffer.bytes();
  place->second.packet.assign(bytes.begin(), bytes.end());
  return place->second;
}

template <class Scalar>
bool same_bits(const std::vector<Scalar>& one, const std::vector<Scalar>& other) {
  return one.size() == other.size() &&
         (one.empty() || std::memcmp(one.data(), other.data(), one.size() * sizeof(Scalar)) == 0);
}

Bytes edited(Bytes packet, fuzz::Input& input) {
  while (!input.empty() && !packet.empty()) {
    const auto place = input.take<std::uint16_t>() % packet.size();
    packet[place] ^= static_cast<std::byte>(input.take<std::uint8_t>());
  }
  return packet;
}

template <class Scalar>
void decode(const Bench<Scalar>& compressors, const Bytes& packet, std::size_t dimension) {
  const std::vector<Scalar> zero(dimension, Scalar(0));
  std::vector<Scalar> into = zero;
  const CodecStatus status = compressors.fused->accumulate(packet, Scalar(1), into);
  ensure(status == CodecStatus::ok || same_bits(into, zero), "a packet that is not taken changes nothing");
  for (const Scalar value : into) ensure(std::isfinite(value), "what is decoded well is finite");

  std::vector<Scalar> by_stages = zero;
  ensure(
      compressors.unfused->accumulate(packet, Scalar(1), by_stages) == status && same_bits(into, by_stages),
      "fused or stage by stage, a packet decodes to the same bits");

  std::vector<Scalar> near = wave<Scalar>(dimension);
  compressors.fused->accumulate_near(packet, near, Scalar(1), near);

  if (SharedSelection<Scalar>* const shared = compressors.fused->shared_selection()) {
    std::vector<std::uint32_t> indices;
    const CodecStatus choice = shared->read_choice(packet, dimension, indices);
    ensure(choice == CodecStatus::ok || indices.empty(), "a choice that cannot be read leaves no indices");
    for (const std::uint32_t index : indices) ensure(index < dimension, "an index lies in the vector");
    if (choice == CodecStatus::ok) shared->accumulate_shared(packet, indices, Scalar(1), into);
  }
}

template <class Scalar>
void run(const std::string& spelling, std::size_t dimension, bool raw, fuzz::Input& input) {
  const Bench<Scalar>& compressors = bench<Scalar>(spelling, dimension);
  decode(compressors, raw ? input.rest() : edited(compressors.packet, input), dimension);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::Circle spellings(test::spellings());
  fuzz::Input input(data, size);
  const std::string& spelling = spellings.choose(input.take<std::uint16_t>());
  const auto options = input.take<std::uint8_t>();
  const std::size_t dimensions[] = {0, 1, 37, 600};
  const std::size_t dimension = dimensions[options / 4 % 4];
  options & 1 ? run<double>(spelling, dimension, options & 2, input)
              : run<float>(spelling, dimension, options & 2, input);
  return 0;
}
