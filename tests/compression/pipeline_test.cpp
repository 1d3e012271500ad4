#include "algorithms/compression/pipeline.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <typeinfo>

#include "algorithms/compression/seam/compose.hpp"
#include "tests/compression/compression.hpp"

namespace hearsay::test::pipeline_test {

namespace {

RandomStream stream() { return {4, 1, 7, Purpose::compression}; }

/// Returns the message, and 0.5 in all coordinates plus what the sender applies.
template <class Scalar>
std::pair<std::vector<std::byte>, std::vector<Scalar>> encoded(Compressor<Scalar>& compressor,
                                                               const std::vector<Scalar>& z) {
  PacketBuffer out = buffer();
  std::vector<Scalar> applied(z.size(), Scalar(0.5));
  RandomStream random = stream();
  compressor.encode_and_apply({z, random}, out, applied);
  return {{out.bytes().begin(), out.bytes().end()}, applied};
}

}  // namespace

TEST_CASE_TEMPLATE("pipeline: a fused compressor and its stages one by one give the same bytes and floats",
                   Scalar, float, double) {
  std::size_t fused_ones = 0;
  for (const std::string& spelling : spellings())
    for (const auto& z : adversarial_vectors<Scalar>()) {
      CAPTURE(spelling);
      CAPTURE(z.size());
      const auto fused = build<Scalar>(spelling, z.size());
      const auto stages = make_unfused_compressor<Scalar>(spelling, layers(z.size()));
      if (typeid(*fused) == typeid(*stages)) break;
      ++fused_ones;
      CHECK(fused->spelling() == stages->spelling());
      CHECK(fused->traits(z.size()).bytes == stages->traits(z.size()).bytes);
      CHECK(fused->traits(z.size()).omega == stages->traits(z.size()).omega);
      const auto [bytes, applied] = encoded(*fused, z);
      const auto [unfused_bytes, unfused_applied] = encoded(*stages, z);
      CHECK(bytes == unfused_bytes);
      if (std::ranges::all_of(applied, [](Scalar x) { return std::isfinite(x); }))
        CHECK(applied == unfused_applied);
    }
  CHECK(fused_ones > 100);
}

TEST_CASE("pipeline: the traits of its stages compose") {
  const auto traits = [](const char* spelling, std::size_t d) {
    return make_compressor<double>(spelling, {})->traits(d);
  };
  const Traits dither = traits("dither(linf, levels=7, bucket=512)", 1000);
  const Traits chosen = traits("randk(50%, scaled) | dither(linf, levels=7, bucket=512)", 2000);
  CHECK(chosen.unbiased);
  CHECK(chosen.omega == doctest::Approx(1.0 + dither.omega + 1.0 * dither.omega));  // the omega of randk is 1
  const Traits top = traits("topk(10%) | qsgdinf(8)", 1000);
  CHECK_FALSE(top.unbiased);
  CHECK(*top.contraction == doctest::Approx(0.1 * (1.0 - traits("qsgdinf(8)", 100).omega)));
  CHECK_FALSE(
      traits("topk(10%) | qsgd(bits=2, bucket=100)", 1000).contraction);  // an omega of 9: no contraction
  CHECK(traits("topk(10%) | qsgdinf(8)", 1000).bytes == 100 * 4 + 8 + 100);
}

TEST_CASE(
    "pipeline: what is new of the coordinates says nothing of coefficients, also where they are as many") {
  const auto z = gaussian<double>(64, 21);
  const auto latest = gaussian<double>(64, 22);
  const auto message = [&](const std::string& spelling, std::span<const double> told) {
    PacketBuffer out = buffer();
    RandomStream random = stream();
    CHECK(make_compressor<double>(spelling, {})->encode({z, random, told}, out) == CodecStatus::ok);
    return std::vector<std::byte>(out.bytes().begin(), out.bytes().end());
  };
  CHECK(message("adacomp(bin=8)", latest) != message("adacomp(bin=8)", {}));
  CHECK(message("fwht(block=64) | adacomp(bin=8)", latest) == message("fwht(block=64) | adacomp(bin=8)", {}));
}

TEST_CASE("pipeline: composing with what loses nothing changes nothing") {
  const Traits dither = make_compressor<float>("qsgd(4)", {})->traits(300);
  for (const Traits& both : {composed(exact_traits(), dither), composed(dither, exact_traits())}) {
    CHECK(both.omega == doctest::Approx(dither.omega));
    CHECK(both.unbiased);
    CHECK(both.contraction == dither.contraction);
  }
}

}  // namespace hearsay::test::pipeline_test
