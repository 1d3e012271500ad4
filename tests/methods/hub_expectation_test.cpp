// Methods with a hub and workers: what holds in the mean over the sets of workers, and over the roundings of
// compressors.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/listed_rounds.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::hub_expectation_test {

namespace {

/// Returns the rows of a round of a star in which the peers of `set`, a bit each, answer.
std::vector<MixingRow> rows_of_set(const Schedule& whole, unsigned set) {
  const auto answers = [&](PeerId peer) { return ((set >> peer) & 1u) != 0; };
  std::vector<MixingRow> rows;
  for (PeerId peer = 0; peer < whole.peer_count(); ++peer) {
    MixingRow row = whole.row(peer, 0);
    row.trains = answers(peer);
    row.participates = answers(peer) || peer == 0;
    if (peer == 0) {
      std::erase_if(row.hears, [&](const WeightedNeighbor& of) { return !answers(of.id); });
      std::erase_if(row.heard_by, [&](PeerId id) { return !answers(id); });
    } else if (!answers(peer)) {
      row.hears.clear();
      row.heard_by.clear();
    }
    rows.push_back(row);
  }
  return rows;
}

/// Returns by how much xhat, the model of worker 1 in iteration t, differs in the mean from w, the hub's of
/// the iteration before: in standard errors, the largest of all coordinates and iterations.
double largest_deviation(const std::string& method, const std::string& down_compressor) {
  constexpr std::uint64_t seeds = 400;
  constexpr std::uint64_t iterations = 6;
  constexpr Index dimension = 19;
  std::vector<Vector<double>> sums(iterations + 1, Vector<double>::Zero(dimension));
  std::vector<Vector<double>> squares = sums;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto recording =
        record_run(quadratics_in<double>({"star", 4}, method,
                                         {.compressor = "dither(linf, levels=1)",
                                          .iterations = iterations,
                                          .seed = seed,
                                          .options = {{option::down_compressor, down_compressor},
                                                      {option::memory_step, "0.2"},
                                                      {option::down_memory_step, "0.2"}}}));
    for (std::size_t t = 2; t <= iterations; ++t) {
      const Vector<double> perturbation = recording[t][1].model - recording[t - 1][0].model;
      sums[t] += perturbation;
      squares[t] += perturbation.cwiseAbs2();
    }
  }
  double largest = 0.0;
  for (std::size_t t = 2; t <= iterations; ++t)
    for (Index k = 0; k < dimension; ++k) {
      const double mean = sums[t][k] / seeds;
      const double variance = squares[t][k] / seeds - mean * mean;
      REQUIRE(variance > 0.0);
      largest = std::max(largest, std::abs(mean) / std::sqrt(variance / seeds));
    }
  return largest;
}

}  // namespace

TEST_CASE("hub: the expected step over all sets of workers of one size is the step of all") {
  constexpr PeerId peers = 4;
  for (const std::string method :
       {"fed-avg", "fed-paq", "fed-prox", "gen-qsgd", "scaffold", "artemis", "diana", "dore", "mcm",
        "rand-mcm", "double-squeeze", "neolithic", "comp-ams", "lgc", "fed-vote", "predictive-coding"}) {
    CAPTURE(method);
    // Two iterations of all, so that memories and errors are not 0, then one of a set.
    Plan plan{.iterations = 3};
    if (find_method(method).options.has(option::down_compressor))
      plan.options.set(option::down_compressor, "none");
    if (method == "comp-ams") plan.options.set(option::optimizer, "sgd");
    if (method == "lgc") plan.options.set(option::dense_rounds, 1);
    auto experiment = quadratics_in<double>({"star", peers}, method, plan);
    const Vector<double> of_all = record_run(experiment).back()[0].model;
    const std::shared_ptr<const Schedule> whole = experiment.schedule;
    const std::vector<MixingRow> all = rows_of_set(*whole, 0b1111);
    Vector<double> sum = Vector<double>::Zero(of_all.size());
    int sets = 0;
    for (unsigned set = 0; set < (1u << peers); ++set) {
      if (std::popcount(set) != 2) continue;
      experiment.schedule = std::make_shared<ListedRounds>(
          "one set", peers, std::vector<std::vector<MixingRow>>{all, all, rows_of_set(*whole, set)});
      const Vector<double> of_set = record_run(experiment).back()[0].model;
      CHECK((of_set - of_all).cwiseAbs().maxCoeff() > 1e-6);
      sum += of_set;
      ++sets;
    }
    CHECK(sets == 6);
    // fed-vote moves a mean of votes that is 1 or -1 by 1e-4, and no other.
    CHECK((sum / sets - of_all).cwiseAbs().maxCoeff() < (method == "fed-vote" ? 1e-4 : 1e-13));
  }
}

TEST_CASE("mcm, rand-mcm: in expectation a worker's perturbed model is the hub's preserved one") {
  for (const std::string method : {"mcm", "rand-mcm"}) {
    CAPTURE(method);
    CHECK(largest_deviation(method, "dither(linf, levels=1)") < 4.5);
    CHECK(largest_deviation(method, "sign") > 20.0);  // it is biased
  }
}

}  // namespace hearsay::test::hub_expectation_test
