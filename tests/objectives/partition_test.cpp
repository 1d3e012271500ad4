#include "algorithms/objectives/partition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "tests/support/misuse_text.hpp"

namespace hearsay::partition_test {

namespace {

/// Returns `count` labels, cyclic over `classes`.
std::vector<double> cyclic_labels(std::size_t count, std::size_t classes) {
  std::vector<double> labels(count);
  for (std::size_t s = 0; s < count; ++s) labels[s] = static_cast<double>(s % classes);
  return labels;
}

/// Returns the number of samples of class k at peer i as result[i][k].
std::vector<std::vector<std::size_t>> class_counts(const std::vector<std::vector<Index>>& parts,
                                                   const std::vector<double>& labels, std::size_t classes) {
  std::vector<std::vector<std::size_t>> counts(parts.size(), std::vector<std::size_t>(classes));
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const Index s : parts[i]) ++counts[i][static_cast<std::size_t>(labels[static_cast<std::size_t>(s)])];
  return counts;
}

const char* const spellings[] = {"iid", "by-label", "dirichlet(0.3)", "dirichlet(1e-6)", "dirichlet(1e12)"};

}  // namespace

TEST_CASE("partition: every sample is in exactly one part, in ascending order") {
  for (const char* spelling : spellings)
    for (const std::size_t peers : {1, 2, 3, 8, 100}) {
      CAPTURE(std::string(spelling));
      CAPTURE(peers);
      const auto labels = cyclic_labels(503, 7);
      const auto parts = partition(spelling, labels, 7, peers, 4);
      REQUIRE(parts.size() == peers);
      std::set<Index> seen;
      std::size_t total = 0;
      for (const auto& part : parts) {
        CHECK(std::is_sorted(part.begin(), part.end()));
        seen.insert(part.begin(), part.end());
        total += part.size();
      }
      CHECK(total == 503);
      CHECK(seen.size() == 503);
      CHECK(*seen.begin() == 0);
      CHECK(*seen.rbegin() == 502);
    }
}

TEST_CASE("partition: iid and by-label sizes differ by at most one") {
  for (const char* spelling : {"iid", "by-label"})
    for (const std::size_t peers : {1, 3, 8, 41, 503}) {
      const auto parts = partition(spelling, cyclic_labels(503, 7), 7, peers, 4);
      const auto [small, large] = std::minmax_element(
          parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.size() < b.size(); });
      CHECK(large->size() - small->size() <= 1);
    }
}

TEST_CASE("partition: the seed decides, and nothing else") {
  const auto labels = cyclic_labels(300, 5);
  for (const char* spelling : {"iid", "dirichlet(0.3)"}) {
    CHECK(partition(spelling, labels, 5, 6, 9) == partition(spelling, labels, 5, 6, 9));
    CHECK(partition(spelling, labels, 5, 6, 9) != partition(spelling, labels, 5, 6, 10));
  }
  CHECK(partition("by-label", labels, 5, 6, 9) == partition("by-label", labels, 5, 6, 10));
}

TEST_CASE("partition: by-label hands out the targets in ascending order") {
  const auto labels = cyclic_labels(300, 5);
  const auto parts = partition("by-label", labels, 5, 5, 1);
  for (std::size_t i = 0; i < 5; ++i)
    for (const Index s : parts[i]) CHECK(labels[static_cast<std::size_t>(s)] == static_cast<double>(i));
  // Regression targets work, too.
  const std::vector<double> targets = {0.5, -2.0, 7.25, 3.0};
  CHECK(partition("by-label", targets, 0, 2, 1) == std::vector<std::vector<Index>>{{0, 1}, {2, 3}});
}

TEST_CASE("partition: iid spreads every class as a hypergeometric draw would") {
  const auto labels = cyclic_labels(8000, 4);
  const auto counts = class_counts(partition("iid", labels, 4, 8, 2), labels, 4);
  // 1000 of 8000 drawn, 2000 of a class: mean 250, deviation sqrt(1000 * 1/4 * 3/4 * 7000/7999) = 12.8.
  for (const auto& peer : counts)
    for (const std::size_t count : peer) {
      CHECK(count > 250 - 5 * 13);
      CHECK(count < 250 + 5 * 13);
    }
}

TEST_CASE("partition: a large dirichlet parameter gives equal shares, a small one whole classes") {
  const auto labels = cyclic_labels(8000, 4);
  for (const auto& peer : class_counts(partition("dirichlet(1e12)", labels, 4, 8, 2), labels, 4))
    for (const std::size_t count : peer) CHECK(std::abs(static_cast<double>(count) - 250.0) <= 1.0);
  const auto counts = class_counts(partition("dirichlet(1e-6)", labels, 4, 8, 2), labels, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    std::size_t largest = 0;
    for (const auto& peer : counts) largest = std::max(largest, peer[k]);
    CHECK(largest == 2000);
  }
}

TEST_CASE("partition: dirichlet shares have the variance of the distribution") {
  // 400 classes are 400 draws: Var p_i = (1/n)(1 - 1/n) / (n A + 1), and E p_i = 1/n.
  constexpr std::size_t classes = 400;
  constexpr std::size_t per_class = 1000;
  constexpr std::size_t peers = 5;
  const auto labels = cyclic_labels(classes * per_class, classes);
  for (const double parameter : {0.3, 2.5}) {
    CAPTURE(parameter);
    const std::string spelling = "dirichlet(" + number_text(parameter) + ")";
    const auto counts = class_counts(partition(spelling, labels, classes, peers, 3), labels, classes);
    const double expected = 0.2 * 0.8 / (peers * parameter + 1.0);
    double square = 0.0;
    for (const auto& peer : counts) {
      double mean = 0.0;
      for (const std::size_t count : peer) {
        const double share = static_cast<double>(count) / per_class;
        mean += share / classes;
        square += (share - 0.2) * (share - 0.2) / (classes * peers);
      }
      CHECK(mean == doctest::Approx(0.2).epsilon(5.0 * std::sqrt(expected / classes) / 0.2));
    }
    CHECK(square == doctest::Approx(expected).epsilon(0.12));
  }
}

TEST_CASE("partition: what cannot be done is refused with the key and the value") {
  const auto labels = cyclic_labels(10, 2);
  const auto refusal = [&](const char* spelling, std::size_t peers = 2, std::uint32_t classes = 2) {
    return misuse_text([&] { partition(spelling, labels, classes, peers, 1); });
  };
  for (const char* bad : {"dirichlet", "dirichlet(0)", "dirichlet(-1)", "dirichlet(nan)", "dirichlet(inf)",
                          "dirichlet(x)", "dirichlet(1, 2)", "iid(3)", "by-labels", "", "iid)"}) {
    CAPTURE(std::string(bad));
    CHECK(refusal(bad).rfind("data.partition = ", 0) == 0);
  }
  CHECK(refusal("by-labels").find("by-label") != std::string::npos);
  CHECK(refusal("noniid").find("home") != std::string::npos);
  CHECK(refusal("home").find("none are divided") != std::string::npos);
  CHECK(refusal("iid", 11) == "data.partition = iid: 10 samples cannot be shared by 11 peers");
  CHECK(refusal("dirichlet(1)", 2, 0).find("classes") != std::string::npos);
  CHECK(refusal("iid", 10).empty());
}

}  // namespace hearsay::partition_test
