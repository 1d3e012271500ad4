#include "algorithms/compression/selectors/adacomp.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/compression/compression.hpp"

namespace hearsay::test::adacomp_test {

namespace {

template <class Scalar>
Selection selected(std::size_t bin, const SegmentTable& segments, const std::vector<Scalar>& g,
                   const std::vector<Scalar>& latest) {
  AdaComp<Scalar> adacomp(bin, segments);
  RandomStream random(1, 0, 0, Purpose::compression);
  Selection selection;
  adacomp.select({g, random, latest}, {}, selection);
  return selection;
}

using Indices = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE_TEMPLATE("adacomp: sends what reaches its bin's maximum with the latest gradient counted twice",
                   Scalar, float, double) {
  // Layers of 5 and 3, bins of 2: {3 -1} {0 0} {-4} | {2 8} {1}.
  const SegmentTable layers{{"a", 0, 5}, {"none", 5, 0}, {"b", 5, 3}};
  const std::vector<Scalar> g{3, -1, 0, 0, -4, 2, 8, 1};
  const std::vector<Scalar> latest{-1, -2, 0, 0, -1, 6, Scalar(-0.5), Scalar(-0.5)};
  // H = 2 -3 | 0 0 | -5 | 8 7.5 | 0.5 against maxima 3, 0 (a bin of zeros sends nothing), 4, 8, 1.
  const Selection selection = selected<Scalar>(2, layers, g, latest);
  CHECK(selection.indices == Indices{1, 4, 5});
  CHECK(*selection.shared_scale == doctest::Approx((3.0 + 0.0 + 4.0 + 8.0 + 1.0) / 5.0));
  // Without layers, bins cross the ends that the layers had.
  CHECK(*selected<Scalar>(2, {}, g, latest).shared_scale == doctest::Approx((3.0 + 0.0 + 4.0 + 8.0) / 4.0));
}

TEST_CASE_TEMPLATE("adacomp: without a latest gradient, what is at least half its bin's maximum", Scalar,
                   float, double) {
  const std::vector<Scalar> g{3, Scalar(-1.5), Scalar(1.25), 0, 0, 1};
  CHECK(selected<Scalar>(3, {}, g, {}).indices == Indices{0, 1, 5});
}

TEST_CASE_TEMPLATE("adacomp: the rule holds coordinate by coordinate", Scalar, float, double) {
  for (const std::size_t bin : {1u, 7u, 50u, 5000u}) {
    const std::size_t d = 1234;
    const auto g = gaussian<Scalar>(d, bin);
    const auto latest = gaussian<Scalar>(d, bin + 1);
    const Selection selection = selected<Scalar>(bin, layers(d), g, latest);
    double maxima = 0.0;
    std::size_t bins = 0;
    for (const Segment& layer : layers(d))
      for (auto begin = static_cast<std::size_t>(layer.begin); begin < static_cast<std::size_t>(layer.end());
           begin += bin, ++bins) {
        const std::size_t end = std::min(begin + bin, static_cast<std::size_t>(layer.end()));
        Scalar largest = 0;
        for (std::size_t i = begin; i < end; ++i) largest = std::max(largest, std::abs(g[i]));
        maxima += static_cast<double>(largest);
        for (std::size_t i = begin; i < end; ++i)
          REQUIRE(std::ranges::binary_search(selection.indices, i) ==
                  (std::abs(g[i] + latest[i]) >= largest));
      }
    CHECK(*selection.shared_scale == doctest::Approx(maxima / static_cast<double>(bins)));
  }
}

TEST_CASE_TEMPLATE("adacomp: a bin whose latest gradient goes with the residue sends at least its largest",
                   Scalar, float, double) {
  const std::size_t d = 1000;
  const auto residue = gaussian<Scalar>(d, 5);
  std::vector<Scalar> latest = residue;
  std::vector<Scalar> g = residue;
  for (std::size_t i = 0; i < d; ++i) g[i] += latest[i] *= Scalar(0.1);
  const Selection selection = selected<Scalar>(50, {}, g, latest);
  for (std::size_t bin = 0; bin < d; bin += 50)
    CHECK(std::ranges::any_of(selection.indices, [&](std::uint32_t i) { return bin <= i && i < bin + 50; }));
}

TEST_CASE_TEMPLATE("adacomp: over many iterations sent and residue are all that was to be sent, exactly",
                   Scalar, float, double) {
  // Gradients on a grid, so that no sum rounds: what is left and what was sent add up bit for bit.
  const std::size_t d = 700;
  const auto compressor = make_compressor<Scalar>("adacomp(bin=50) | delta", layers(d));
  std::vector<Scalar> residue(d, 0);
  std::vector<Scalar> sent(d, 0);
  std::vector<Scalar> all(d, 0);
  std::size_t bytes = 0;
  for (std::uint64_t iteration = 0; iteration < 30; ++iteration) {
    auto latest = gaussian<Scalar>(d, iteration);
    std::vector<Scalar> g(d);
    std::vector<Scalar> message(d, 0);
    for (std::size_t i = 0; i < d; ++i) {
      latest[i] = std::round(latest[i] * 1024) / 1024;
      g[i] = residue[i] + latest[i];
      all[i] += latest[i];
    }
    RandomStream random(1, 0, iteration, Purpose::compression);
    PacketBuffer out = buffer();
    REQUIRE(compressor->encode_and_apply({g, random, latest}, out, message) == CodecStatus::ok);
    bytes += out.bytes().size();
    for (std::size_t i = 0; i < d; ++i) {
      residue[i] = g[i] - message[i];
      sent[i] += message[i];
      REQUIRE(sent[i] + residue[i] == all[i]);
    }
  }
  CHECK(bytes > 0);
  CHECK(bytes < 30 * d * sizeof(Scalar) / 2);  // and not everything was sent
}

TEST_CASE_TEMPLATE("adacomp: behind clip it goes by what the latest gradient changed of the clipped vector",
                   Scalar, float, double) {
  const auto sent = [](const std::string& spelling, const std::vector<Scalar>& g,
                       const std::vector<Scalar>& latest) {
    RandomStream random(1, 0, 0, Purpose::compression);
    PacketBuffer out = buffer();
    std::vector<Scalar> into(g.size(), Scalar(0));
    const auto compressor = make_compressor<Scalar>(spelling, {});
    REQUIRE(compressor->encode_and_apply({g, random, latest}, out, into) == CodecStatus::ok);
    return into;
  };
  // All magnitudes are equal and the mean is 0: sigma is 2, and nothing is clipped.
  const std::vector<Scalar> g{2, -2, 2, -2, 2, -2, 2, -2};
  const std::vector<Scalar> latest{-1, 1, 0, Scalar(-0.5), 3, -9, Scalar(0.25), 3};
  const std::string adacomp = "adacomp(bin=4) | delta";
  CHECK(sent(adacomp, g, latest) == std::vector<Scalar>{0, 0, 2, -2, 2, -2, 2, 0});
  CHECK(sent(adacomp, g, {}) == g);
  CHECK(sent("clip(1.5sigma) | " + adacomp, g, latest) == sent(adacomp, g, latest));
  // 8 becomes 4.635, as 9 did before the latest gradient: no change, so it is still the largest of its bin.
  const std::vector<Scalar> peak{8, 0, 0, 1};
  const auto of_peak = sent("clip(1.3856406sigma) | " + adacomp, peak, {-1, 0, 0, -1});
  CHECK(static_cast<double>(of_peak[0]) == doctest::Approx(1.3856406 * std::sqrt(65.0 / 4 - 81.0 / 16)));
  CHECK(of_peak[3] == Scalar(0));
  CHECK(sent(adacomp, peak, {-1, 0, 0, -1})[0] == Scalar(0));
}

}  // namespace hearsay::test::adacomp_test
