#include "algorithms/compression/selectors/selection.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/compression/compression.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::selection_test {

namespace {

SelectionSize size_of(const std::string& arguments) {
  return SelectionSize::parse(
      Arguments(parse_pipeline("topk(" + arguments + ")").front(), {"share", {"share", "k"}, {}}), {});
}

/// Returns ||value - z||^2 and ||z||^2, both divided by the square of the largest magnitude, so that nothing
/// leaves the range.
template <class Scalar>
std::pair<double, double> scaled_error(const std::vector<Scalar>& value, const std::vector<Scalar>& z) {
  double largest = 0.0;
  for (const Scalar entry : z) largest = std::max(largest, std::abs(static_cast<double>(entry)));
  double error = 0.0;
  double norm = 0.0;
  if (largest > 0.0)
    for (std::size_t i = 0; i < z.size(); ++i) {
      error += std::pow(static_cast<double>(value[i]) / largest - static_cast<double>(z[i]) / largest, 2);
      norm += std::pow(static_cast<double>(z[i]) / largest, 2);
    }
  return {error, norm};
}

}  // namespace

TEST_CASE("selection: a share is rounded up from the decimal that was written") {
  CHECK(size_of("1%").of(100) == 1);
  CHECK(size_of("1%").of(101) == 2);
  CHECK(size_of("7%").of(100) == 7);  // 0.07 * 100 is a hair above 7 in binary
  CHECK(size_of("0.29").of(100) == 29);
  CHECK(size_of("0.1%").of(10) == 1);
  CHECK(size_of("100%").of(7) == 7);
  CHECK(size_of("k=5").of(3) == 3);
  CHECK(size_of("50%").of(0) == 0);
  CHECK(size_of("50%").spelling() == "50%");
  CHECK(size_of("share=0.125").spelling() == "12.5%");
}

TEST_CASE("selection: more coordinates than the vector has are refused where the dimension is known") {
  CHECK_NOTHROW(make_compressor<float>("topk(k=90)", layers(90)));
  CHECK_THROWS_WITH_AS(
      make_compressor<float>("topk(k=91)", layers(90)),
      "algorithm.compressor = \"topk(k=91)\": column 8: expected a whole number from 1 to 90, got '91'",
      Misuse);
}

TEST_CASE_TEMPLATE("topk: keeps what sorting by magnitude, then index, puts first", Scalar, float, double) {
  for (const auto& z : adversarial_vectors<Scalar>())
    for (const std::size_t k : {std::size_t{1}, z.size() / 3, z.size() / 2 + 1, z.size()}) {
      if (z.empty() || k == 0) continue;
      std::vector<std::size_t> order(z.size());
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::stable_sort(order.begin(), order.end(),
                       [&](std::size_t a, std::size_t b) { return std::abs(z[a]) > std::abs(z[b]); });
      std::vector<Scalar> expected(z.size(), Scalar(0));
      for (std::size_t rank = 0; rank < std::min(k, z.size()); ++rank) expected[order[rank]] = z[order[rank]];
      CHECK(decoded("topk(k=" + std::to_string(k) + ")", z) == expected);
    }
}

TEST_CASE_TEMPLATE("topk: loses at most a share 1 - k/d of the squared norm, whatever the vector", Scalar,
                   float, double) {
  for (const std::string spelling : {"topk(1%)", "topk(30%)", "topk(k=1)"})
    for (const auto& z : adversarial_vectors<Scalar>()) {
      const auto traits = make_compressor<Scalar>(spelling, {})->traits(z.size());
      const auto [error, norm] = scaled_error(decoded(spelling, z), z);
      CHECK(error <= (1.0 - *traits.contraction) * norm * (1 + 1e-12));
    }
}

TEST_CASE("topk: all coordinates are all of the vector: unbiased without error, as randk(100%) is") {
  for (const char* spelling : {"topk(100%)", "topk(k=9)", "leader_topk(100%)", "randk(100%)"}) {
    CAPTURE(spelling);
    const Traits traits = make_compressor<double>(spelling, {})->traits(9);
    CHECK(traits.unbiased);
    CHECK(traits.omega == 0.0);
    CHECK(traits.omega_typical == 0.0);
    CHECK(*traits.contraction == 1.0);
  }
  // The quantizer adds an omega of its own.
  const auto omega_of = [](const char* spelling) {
    return make_compressor<double>(spelling, {})->traits(90).omega;
  };
  CHECK(omega_of("topk(100%) | qsgdinf(4)") == omega_of("qsgdinf(4)"));
  CHECK_FALSE(make_compressor<double>("topk(k=9)", {})->traits(10).unbiased);
}

