// A packet that is read near a vector (algorithm.side_information). The first byte chooses the spelling, the
// scalar type, the dimension, and what the rest holds: the packet itself, or edits of an encoded packet, each
// a place (two bytes) and a byte to xor there.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "algorithms/compression/seam/near_compressor.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

using Bytes = std::vector<std::byte>;

template <class Scalar>
std::vector<Scalar> wave(std::size_t dimension, double phase) {
  std::vector<Scalar> vector(dimension);
  for (std::size_t k = 0; k < dimension; ++k)
    vector[k] = static_cast<Scalar>(std::sin(phase + static_cast<double>(k)));
  return vector;
}

/// Returns what a sender that reads near `near` says of another wave.
template <class Scalar>
Bytes packet_of(Compressor<Scalar>& compressor, const std::vector<Scalar>& near) {
  PacketPool pool;
  PacketBuffer buffer = pool.acquire();
  RandomStream random(1, 0, 1, Purpose::compression);
  const std::vector<Scalar> vector = wave<Scalar>(near.size(), 1.01);
  const CodecStatus status = compressor.encode({.vector = vector, .random = random, .near = near}, buffer);
  ensure(status == CodecStatus::ok, "a sine can be encoded");
  return {buffer.bytes().begin(), buffer.bytes().end()};
}

template <class Scalar>
void run(const std::string& spelling, std::size_t dimension, bool raw, fuzz::Input& input) {
  const auto compressor = make_near_compressor<Scalar>(spelling, {});
  const std::vector<Scalar> near = wave<Scalar>(dimension, 1.0);
  Bytes packet = raw ? input.rest() : packet_of(*compressor, near);
  while (!input.empty() && !packet.empty()) {
    const auto place = input.take<std::uint16_t>() % packet.size();
    packet[place] ^= static_cast<std::byte>(input.take<std::uint8_t>());
  }
  std::vector<Scalar> into = near;
  const CodecStatus status = compressor->accumulate_near(packet, near, Scalar(1), into);
  const bool unchanged =
      into.empty() || std::memcmp(into.data(), near.data(), into.size() * sizeof(Scalar)) == 0;
  ensure(status == CodecStatus::ok || unchanged, "a packet that is not taken changes nothing");
  for (const Scalar value : into) ensure(std::isfinite(value), "what is decoded well is finite");

  // Whoever reads near something that is no number can only refuse.
  const std::vector<Scalar> nowhere(dimension, std::numeric_limits<Scalar>::quiet_NaN());
  into = near;
  compressor->accumulate_near(packet, nowhere, Scalar(1), into);
  for (const Scalar value : into) ensure(std::isfinite(value), "a bad prediction spoils no number");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string spellings[] = {"grid(step=0.01)", "mod(k=4, step=0.01)", "mod(k=65536, step=0.001)"};
  const std::size_t dimensions[] = {0, 1, 37, 600};
  fuzz::Input input(data, size);
  const auto options = input.take<std::uint8_t>();
  const std::string& spelling = spellings[options / 16 % 3];
  const std::size_t dimension = dimensions[options / 4 % 4];
  options & 1 ? run<double>(spelling, dimension, options & 2, input)
              : run<float>(spelling, dimension, options & 2, input);
  return 0;
}
