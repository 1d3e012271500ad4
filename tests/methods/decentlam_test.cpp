#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/methods/optimum.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::decentlam_test {

namespace {

const World ring{"ring", 8, "lazy"};

Recording<double> run(const std::string& method, const World& world, const Plan& plan) {
  return record_run(quadratics_in<double>(world, method, plan));
}

double largest_difference(const std::vector<PeerRecord<double>>& a,
                          const std::vector<PeerRecord<double>>& b) {
  double largest = 0.0;
  for (std::size_t id = 0; id < a.size(); ++id)
    largest = std::max(largest, (a[id].model - b[id].model).cwiseAbs().maxCoeff());
  return largest;
}

}  // namespace

TEST_CASE("decentlam: without momentum it is dspg's gossip after the gradient step") {
  for (const World& world : std::vector<World>{ring, {"star", 6, "lazy"}, {"complete", 5}})
    CHECK(largest_difference(run("decentlam", world, {.options = {{option::momentum, 0.0}}}).back(),
                             run("dspg", world, {}).back()) < 1e-14);
}

TEST_CASE("decentlam: momentum does not move the limit, that of qg-momentum it does") {
  const auto plain = run("dspg", ring, {.iterations = 3000, .step_size = 0.1}).back();
  for (const double momentum : {0.5, 0.9}) {
    CAPTURE(momentum);
    const Plan plan{.iterations = 3000, .step_size = 0.1, .options = {{option::momentum, momentum}}};
    CHECK(largest_difference(run("decentlam", ring, plan).back(), plain) < 1e-12);
    CHECK(largest_difference(run("qg-momentum", ring, plan).back(), plain) > 1e-2);
  }
}

TEST_CASE("decentlam: the mean momentum is the heavy ball of the mean gradients, whatever the graph") {
  for (const World& world : std::vector<World>{ring, {"star", 6, "lazy"}, {"torus(4x4)", 16, "lazy"}}) {
    CAPTURE(world.name());
    const auto experiment = quadratics_in<double>(world, "decentlam", {.iterations = 40});
    const auto recording = record_run(experiment);
    Vector<double> expected = Vector<double>::Zero(19);
    const Index sample = 0;
    for (std::size_t t = 1; t < recording.size(); ++t) {
      expected *= 0.9;
      Vector<double> mean = Vector<double>::Zero(19);
      for (PeerId id = 0; id < world.peers; ++id) {
        Vector<double> gradient(19);
        experiment.problem.objectives[id]->gradient(recording[t - 1][id].model, {&sample, 1}, gradient);
        expected += gradient / world.peers;
        mean += recording[t][id].states.at("momentum") / world.peers;
      }
      CHECK((mean - expected).cwiseAbs().maxCoeff() < 1e-13);
    }
  }
}

TEST_CASE(
    "decentlam: an indefinite W is refused, since momentum diverges on it where it settles on a lazy one") {
  const auto refusal = [](const World& world) {
    RunSettings settings = settings_of("decentlam", world, {});
    settings.algorithm.allow_unsound = false;
    return misuse_text([&] { prepare<double>(settings, flat_problem<double>(3, world.peers)); });
  };
  CHECK(
      refusal({"ring", 8, "metropolis"}) ==
      "topology.weights = metropolis: the smallest eigenvalue of this mixing matrix is -0.333, and decentlam "
      "needs one of at least 0; expected \"lazy\", or link weights half as large "
      "(algorithm.allow_unsound = true tries it all the same)");
  for (const World& world : std::vector<World>{{"ring", 8, "lazy"}, {"ring", 8, "auto"}, {"complete", 5}})
    CHECK(refusal(world).empty());
  const auto largest = [](const World& world, double step_size) {
    const auto models = run("decentlam", world, {.iterations = 400, .step_size = step_size}).back();
    return largest_distance(models, Vector<double>::Zero(19));
  };
  CHECK(largest({"ring", 8, "metropolis"}, 0.8) > 1e3);
  CHECK(largest({"ring", 8, "lazy"}, 0.8) < 3.0);
}

TEST_CASE("decentlam: it needs one symmetric matrix for all rounds") {
  RunSettings settings = settings_of("decentlam", {"hypercube", 8, "metropolis", "hypercube-matchings"}, {});
  CHECK(misuse_text([&] { prepare<double>(settings, flat_problem<double>(3, 8)); })
            .starts_with(
                "topology.schedule = hypercube-matchings: decentlam needs the same mixing in every round; "
                "expected static, or one of d-psgd, "));
}

}  // namespace hearsay::test::decentlam_test
