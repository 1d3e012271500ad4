#include "algorithms/compression/seam/summed_coefficients.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "tests/compression/compression.hpp"

namespace hearsay::test::summed_coefficients_test {

namespace {

constexpr std::size_t dimension = 197;

template <class Scalar>
std::vector<std::byte> encoded(Compressor<Scalar>& compressor, const std::vector<Scalar>& z) {
  PacketBuffer out = buffer();
  RandomStream random(1, 0, 1, Purpose::compression);
  REQUIRE(compressor.encode({z, random}, out) == CodecStatus::ok);
  return {out.bytes().begin(), out.bytes().end()};
}

/// The messages of a few vectors, and the sum of what they decode to.
template <class Scalar>
struct Messages {
  explicit Messages(Compressor<Scalar>& compressor) : sum(dimension) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      packets.push_back(encoded(compressor, gaussian<Scalar>(dimension, seed)));
      REQUIRE(compressor.accumulate(packets.back(), 1, sum) == CodecStatus::ok);
    }
  }
  std::vector<std::vector<std::byte>> packets;
  std::vector<Scalar> sum;
};

}  // namespace

TEST_CASE_TEMPLATE("summed coefficients: they become the sum of the messages, to rounding", Scalar, float,
                   double) {
  int tried = 0;
  for (const std::string& spelling : spellings()) {
    const auto compressor = build<Scalar>(spelling, dimension);
    SummedCoefficients<Scalar>* const coefficients = compressor->summed_coefficients();
    if (!coefficients) continue;
    CAPTURE(spelling);
    ++tried;
    const Messages<Scalar> messages(*compressor);
    std::vector<Scalar> sum(dimension);
    for (const auto& packet : messages.packets)
      REQUIRE(coefficients->accumulate_coefficients(packet, sum) == CodecStatus::ok);
    REQUIRE(coefficients->restore(sum) == CodecStatus::ok);
    CHECK(std::sqrt(squared_distance<Scalar>(sum, messages.sum) / squared_norm<Scalar>(messages.sum)) <
          20 * std::numeric_limits<Scalar>::epsilon());
  }
  CHECK(tried > 8);
}

TEST_CASE("summed coefficients: only behind transforms, and only if all messages have the same ones") {
  for (const char* spelling :
       {"none", "topk(30%)", "qsgdinf(8)", "chunk-topk(7/64)", "fwht(block=64) | topk(30%)",
        "fwht(block=64) | chunk-topk(5/33, bucket=whole)", "kashin(block=16) | topk(20%)",
        "dct(chunk=8) | fwht(block=64) | chunk-topk(5/33)"})
    CHECK(build<float>(spelling, dimension)->summed_coefficients() == nullptr);
  for (const char* spelling : {"dct(chunk=41) | topk(30%)", "clip(2sigma) | dct(chunk=7) | chunk-topk(7/7)"})
    CHECK(build<float>(spelling, dimension)->summed_coefficients() != nullptr);
}

TEST_CASE_TEMPLATE("summed coefficients: reading a message is total, and no bad one changes the sum", Scalar,
                   float, double) {
  for (const char* spelling : {"dct(chunk=41) | topk(30%)", "dct(chunk=64) | chunk-topk(8/64, values=2bit)",
                               "dct(chunk=2) | qsgdinf(bits=8, bucket=layer)"}) {
    CAPTURE(spelling);
    const auto compressor = build<Scalar>(spelling, dimension);
    SummedCoefficients<Scalar>& coefficients = *compressor->summed_coefficients();
    const auto packet = encoded(*compressor, gaussian<Scalar>(dimension, 1));
    const auto before = gaussian<Scalar>(dimension, 2);
    auto sum = before;
    for (std::size_t size = 0; size < packet.size(); ++size) {
      const std::vector<std::byte> cut(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
      CHECK(coefficients.accumulate_coefficients(cut, sum) == CodecStatus::malformed);
      CHECK(sum == before);
    }
    std::vector<Scalar> large(dimension, std::numeric_limits<Scalar>::max());
    CHECK(coefficients.restore(large) == CodecStatus::not_finite);
  }
}

}  // namespace hearsay::test::summed_coefficients_test
