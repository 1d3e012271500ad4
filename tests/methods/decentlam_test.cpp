#include <doctest/doctest.h>

#include "tests/methods/optimum.hpp"
#include "tests/support/misuse_text.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

const World ring{"ring", 8};

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
  for (const World& world : std::vector<World>{ring, {"star", 6}, {"star", 6, "best-constant"}})
    CHECK(largest_difference(run("decentlam", world, {.options = {.momentum = 0.0}}).back(),
                             run("dspg", world, {}).back()) < 1e-14);
}

TEST_CASE("decentlam: momentum does not move the limit, that of qg-momentum it does") {
  const auto plain = run("dspg", ring, {.iterations = 3000, .step_size = 0.1}).back();
  for (const double momentum : {0.5, 0.9}) {
    CAPTURE(momentum);
    const Plan plan{.iterations = 3000, .step_size = 0.1, .options = {.momentum = momentum}};
    CHECK(largest_difference(run("decentlam", ring, plan).back(), plain) < 1e-12);
    CHECK(largest_difference(run("qg-momentum", ring, plan).back(), plain) > 1e-2);
  }
}

TEST_CASE("decentlam: the mean momentum is the heavy ball of the mean gradients, whatever the graph") {
  for (const World& world : std::vector<World>{ring, {"star", 6}, {"torus(4x4)", 16}}) {
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

TEST_CASE("decentlam: it needs one symmetric matrix for all rounds") {
  RunSettings settings = settings_of("decentlam", {"hypercube", 8, "metropolis", "hypercube-matchings"}, {});
  CHECK(misuse_text([&] { prepare<double>(settings, flat_problem<double>(3, 8)); })
            .starts_with(
                "topology.schedule = hypercube-matchings: decentlam needs the same mixing in every round; "
                "expected static, or one of d-psgd, "));
}
