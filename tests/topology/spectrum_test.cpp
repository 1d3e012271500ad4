#include "topology/spectrum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "topology/dense_mixing.hpp"
#include "topology/families.hpp"
#include "topology/graph_random.hpp"
#include "topology/schedule.hpp"

namespace spectrum_test {

using hearsay::Edge;
using hearsay::Graph;
using hearsay::make_graph;
using hearsay::make_mixing;
using hearsay::MixingMatrix;
using hearsay::PeerId;
using hearsay::Spectrum;
using hearsay::spectrum;
using hearsay::SpectrumMethod;

namespace {

constexpr double pi = std::numbers::pi;

/// The same graph with its peers renumbered at random, so that closed_spectrum does not recognize its
/// structure.
Graph renumbered(const Graph& graph) {
  std::vector<PeerId> numbers(graph.peer_count());
  std::iota(numbers.begin(), numbers.end(), PeerId{0});
  hearsay::GraphRandom(5).shuffle(numbers);
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges()) edges.push_back({numbers[edge.a], numbers[edge.b]});
  return Graph(graph.peer_count(), edges);
}

Spectrum metropolis_spectrum(const std::string& spelling, PeerId peers) {
  return spectrum(MixingMatrix::metropolis(make_graph(spelling, peers, 0)));
}

double gap(const std::string& spelling, PeerId peers) {
  return metropolis_spectrum(spelling, peers).spectral_gap;
}

void check_equal(const Spectrum& a, const Spectrum& b, double tolerance) {
  CHECK(std::abs(a.second - b.second) < tolerance);
  CHECK(std::abs(a.smallest - b.smallest) < tolerance);
  CHECK(std::abs(a.rho - b.rho) < tolerance);
}

/// Returns || M^rounds x || / || M^(rounds-1) x || for a random vector x of mean 0; it grows toward rho with
/// the rounds.
double shrinking(const MixingMatrix& mixing, int rounds) {
  const Eigen::MatrixXd w = hearsay::dense(mixing);
  Eigen::VectorXd x(w.rows());
  hearsay::GraphRandom random(3);
  for (double& value : x) value = random.uniform();
  double last = 0.0;
  for (int round = 0; round < rounds; ++round) {
    x.array() -= x.mean();
    x.normalize();
    x = (w * x).eval();
    last = x.norm();
  }
  return last;
}

}  // namespace

TEST_CASE("spectrum: gaps have their textbook closed forms") {
  for (PeerId n = 3; n <= 40; ++n) {
    CAPTURE(n);
    const double second = 1.0 / 3.0 + 2.0 / 3.0 * std::cos(2.0 * pi / n);
    const double smallest = 1.0 / 3.0 + 2.0 / 3.0 * std::cos(2.0 * pi * (n / 2) / n);
    CHECK(gap("ring", n) == doctest::Approx(1.0 - std::max(second, std::abs(smallest))).epsilon(1e-12));
    const double path_smallest = 1.0 / 3.0 + 2.0 / 3.0 * std::cos(pi * (n - 1) / n);
    CHECK(metropolis_spectrum("path", n).second ==
          doctest::Approx(1.0 / 3.0 + 2.0 / 3.0 * std::cos(pi / n)).epsilon(1e-12));
    CHECK(metropolis_spectrum("path", n).smallest == doctest::Approx(path_smallest).epsilon(1e-12));
    CHECK(gap("star", n) == doctest::Approx(1.0 / n).epsilon(1e-12));
    CHECK(gap("complete", n) == doctest::Approx(1.0).epsilon(1e-12));
  }
  for (unsigned bits = 1; bits <= 8; ++bits) {
    const Spectrum cube = metropolis_spectrum("hypercube", PeerId{1} << bits);
    CHECK(cube.spectral_gap == doctest::Approx(bits == 1 ? 1.0 : 2.0 / (bits + 1.0)).epsilon(1e-12));
    CHECK(std::abs(cube.smallest - (1.0 - 2.0 * bits / (bits + 1.0))) < 1e-12);
  }
  CHECK(gap("torus(4x4)", 16) == doctest::Approx(0.4).epsilon(1e-12));
  CHECK(gap("torus(6x6)", 36) == doctest::Approx(0.2).epsilon(1e-12));
  CHECK(gap("torus(3x3)", 9) == doctest::Approx(0.6).epsilon(1e-12));
  CHECK(gap("torus(3x5)", 15) == doctest::Approx(0.4 - 0.4 * std::cos(2.0 * pi / 5.0)).epsilon(1e-12));
}

