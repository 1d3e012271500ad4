#include "algorithms/compression/quantizers/ternary.hpp"

#include <doctest/doctest.h>

#include "algorithms/arithmetic/reductions.hpp"
#include "algorithms/arithmetic/wire_scalar.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::ternary_test {

namespace {

template <class Scalar>
struct Quantized {
  CodecStatus status;
  Scalar scale;
  std::vector<std::int32_t> codes;
  CodecStatus decoded;
  std::vector<Scalar> values;
};

template <class Scalar>
Quantized<Scalar> quantized(const std::vector<Scalar>& values, std::optional<double> shared_scale) {
  const Ternary<Scalar> ternary;
  std::vector<std::byte> header(ternary.header_bytes(values.size()));
  Quantized<Scalar> result{
      {}, {}, std::vector<std::int32_t>(values.size()), {}, std::vector<Scalar>(values.size())};
  result.status = ternary.quantize(values, {{1, 2}, shared_scale}, header, result.codes);
  result.scale = values.empty() ? Scalar(0) : read_scalar<Scalar>(header, 0);
  result.decoded = ternary.reconstruct(header, result.codes, result.values);
  return result;
}

}  // namespace

TEST_CASE_TEMPLATE("ternary: signs and zeros times the mean magnitude of what is not zero", Scalar, float,
                   double) {
  const auto own = quantized<Scalar>({3, -1, 0, Scalar(-0.0), 5}, {});
  CHECK(own.status == CodecStatus::ok);
  CHECK(own.scale == Scalar(3));
  CHECK(own.codes == std::vector<std::int32_t>{1, -1, 0, 0, 1});
  CHECK(own.values == std::vector<Scalar>{3, -3, 0, 0, 3});
  CHECK(quantized<Scalar>({0, 0}, {}).scale == Scalar(0));
  CHECK(quantized<Scalar>({}, {}).status == CodecStatus::ok);
}

TEST_CASE_TEMPLATE("ternary: a scale that the selector suggests is taken", Scalar, float, double) {
  const auto shared = quantized<Scalar>({3, -1, 0}, 0.75);
  CHECK(shared.values == std::vector<Scalar>{Scalar(0.75), Scalar(-0.75), 0});
  // A suggested scale beyond the range of Scalar, and a value that is no number: neither decodes to numbers.
  const auto beyond = quantized<Scalar>({1, 2}, sizeof(Scalar) == 4 ? 1e39 : HUGE_VAL);
  CHECK(beyond.status == CodecStatus::saturated);
  CHECK(beyond.decoded == CodecStatus::not_finite);
  const auto broken = quantized<Scalar>({1, std::numeric_limits<Scalar>::infinity()}, 0.75);
  CHECK(broken.status == CodecStatus::not_finite);
  CHECK(broken.decoded == CodecStatus::not_finite);
}

TEST_CASE_TEMPLATE("ternary: what is lost is exactly what the norms say, 1 - 1/n where one value dominates",
                   Scalar, float, double) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto z = gaussian<Scalar>(200, seed);
    const double norm = norm_1<Scalar>(z);
    const double square = squared_norm<Scalar>(z);
    CHECK(squared_distance<Scalar>(quantized(z, {}).values, z) ==
          doctest::Approx(square - norm * norm / 200).epsilon(1e-5));
  }
  std::vector<Scalar> z(100, Scalar(1e-6));
  z[3] = Scalar(1);
  CHECK(squared_distance<Scalar>(quantized(z, {}).values, z) == doctest::Approx(0.99).epsilon(1e-3));
  CHECK(*Ternary<Scalar>().traits(100).contraction == 0.01);
}

TEST_CASE("ternary: five values to a byte and a scale, after a selector the kept ones only") {
  CHECK(make_compressor<float>("ternary", {})->traits(1000).bytes == 204);
  CHECK(make_compressor<float>("ternary | raw", {})->traits(1000).bytes == 254);
  CHECK(make_compressor<float>("topk(10%) | ternary", {})->traits(1000).bytes == 100 * 4 + 4 + 20);
}

}  // namespace hearsay::test::ternary_test
