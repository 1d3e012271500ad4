#include "topology/base_rounds.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/support/misuse_text.hpp"
#include "topology/families.hpp"
#include "topology/schedule.hpp"
#include "topology/spectrum.hpp"

namespace hearsay::base_rounds_test {

namespace {

/// Rational numbers modulo a prime. Equal numbers are equal here; different ones are equal with probability
/// 2^-31.
class Residue {
 public:
  explicit Residue(std::uint64_t value = 0) : value_(value % prime) {}
  friend Residue operator+(Residue a, Residue b) { return Residue(a.value_ + b.value_); }
  friend Residue operator-(Residue a, Residue b) { return Residue(a.value_ + prime - b.value_); }
  friend Residue operator*(Residue a, Residue b) { return Residue(a.value_ * b.value_); }
  friend Residue operator/(Residue a, Residue b) { return a * b.power(prime - 2); }
  bool operator==(const Residue&) const = default;

  /// Returns the fraction with the smallest denominator that is within 1e-15 of x, more than rounding errors.
  static Residue of(double x) {
    for (std::uint64_t denominator = 1; denominator < 100'000; ++denominator) {
      const double numerator = std::round(x * static_cast<double>(denominator));
      if (std::abs(x - numerator / static_cast<double>(denominator)) < 1e-15)
        return Residue(static_cast<std::uint64_t>(numerator)) / Residue(denominator);
    }
    FAIL("no small fraction: " << x);
    return Residue();
  }

 private:
  static constexpr std::uint64_t prime = 2'147'483'647;
  Residue power(std::uint64_t exponent) const {
    Residue result(1);
    Residue square = *this;
    for (; exponent != 0; exponent >>= 1, square = square * square)
      if (exponent & 1) result = result * square;
    return result;
  }
  std::uint64_t value_;
};

using Exact = std::vector<std::vector<Residue>>;

/// The product of a period, in exact arithmetic.
Exact period_product(PeerId n, const std::vector<std::vector<WeightedLink>>& rounds) {
  Exact product(n, std::vector<Residue>(n));
  for (PeerId i = 0; i < n; ++i) product[i][i] = Residue(1);
  for (const std::vector<WeightedLink>& round : rounds) {
    Exact next = product;
    for (const WeightedLink& link : round) {
      const Residue weight = Residue::of(link.weight);
      for (PeerId k = 0; k < n; ++k)
        next[link.to][k] = next[link.to][k] + weight * (product[link.from][k] - product[link.to][k]);
    }
    product = next;
  }
  return product;
}

std::unique_ptr<Schedule> base_schedule(PeerId n, PeerId base, const std::string& family) {
  const Graph graph = make_graph(family, n, 0);
  return make_schedule("base(" + std::to_string(base) + ")", graph, MixingMatrix::metropolis(graph), 1);
}

}  // namespace

TEST_CASE("base: a period averages exactly, for every number of peers") {
  for (PeerId base = 2; base <= 5; ++base)
    for (PeerId n = 1; n <= 40; ++n) {
      CAPTURE(base);
      CAPTURE(n);
      const Exact product = period_product(n, base_rounds(n, base));
      const Exact average(n, std::vector<Residue>(n, Residue(1) / Residue(n)));
      CHECK(product == average);
      const auto schedule = base_schedule(n, base, "complete");
      CHECK(*contraction(*schedule, *schedule->period()) < 1e-15);
    }
}

TEST_CASE("base: in each round nobody has more than base - 1 neighbors, and weights are averages both ways") {
  for (PeerId base = 2; base <= 5; ++base)
    for (PeerId n = 1; n <= 40; ++n) {
      CAPTURE(base);
      CAPTURE(n);
      const auto schedule = base_schedule(n, base, "base(" + std::to_string(base) + ")");
      for (std::uint64_t round = 0; round < schedule->period(); ++round)
        for (PeerId peer = 0; peer < n; ++peer) {
          const MixingRow row = schedule->row(peer, round);
          CHECK(row.hears.size() < base);
          CHECK(row.self_weight > -1e-15);
          for (const WeightedNeighbor& neighbor : row.hears) {
            CHECK(neighbor.weight > 0.0);
            bool back = false;
            for (const WeightedNeighbor& other : schedule->row(neighbor.id, round).hears)
              back |= other.id == peer && other.weight == neighbor.weight;
            CHECK(back);
          }
        }
    }
}

TEST_CASE("base: a period has at most 2 log n + 2 rounds, and log n for powers of the base") {
  for (PeerId base = 2; base <= 5; ++base)
    for (PeerId n = 2; n <= 300; ++n) {
      CAPTURE(base);
      CAPTURE(n);
      const auto rounds = static_cast<double>(base_rounds(n, base).size());
      const double logarithm = std::log(n) / std::log(base);
      CHECK(rounds <= 2.0 * logarithm + 2.0);
      CHECK(rounds >= std::ceil(logarithm - 1e-9));
      if (const double whole = std::round(logarithm); std::abs(logarithm - whole) < 1e-9)
        CHECK(rounds == whole);
    }
}

TEST_CASE("base: three peers by twos, worked out by hand") {
  // 3 = 2 + 1. Peers 0 and 1 average. Peers 0 and 2 mix with weight 2/3: now peer 2 has the mean of all, and
  // so have 0 and 1 on average. Peers 0 and 1 average again.
  const auto rounds = base_rounds(3, 2);
  REQUIRE(rounds.size() == 3);
  const auto weights = [&](std::size_t round) {
    std::set<std::tuple<PeerId, PeerId, double>> found;
    for (const WeightedLink& link : rounds[round])
      if (link.from < link.to) found.emplace(link.from, link.to, link.weight);
    return found;
  };
  CHECK(weights(0) == std::set<std::tuple<PeerId, PeerId, double>>{{0, 1, 0.5}});
  CHECK(weights(1) == std::set<std::tuple<PeerId, PeerId, double>>{{0, 2, 2.0 / 3.0}});
  CHECK(weights(2) == weights(0));
  // 6 = 2 * 3: two groups of three run their three rounds side by side, and one more follows. 6 = 4 + 2 would
  // take five.
  CHECK(base_rounds(6, 2).size() == 4);
  CHECK(base_rounds(5, 2).size() == 5);
  // A base of at least n: all peers average in one round.
  CHECK(base_rounds(5, 5).size() == 1);
  CHECK(base_rounds(1, 2).empty());
}

TEST_CASE("base: what it needs and lacks is named") {
  const auto refusal = [](const std::string& kind, const std::string& family) {
    return misuse_text([&] {
      const Graph graph = make_graph(family, 6, 0);
      make_schedule(kind, graph, MixingMatrix::metropolis(graph), 1);
    });
  };
  CHECK(refusal("base(2)", "star").find("topology.kind = \"base(2)\" has them all") != std::string::npos);
  CHECK(refusal("base(1)", "complete") ==
        "topology.schedule = base(1): expected base(b) with a whole number of at least 2");
  CHECK(refusal("base", "complete") == "topology.schedule = base: expected base(b)");
  CHECK(refusal("static(2)", "complete") == "topology.schedule = static(2): expected static");
  CHECK(misuse_text([] {
          make_graph("base(1)", 6, 0);
        }).starts_with("topology.kind = base(1): expected base(b)"));
}

}  // namespace hearsay::base_rounds_test