TEST_CASE("spectrum: closed forms agree with the dense solver on the renumbered graph") {
  std::vector<Graph> graphs;
  for (PeerId n : {2u, 3u, 4u, 5u, 8u, 12u, 17u})
    for (const char* spelling : {"ring", "path", "complete", "star", "exponential"})
      graphs.push_back(make_graph(spelling, n, 0));
  for (const char* spelling : {"torus(4x6)", "torus(3x8)", "torus(2x12)", "grid(4x6)", "grid(2x12)"})
    graphs.push_back(make_graph(spelling, 24, 0));
  graphs.push_back(make_graph("hypercube", 32, 0));
  for (const Graph& graph : graphs)
    for (const char* weights : {"metropolis", "max-degree", "lazy", "best-constant"}) {
      CAPTURE(graph.edges().size());
      CAPTURE(weights);
      const Spectrum ours = spectrum(make_mixing(weights, graph));
      const Spectrum other = spectrum(make_mixing(weights, renumbered(graph)));
      check_equal(ours, other, 1e-12);
    }
  CHECK(spectrum(MixingMatrix::metropolis(graphs.back())).how == SpectrumMethod::closed_form);
  CHECK(spectrum(MixingMatrix::metropolis(renumbered(graphs.back()))).how == SpectrumMethod::dense);
}

TEST_CASE("spectrum: Lanczos and shift-invert agree with closed forms and with each other") {
  const Graph torus = make_graph("torus(18x20)", 360, 0);
  const Spectrum of_torus = spectrum(MixingMatrix::metropolis(renumbered(torus)));
  CHECK(of_torus.how == SpectrumMethod::lanczos);
  check_equal(of_torus, spectrum(MixingMatrix::metropolis(torus)), 1e-12);

  for (const char* spelling : {"ring", "path"})
    for (const char* weights : {"metropolis", "lazy", "best-constant"}) {
      const Graph graph = make_graph(spelling, 1200, 0);
      const Spectrum long_one = spectrum(make_mixing(weights, renumbered(graph)));
      CHECK(long_one.how == SpectrumMethod::shift_invert);
      check_equal(long_one, spectrum(make_mixing(weights, graph)), 1e-12);
    }
}

