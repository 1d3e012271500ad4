#include <doctest/doctest.h>

#include "algorithms/methods/artemis.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"
#include "topology/families.hpp"

namespace hearsay::test::hub_tree_test {

namespace {

std::vector<std::string> methods_that_permit_a_tree() {
  std::vector<std::string> names;
  for (const MethodInfo& method : methods())
    if (method.permits_tree) names.push_back(method.name);
  REQUIRE(names.size() >= 12);
  return names;
}

/// A run on `kind` with quadratics that depend on a peer's id alone. `dyadic`: all of its numbers are sums of
/// few powers of two, so that no order of summation rounds.
Experiment<double> on(const std::string& kind, const std::string& method, PeerId peers,
                      const std::string& compressor = "none", HubData hub = HubData::its_own,
                      std::uint64_t seed = 1, std::uint64_t iterations = 12, double participation = 1.0) {
  RunSettings settings =
      settings_of(method, {.family = kind, .peers = peers, .participation = participation},
                  {.compressor = compressor, .iterations = iterations, .step_size = 0.25, .seed = seed});
  settings.topology.hub = hub;
  if (find_method(method).options.has(option::down_compressor))
    settings.algorithm.options.set(option::down_compressor, compressor);
  std::vector<PeerId> ids;
  for (PeerId id = hub == HubData::none ? 1 : 0; id < peers; ++id) ids.push_back(id);
  return prepare<double>(settings, quadratic_problem<double>(6, ids, Shared::nothing));
}

Vector<double> model_after(const Experiment<double>& experiment) {
  return simulate(experiment, Duration{0}).models.front();
}

}  // namespace

TEST_CASE("hub tree: without compression every step is that of the star, to rounding") {
  for (const std::string& method : methods_that_permit_a_tree())
    for (const HubData hub : {HubData::its_own, HubData::none})
      for (const std::string kind : {"hub-tree(1)", "hub-tree(2)", "hub-tree(4)", "hub-tree(9)"}) {
        CAPTURE(method);
        CAPTURE(kind);
        const Vector<double> star = model_after(on("star", method, 10, "none", hub));
        const Vector<double> tree = model_after(on(kind, method, 10, "none", hub));
        CHECK((star - tree).norm() <= 1e-14 * star.norm());
      }
}

TEST_CASE("hub tree: a tree whose groups have one worker each is the star, bit for bit") {
  for (const std::string& method : methods_that_permit_a_tree())
    CHECK(model_after(on("hub-tree(4)", method, 5)) == model_after(on("star", method, 5)));
}

TEST_CASE("hub tree: the expectation over what compressors and rounds draw is the step without them") {
  const std::string coarse = "dither(linf, levels=1)";
  for (const std::string& method : methods_that_permit_a_tree()) {
    const MethodInfo& info = find_method(method);
    const bool is_full = info.compressor == CompressorNeed::none;
    if (info.compressor != CompressorNeed::unbiased && !is_full) continue;
    CAPTURE(method);
    Vector<double> mean = Vector<double>::Zero(6);
    constexpr int draws = 4000;
    for (int seed = 1; seed <= draws; ++seed)
      mean += model_after(on("hub-tree(2)", method, 7, is_full ? "none" : coarse, HubData::its_own,
                             static_cast<std::uint64_t>(seed), 1, 0.4)) /
              draws;
    const Vector<double> exact = model_after(on("star", method, 7, "none", HubData::its_own, 1, 1));
    const Vector<double> start = on("star", method, 7).problem.initial;
    CHECK((mean - exact).norm() < 0.05 * (exact - start).norm());
  }
}

TEST_CASE(
    "hub tree: what each peer sends is known beforehand, and the hub's port carries a message a group") {
  for (const std::string& method : methods_that_permit_a_tree()) {
    CAPTURE(method);
    const auto experiment = on("hub-tree(3)", method, 11, "none");
    const RunOutcome<double> outcome = simulate(experiment, Duration{0});
    const std::uint64_t rounds = experiment.iterations;
    const std::uint64_t vector = 6 * sizeof(double);
    // What the hub says before it has heard anything: mcm's first message is encoded as the others.
    const std::uint64_t downs = method == "mcm" ? rounds : rounds - 1;
    const std::uint64_t vectors_down = method == "scaffold" ? 2 : 1;
    for (PeerId id = 0; id < 11; ++id) {
      CAPTURE(id);
      // 7 peers in groups 1, 2, 3, 1, 2, 3, 1
      const std::uint64_t below = id == 0 ? 3 : id == 1 ? 3 : id <= 3 ? 2 : 0;
      const std::uint64_t up = id == 0 ? 0 : 1;
      CHECK(outcome.peers[id].meters.messages_sent == rounds * (below + up));
      CHECK(outcome.peers[id].meters.bytes_sent ==
            rounds * (below + up) * header_bytes + vector * (vectors_down * downs * below + rounds * up));
    }
  }
}

TEST_CASE(
    "hub tree: copies of memories equal what heads published when they last answered, whoever sat out") {
  for (const double participation : {1.0, 0.4}) {
    Experiment<double> experiment =
        on("hub-tree(3)", "artemis", 11, "dither(linf, levels=3)", HubData::its_own, 1, 40, participation);
    experiment.settings.algorithm.options.set(option::memories, "pp1");
    CHECK(replicas_consistent(simulate(experiment, Duration{0}).peers) == true);
  }
}

TEST_CASE("hub tree: what a tree cannot do is refused with the remedy") {
  const auto refusal = [](const std::string& topology, const std::string& more) {
    return misuse_text([&] {
      experiment_from<double>("model.kind = \"quadratic(4)\"\nalgorithm.batch = \"full\"\ntopology = { " +
                              topology + " }\n" + more);
    });
  };
  const std::string fed_avg = "algorithm.kind = \"fed-avg\"\n";
  CHECK(refusal("kind = \"hub-tree(2)\", peers = 6", fed_avg).empty());
  CHECK(contains(refusal("kind = \"hub-tree(6)\", peers = 6", fed_avg),
                 "expected fewer groups than the 6 peers"));
  CHECK(contains(refusal("kind = \"path\", peers = 6", fed_avg), "a tree of two levels (\"hub-tree(2)\")"));
  CHECK(contains(refusal("kind = \"hub-tree(2)\", peers = 6", "algorithm.kind = \"lgc\"\n"),
                 "expected \"star\", or one of fed-avg"));
  CHECK(contains(refusal("kind = \"hub-tree(2)\", peers = 6, round_deadline = \"1 s\"", fed_avg),
                 "expected 0 s, or a star"));
  CHECK(contains(refusal("kind = \"hub-tree(2)\", peers = 6", fed_avg + "failure.policy = \"drop\"\n"),
                 "failure.policy = \"drop\": the heads"));
}

TEST_CASE("hub tree: a tree is two levels below peer 0, and nothing else") {
  CHECK(is_hub_tree(make_graph("hub-tree(3)", 12, 1)));
  CHECK(is_hub_tree(make_graph("star", 5, 1)));
  CHECK(is_hub_tree(make_graph("path", 3, 1)));
  CHECK_FALSE(is_hub_tree(make_graph("path", 4, 1)));
  CHECK_FALSE(is_hub_tree(make_graph("ring", 4, 1)));
}

}  // namespace hearsay::test::hub_tree_test
