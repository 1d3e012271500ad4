#include <doctest/doctest.h>

#include <cmath>

#include "runtime/observer/observer.hpp"
#include "tests/methods/optimum.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"
#include "topology/families.hpp"

namespace hearsay::test::d2_test {

namespace {

const World lazy_torus{"torus(4x4)", 16, "lazy"};
const World torus{"torus(4x4)", 16};

Recording<double> run(const std::string& method, const World& world, const Plan& plan) {
  return record_run(quadratics_in<double>(world, method, plan));
}

std::string refusal(const World& world, bool allow_unsound) {
  RunSettings settings = settings_of("d2", world, {});
  settings.algorithm.allow_unsound = allow_unsound;
  return misuse_text(
      [&] { prepare<double>(settings, quadratic_problem<double>(3, first_peers(world.peers), {})); });
}

}  // namespace

TEST_CASE("d2: all peers reach the exact optimum of different quadratics with a constant step, d-psgd none") {
  for (const World& world : std::vector<World>{{"ring", 8, "lazy"}, {"star", 6}, {"path", 5}, lazy_torus}) {
    CAPTURE(world.name());
    const Vector<double> optimum = quadratic_optimum(19, world.peers);
    const Plan plan{.iterations = 1500, .step_size = 0.3};
    CHECK(largest_distance(run("d2", world, plan).back(), optimum) < 1e-12);
    CHECK(largest_distance(run("d-psgd", world, plan).back(), optimum) > 1e-2);
  }
}

TEST_CASE("d2: the optimum is exact in float, too") {
  const auto experiment =
      quadratics_in<float>({"ring", 8, "lazy"}, "d2", {.iterations = 1000, .step_size = 0.3});
  CHECK(largest_distance(record_run(experiment).back(), quadratic_optimum(19, 8)) < 1e-5);
}

TEST_CASE("d2: on a 4 x 4 torus with weights 1/5 it diverges, and the lazy matrix mends it") {
  // The mode of lambda_n = -0.6 grows by 0.6 + sqrt(0.96) a round, 1.58 to the power of 60 or so.
  const Vector<double> optimum = quadratic_optimum(19, 16);
  const Plan plan{.iterations = 60};
  CHECK(largest_distance(run("d2", torus, plan).back(), optimum) > 1e8);
  CHECK(largest_distance(run("d2", lazy_torus, {.iterations = 400}).back(), optimum) < 1e-11);
}

TEST_CASE("d2: without slopes every mode l of W follows z^2 - 2 l z + l = 0") {
  // Mode k of a ring has l = 1/3 + 2/3 cos(2 pi k / n). The alternating mode stands on the border, l = -1/3.
  const PeerId peers = 8;
  for (const int k : {1, 3, 4}) {
    CAPTURE(k);
    const double pi = std::acos(-1.0);
    const double eigenvalue = 1.0 / 3 + 2.0 / 3 * std::cos(2 * pi * k / peers);
    Models<double> start;
    for (PeerId id = 0; id < peers; ++id)
      start.push_back(Vector<double>::Constant(2, std::cos(2 * pi * k * id / peers)));
    const auto experiment = flat_in<double>({"ring", peers}, "d2", {.iterations = 30}, 2);
    BareCluster<double> cluster(experiment, 1);
    cluster.plant(start);
    cluster.run();
    double before = 1.0;
    double now = eigenvalue;  // the first step is plain gossip
    for (std::size_t t = 1; t <= 30; ++t) {
      CHECK(cluster.recording()[t][0].model[0] == doctest::Approx(now).epsilon(1e-12).scale(1.0));
      before = std::exchange(now, eigenvalue * (2 * now - before));
    }
  }
}

TEST_CASE("d2: the first iteration is dspg's without a proximal map: adapt, then combine") {
  const Plan once{.iterations = 1};
  const auto here = run("d2", {"path", 5}, once).back();
  const auto there = run("dspg", {"path", 5}, once).back();
  for (PeerId id = 0; id < 5; ++id) CHECK((here[id].model - there[id].model).cwiseAbs().maxCoeff() < 1e-15);
}

TEST_CASE("d2: every step carries its own step size, so a warm-up does not move the limit") {
  // If eta_t g_{t-1} were subtracted instead, the models would stop elsewhere.
  const World world{"ring", 8, "lazy"};
  RunSettings settings = settings_of("d2", world, {.iterations = 1500, .step_size = 0.3});
  settings.algorithm.warm_up = 40;
  const auto experiment =
      prepare<double>(settings, quadratic_problem<double>(19, first_peers(8), Shared::nothing));
  CHECK(largest_distance(record_run(experiment).back(), quadratic_optimum(19, 8)) < 1e-12);
}

TEST_CASE("d2: a mixing matrix with an eigenvalue of -1/3 or less is refused, with the remedy") {
  CHECK(refusal(torus, false) ==
        "topology.weights = metropolis: the smallest eigenvalue of this mixing matrix is -0.6, and d2 needs "
        "one above -0.333; expected \"lazy\", or link weights half as large (algorithm.allow_unsound = true "
        "tries it all the same)");
  CHECK(refusal(torus, true) == "");
  CHECK(refusal(lazy_torus, false) == "");
  CHECK(refusal({"ring", 8}, false).find("is -0.333, and d2") != std::string::npos);  // on the border
  CHECK(refusal({"ring", 9}, false) == "");
  CHECK(refusal({"complete", 4}, false) == "");
  CHECK(refusal({"ring", 1}, false) == "");
}

TEST_CASE("d2: it needs one matrix for all rounds, whatever is allowed") {
  CHECK(refusal({"exponential", 8, "metropolis", "one-peer-exponential"}, true)
            .starts_with(
                "topology.schedule = one-peer-exponential: d2 needs the same mixing in every round; expected "
                "static, or one of d-psgd, "));
}

}  // namespace hearsay::test::d2_test