TEST_CASE("topk: of equal magnitudes the lowest indices travel") {
  const std::vector<float> z{1, -2, 2, 2, -2, 3};
  CHECK(decoded("topk(k=3)", z) == std::vector<float>{0, -2, 2, 0, 0, 3});
}

TEST_CASE("randk: every subset of the given size is equally likely") {
  // All subsets of 6 coordinates, for every k: a chi-square test over fixed seeds. With 2 to 19 degrees of
  // freedom, a value above df + 5 sqrt(2 df) + 12 has a probability below 1e-5.
  const std::size_t d = 6;
  const std::vector<float> ones(d, 1.0f);
  for (std::size_t k = 1; k < d; ++k) {
    std::map<std::vector<float>, int> counts;
    const int draws = 6000;
    for (int draw = 0; draw < draws; ++draw)
      ++counts[decoded("randk(k=" + std::to_string(k) + ")", ones, static_cast<std::uint64_t>(draw))];
    std::size_t subsets = 1;
    for (std::size_t i = 0; i < k; ++i) subsets = subsets * (d - i) / (i + 1);
    REQUIRE(counts.size() == subsets);
    double chi_square = 0.0;
    const double expected = static_cast<double>(draws) / static_cast<double>(subsets);
    for (const auto& [subset, count] : counts) {
      CHECK(std::count(subset.begin(), subset.end(), 1.0f) == static_cast<std::ptrdiff_t>(k));
      chi_square += std::pow(count - expected, 2) / expected;
    }
    const auto freedom = static_cast<double>(subsets - 1);
    CHECK(chi_square < freedom + 5.0 * std::sqrt(2.0 * freedom) + 12.0);
  }
}

TEST_CASE_TEMPLATE("randk: over all subsets the scaled form has mean z, and each form its stated error",
                   Scalar, float, double) {
  // Subsets are uniform (tested above), so the expectation is a sum over all subsets: one message of each is
  // enough.
  const std::vector<Scalar> z{3, -1, Scalar(0.5), 10, Scalar(-0.125)};
  const std::size_t d = z.size();
  for (std::size_t k = 1; k <= d; ++k)
    for (const bool scaled : {false, true}) {
      const std::string spelling = "randk(k=" + std::to_string(k) + (scaled ? ", scaled)" : ")");
      std::map<std::vector<bool>, std::vector<Scalar>> outcomes;
      for (std::uint64_t iteration = 0; iteration < 400; ++iteration) {
        auto value = decoded(spelling, z, iteration);
        std::vector<bool> kept(d);
        for (std::size_t i = 0; i < d; ++i) kept[i] = value[i] != Scalar(0);
        outcomes.emplace(std::move(kept), std::move(value));
      }
      std::size_t subsets = 1;
      for (std::size_t i = 0; i < k; ++i) subsets = subsets * (d - i) / (i + 1);
      REQUIRE(outcomes.size() == subsets);
      std::vector<double> mean(d, 0.0);
      double error = 0.0;
      for (const auto& [kept, value] : outcomes) {
        for (std::size_t i = 0; i < d; ++i)
          mean[i] += static_cast<double>(value[i]) / static_cast<double>(subsets);
        error += squared_distance<Scalar>(value, z) / static_cast<double>(subsets);
      }
      const auto traits = make_compressor<Scalar>(spelling, {})->traits(d);
      const double norm = squared_norm<Scalar>(z);
      const double share = static_cast<double>(k) / static_cast<double>(d);
      for (std::size_t i = 0; i < d; ++i)
        CHECK(mean[i] == doctest::Approx(static_cast<double>(z[i]) * (scaled ? 1.0 : share)).epsilon(1e-6));
      if (scaled)
        CHECK(error == doctest::Approx(traits.omega * norm).epsilon(1e-6));
      else
        CHECK(error == doctest::Approx((1.0 - *traits.contraction) * norm).epsilon(1e-6));
      CHECK(traits.unbiased == (scaled || k == d));
    }
}

TEST_CASE("randk: a large subset is as uniform as a small one") {
  // How often a coordinate is drawn over many messages is binomial; the bound is 6 standard deviations.
  const std::size_t d = 130;
  const std::vector<float> ones(d, 1.0f);
  for (const std::string spelling : {"randk(20%)", "randk(80%)"}) {
    const int draws = 2000;
    std::vector<int> counts(d, 0);
    for (int draw = 0; draw < draws; ++draw) {
      const auto value = decoded(spelling, ones, static_cast<std::uint64_t>(draw));
      for (std::size_t i = 0; i < d; ++i) counts[i] += value[i] != 0.0f;
    }
    const double share = *make_compressor<float>(spelling, {})->traits(d).contraction;
    for (const int count : counts)
      CHECK(std::abs(count - share * draws) < 6.0 * std::sqrt(draws * share * (1 - share)));
  }
}

}  // namespace hearsay::test::selection_test
