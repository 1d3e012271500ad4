#include "algorithms/compression/quantizers/grid.hpp"

#include <doctest/doctest.h>

#include "tests/compression/compression.hpp"

namespace hearsay::test::grid_test {

namespace {

template <class Scalar>
std::vector<std::byte> message(const std::string& spelling, const std::vector<Scalar>& z,
                               CodecStatus expected = CodecStatus::ok) {
  const auto compressor = make_compressor<Scalar>(spelling, {});
  RandomStream random(1, 0, 1, Purpose::compression);
  PacketBuffer out = buffer();
  CHECK(compressor->encode({z, random}, out) == expected);
  return {out.bytes().begin(), out.bytes().end()};
}

std::vector<std::byte> bytes(std::initializer_list<int> values) {
  std::vector<std::byte> all;
  for (const int value : values) all.push_back(static_cast<std::byte>(value));
  return all;
}

CodecStatus decode(const std::vector<std::byte>& packet, std::vector<double>& into) {
  return make_compressor<double>("grid(1)", {})->accumulate(packet, 1.0, into);
}

}  // namespace

TEST_CASE_TEMPLATE("grid: points of the grid travel exactly, in the shortest zigzag form", Scalar, float,
                   double) {
  CHECK(message<Scalar>("grid(0.5)", {0, -0.5, 0.5, 31.5, -32}) == bytes({0, 1, 2, 126, 127}));
  CHECK(message<Scalar>("grid(0.5)", {32, -32.5}) == bytes({0x80, 1, 0x81, 1}));
  CHECK(message<Scalar>("grid(2)", {16382, 16384, -16384}) == bytes({0xFE, 0x7F, 0x80, 0x80, 1, 0xFF, 0x7F}));
}

TEST_CASE("grid: codes of every length up to five bytes survive") {
  std::vector<double> z;
  for (int exponent = 0; exponent < 31; ++exponent)
    for (const double sign : {-1.0, 1.0}) z.push_back(sign * std::ldexp(1.0, exponent));
  z.push_back(0x1p31 - 2);
  const auto packet = message<double>("grid(1)", z);
  std::vector<double> value(z.size(), 0.0);
  CHECK(decode(packet, value) == CodecStatus::ok);
  CHECK(value == z);
}

TEST_CASE("grid: what cannot be said in 31 bits is saturated, and never decodes as numbers") {
  for (const double beyond : {0x1p31, -0x1p31, 0x1p31 - 1, 1e300}) {
    auto packet = message<double>("grid(1)", {1.0, beyond, 2.0}, CodecStatus::saturated);
    std::vector<double> into{5, 6, 7};
    CHECK(decode(packet, into) == CodecStatus::not_finite);
    CHECK(into == std::vector<double>{5, 6, 7});
  }
  // The code is in range, but its value would round to Inf.
  message<float>("grid(1e30)", {std::numeric_limits<float>::max()}, CodecStatus::saturated);
  message<double>("grid(1)", {1e300, std::numeric_limits<double>::quiet_NaN()}, CodecStatus::not_finite);
}

TEST_CASE("grid: messages grow by a byte for every factor of 128, as those of ECD-PSGD do") {
  // The messages of ECD-PSGD are z_t = x + t/2 (x' - x): the codes grow like t.
  const auto x = gaussian<float>(1000, 1);
  std::size_t previous = 0;
  for (int t = 1; t <= 1 << 20; t *= 128) {
    auto z = x;
    for (float& value : z)
      value = std::copysign(1.0f + std::abs(value) / 8.0f, value) * static_cast<float>(t) * 16.0f;
    const std::size_t size = message<float>("grid(1)", z).size();
    // |q| is between 16 t and 25 t, its zigzag word below 64 t: 6 bits, and 7 more for every factor of 128.
    CHECK(size == previous + 1000);
    previous = size;
  }
}

TEST_CASE_TEMPLATE("grid: the error does not depend on the vector", Scalar, float, double) {
  const auto compressor = make_compressor<Scalar>("grid(0.25)", {});
  auto& grid = dynamic_cast<RoundingCompressor<Scalar>&>(*compressor);
  for (const Scalar offset : {Scalar(0), Scalar(3), Scalar(-1000)})
    for (int i = 0; i < 16; ++i) {
      const Scalar fraction = Scalar(i) / 16;
      const std::vector<Scalar> z{offset + fraction * Scalar(0.25)};
      const double f = static_cast<double>(fraction);
      CHECK(grid.brackets(z)[0].variance() == doctest::Approx(0.0625 * f * (1 - f)).epsilon(1e-7));
    }
}

}  // namespace hearsay::test::grid_test