TEST_CASE("spectrum: of many peers, Lanczos finds closed forms to 1e-9 or says how far it may be") {
  const auto graphs = {make_graph("exponential", 60'000, 0), make_graph("torus(200x300)", 60'000, 0),
                       make_graph("star", 60'000, 0)};
  for (const Graph& graph : graphs) {
    CAPTURE(graph.edges().size());
    const Spectrum closed = spectrum(MixingMatrix::metropolis(graph));
    const Spectrum found = spectrum(MixingMatrix::metropolis(renumbered(graph)));
    // A star is found however its peers are numbered.
    if (graph.max_degree() == graph.peer_count() - 1)
      CHECK(found.how == SpectrumMethod::closed_form);
    else
      CHECK(found.how == SpectrumMethod::lanczos);
    check_equal(found, closed, std::max(2e-9, found.error));
    CHECK(found.second <= closed.second + 1e-12);
    CHECK(found.smallest >= closed.smallest - 1e-12);
  }
  // A long graph: its eigenvalues crowd at the ends.
  const Spectrum of_ring = spectrum(MixingMatrix::metropolis(renumbered(make_graph("ring", 60'000, 0))));
  CHECK(of_ring.error > 1e-9);
  CHECK(of_ring.second > 1.0 - of_ring.error - 1e-8);
}

TEST_CASE("spectrum: the bound of a large grid is near its gap") {
  // Metropolis weights are a fifth, and a quarter between peers at the border: I - W is at least a fifth of
  // the Laplacian, and the slowest disagreement crosses few of the links at the border.
  const double of_laplacian = 4.0 * std::pow(std::sin(pi / 1200.0), 2);
  const Spectrum found = metropolis_spectrum("grid(600x600)", 360'000);
  CHECK(found.spectral_gap > 0.2 * of_laplacian * (1.0 - 1e-6));
  CHECK(found.spectral_gap < 0.2 * of_laplacian * 1.05);
}

TEST_CASE("spectrum: the dense and the sparse solver agree on either side of the switch") {
  // Two copies of a graph without a link between them have its spectrum and a second eigenvalue 1.
  const Graph one = make_graph("small-world(4, 0.2)", 200, 1);
  std::vector<Edge> edges = one.edges();
  for (const Edge& edge : one.edges()) edges.push_back({edge.a + 200, edge.b + 200});
  const Spectrum single = spectrum(MixingMatrix::metropolis(one));
  const Spectrum twice = spectrum(MixingMatrix::metropolis(Graph(400, edges)));
  CHECK(single.how == SpectrumMethod::dense);
  CHECK(twice.how == SpectrumMethod::lanczos);
  CHECK(std::abs(twice.second - 1.0) < 1e-12);
  CHECK(std::abs(twice.spectral_gap) < 1e-12);
  CHECK(std::abs(twice.smallest - single.smallest) < 1e-12);
}

TEST_CASE("spectrum: gossip shrinks the consensus distance to rho of it per round, and to no more") {
  for (const char* spelling : {"erdos-renyi(0.3)", "geometric(0.4)", "random-regular(3)", "grid(4x6)"})
    for (const char* weights : {"metropolis", "max-degree", "lazy", "best-constant"}) {
      const MixingMatrix mixing = make_mixing(weights, make_graph(spelling, 24, 2));
      const double rho = spectrum(mixing).rho;
      CHECK(shrinking(mixing, 3) <= rho * (1.0 + 1e-12));
      CHECK(shrinking(mixing, 3000) == doctest::Approx(rho).epsilon(1e-9));
    }
}

TEST_CASE("spectrum: best-constant reaches the published constants and rates") {
  const auto check = [](const std::string& spelling, PeerId peers, double constant, double rho) {
    CAPTURE(spelling);
    const MixingMatrix mixing = MixingMatrix::best_constant(make_graph(spelling, peers, 0));
    CHECK(std::abs(mixing.row(0).hears[0].weight - constant) < 1e-6);
    CHECK(std::abs(spectrum(mixing).rho - rho) < 1e-6);
  };
  check("ring", 8, 0.436130, 0.744521);
  check("ring", 9, 0.460056, 0.784735);
  check("ring", 40, 0.496941, 0.98776367);
  check("star", 40, 2.0 / 41.0, 0.95121951);
  check("torus(4x4)", 16, 0.2, 0.6);
  check("hypercube", 8, 0.25, 0.5);
  const Graph grid = make_graph("grid(8x5)", 40, 0);
  CHECK(std::abs(spectrum(MixingMatrix::best_constant(grid)).rho - 0.96003) < 1e-5);
  CHECK(std::abs(spectrum(MixingMatrix::metropolis(grid)).rho - 0.96655) < 1e-5);
}

TEST_CASE("spectrum: best-constant is better than any other constant") {
  for (const char* spelling : {"erdos-renyi(0.4)", "geometric(0.5)", "star", "path"}) {
    const Graph graph = make_graph(spelling, 15, 3);
    const MixingMatrix best = MixingMatrix::best_constant(graph);
    const double constant = best.row(0).hears[0].weight;
    for (const double factor : {0.5, 0.9, 0.99, 1.01, 1.1}) {
      const std::vector<double> weights(graph.edges().size(), factor * constant);
      CHECK(spectrum(MixingMatrix::explicit_weights(graph, weights)).rho > spectrum(best).rho);
    }
  }
}

TEST_CASE("spectrum: a directed matrix is judged by its distance to the average in the 2-norm") {
  // The static exponential graph: i hears i - 2^k for k < t, all with weight 1 / (1 + t); gap 2 / (1 + t) for
  // even n (Ying et al. 2021).
  for (const PeerId n : {4u, 6u, 8u, 10u, 12u, 16u}) {
    CAPTURE(n);
    std::vector<PeerId> hops;
    for (PeerId hop = 1; hop < n; hop *= 2) hops.push_back(hop);
    const double weight = 1.0 / (1.0 + static_cast<double>(hops.size()));
    std::vector<hearsay::WeightedLink> links;
    std::vector<hearsay::WeightedLink> shuffled;
    std::vector<PeerId> numbers(n);
    std::iota(numbers.begin(), numbers.end(), PeerId{0});
    hearsay::GraphRandom(1).shuffle(numbers);
    for (PeerId peer = 0; peer < n; ++peer)
      for (const PeerId hop : hops) {
        links.push_back({peer, (peer + hop) % n, weight});
        shuffled.push_back({numbers[peer], numbers[(peer + hop) % n], weight});
      }
    const Spectrum closed = spectrum(MixingMatrix(n, links));
    const Spectrum dense = spectrum(MixingMatrix(n, shuffled));
    CHECK(closed.spectral_gap == doctest::Approx(2.0 * weight).epsilon(1e-12));
    check_equal(closed, dense, 1e-12);
    CHECK(closed.how == SpectrumMethod::closed_form);
  }
  // Large, and in random order, so not recognized: a directed ring of 1,000, |l_1|^2 = (1 + cos(2 pi / n)) /
  // 2.
  const PeerId n = 1000;
  std::vector<PeerId> numbers(n);
  std::iota(numbers.begin(), numbers.end(), PeerId{0});
  hearsay::GraphRandom(1).shuffle(numbers);
  std::vector<hearsay::WeightedLink> links;
  for (PeerId peer = 0; peer < n; ++peer) links.push_back({numbers[peer], numbers[(peer + 1) % n], 0.5});
  const Spectrum ring = spectrum(MixingMatrix(n, links));
  CHECK(std::abs(ring.rho - std::sqrt(0.5 + 0.5 * std::cos(2.0 * pi / n))) < 1e-12);
}

TEST_CASE("spectrum: one peer agrees with itself at once, unlinked peers never") {
  const Spectrum alone = metropolis_spectrum("ring", 1);
  CHECK(alone.rho == 0.0);
  CHECK(alone.spectral_gap == 1.0);
  CHECK(spectrum(MixingMatrix(3, {})).spectral_gap == 0.0);
  CHECK(gap("ring", 2) == doctest::Approx(1.0).epsilon(1e-15));
  CHECK(std::abs(spectrum(MixingMatrix(2, {{0, 1, 0.9}, {1, 0, 0.9}})).rho - 0.8) < 1e-15);
}

TEST_CASE("spectrum: negative weights can make gossip grow, and rho says so") {
  const Graph path = make_graph("path", 3, 0);
  const Spectrum growing = spectrum(MixingMatrix::explicit_weights(path, std::vector<double>{0.9, 0.8}));
  CHECK(growing.rho > 1.0);
  CHECK(growing.spectral_gap < 0.0);
}

TEST_CASE(
    "spectrum: a period of a schedule contracts to nothing where it averages, else as its matrices do") {
  const auto contraction = [](const std::string& kind, const Graph& graph) {
    const auto schedule = hearsay::make_schedule(kind, graph, MixingMatrix::metropolis(graph), 1);
    return *hearsay::contraction(*schedule, *schedule->period());
  };
  const Graph ring = make_graph("ring", 12, 0);
  CHECK(contraction("static", ring) ==
        doctest::Approx(spectrum(MixingMatrix::metropolis(ring)).rho).epsilon(1e-12));
  CHECK(contraction("hypercube-matchings", make_graph("hypercube", 32, 0)) < 1e-15);
  CHECK(contraction("one-peer-exponential", make_graph("exponential", 16, 0)) < 1e-15);
  CHECK(contraction("one-peer-exponential", make_graph("exponential", 12, 0)) > 0.01);
  const double matchings = contraction("random-matchings", ring);
  CHECK(matchings > 0.0);
  CHECK(matchings < 1.0);
  const Graph large = make_graph("ring", hearsay::contraction_peers + 1, 0);
  CHECK_FALSE(
      hearsay::contraction(*hearsay::make_schedule("static", large, MixingMatrix::metropolis(large), 1), 1));
}

}  // namespace spectrum_test
