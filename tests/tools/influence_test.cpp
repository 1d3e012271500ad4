#include "tools/influence/influence.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/tools/influence_scene.hpp"
#include "tools/influence/ideal_influence.hpp"
#include "tools/influence/influence_record.hpp"
#include "tools/influence/row_list.hpp"

namespace hearsay::test::influence_test {

namespace {

const std::string four_peers =
    "run = { iterations = 60, evaluate_every = 2, scalar = \"double\", keep_models = \"every 2\" }\n"
    "data.source = \"synthetic(samples=80, features=7, classes=3)\"\n"
    "data.partition = \"by-label\"\n"
    "topology.peers = 4\n"
    "algorithm = { kind = \"d-psgd\", batch = \"full\", step_size = 0.002 }\n";

/// One peer that draws one sample an iteration.
const std::string one_by_one =
    "run = { iterations = 40, evaluate_every = 1, scalar = \"double\", keep_models = \"every 1\" }\n"
    "data.source = \"synthetic(samples=20, features=5, classes=3)\"\n"
    "topology = { kind = \"complete\", peers = 1 }\n"
    "algorithm = { kind = \"d-psgd\", batch = 1, step_size = 0.2 }\n";

double mean_of_values(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

TEST_CASE("influence: the weights of kept models add up to all steps, each half of those beside it") {
  const std::uint64_t kept[] = {0, 10, 30};
  const std::vector<double> weights = kept_model_weights(kept, StepSize(0.5, "constant", 0), 2.0, 100);
  REQUIRE(weights.size() == 3);
  CHECK(weights[0] == doctest::Approx(0.5 * 10 * 0.5 * 2 / 100));
  CHECK(weights[1] == doctest::Approx(0.5 * 30 * 0.5 * 2 / 100));
  CHECK(weights[2] == doctest::Approx(0.5 * 20 * 0.5 * 2 / 100));
}

TEST_CASE("influence: it is symmetric in the two samples, and that on itself is not negative") {
  for (const char* const model : {"softmax", "mlp(6)"}) {
    CAPTURE(model);
    const InfluenceScene scene(four_peers + "model.kind = \"" + model + "\"\n");
    const auto& shards = scene.shards();
    // The samples of peer 1 are the tests, and those of peers 0 and 1 in turn the training samples.
    const Shards<double> both = {shards[0], shards[1]};
    const std::vector<Index> rows = all_samples_of(*shards[1]);
    const std::vector<Index> others = all_samples_of(*shards[0]);
    InfluenceSum<double> of_all(both, *shards[1], rows, nullptr);
    const Shards<double> second_alone = {shards[1]};
    InfluenceSum<double> of_second(second_alone, *shards[0], others, nullptr);
    scene.add_to(of_all);
    scene.add_to(of_second);
    const auto first = static_cast<Index>(others.size());
    const auto second = static_cast<Index>(rows.size());
    const double scale = of_all.on_tests().cwiseAbs().maxCoeff();
    for (Index one = 0; one < first; ++one)
      for (Index other = 0; other < second; ++other)
        CHECK(std::abs(of_all.on_tests()(one, 1 + other) - of_second.on_tests()(other, 1 + one)) <
              1e-12 * scale);
    CHECK(of_all.on_itself().minCoeff() >= 0.0);
    for (Index s = 0; s < second; ++s)
      CHECK(of_all.on_itself()[first + s] == doctest::Approx(of_all.on_tests()(first + s, 1 + s)));
  }
}

TEST_CASE("influence: with full gradients all samples together account for what training took off the loss") {
  const InfluenceScene scene(four_peers);
  InfluenceSum<double> sum(scene.shards(), scene.judge(), scene.rows({0, 1}), nullptr);
  scene.add_to(sum);
  const double fell = mean_sample_loss(scene.judge(), scene.points().front().judged) -
                      mean_sample_loss(scene.judge(), scene.points().back().judged);
  CHECK(fell > 0.1);
  CHECK(sum.on_tests().col(0).sum() == doctest::Approx(fell).epsilon(0.05));
}

TEST_CASE(
    "influence: a peer's is the sum over its shard, and that of peers on peers fits that on the tests") {
  const InfluenceScene scene(four_peers);
  const auto& shards = scene.shards();
  // Peer 2's data are the tests.
  InfluenceSum<double> sum(shards, *shards[2], scene.rows({}), nullptr);
  scene.add_to(sum);
  const DenseRows<double> of_peers = sum.of_peers();
  for (Index peer = 0; peer < 4; ++peer) {
    double of_shard = 0.0;
    for (std::size_t s = 0; s < sum.samples().size(); ++s)
      if (sum.samples()[s].peer == static_cast<PeerId>(peer))
        of_shard += sum.on_tests()(static_cast<Index>(s), 0);
    CHECK(of_peers(peer, 0) == doctest::Approx(of_shard));
    CHECK(sum.between_peers()(peer, 2) == doctest::Approx(of_shard));
  }
}

TEST_CASE("influence: at peers' own models that agree it is that at their mean") {
  const InfluenceScene at_mean(four_peers);
  InfluenceScene at_peers(four_peers);
  at_peers.copy_to_each_peer(4);
  InfluenceSum<double> one(at_mean.shards(), at_mean.judge(), at_mean.rows({1}), nullptr);
  InfluenceSum<double> other(at_peers.shards(), at_peers.judge(), at_peers.rows({1}), nullptr);
  at_mean.add_to(one);
  at_peers.add_to(other);
  CHECK(one.on_tests() == other.on_tests());
  CHECK((one.between_peers() - other.between_peers()).norm() < 1e-12);
}

TEST_CASE("influence: the ideal ones of all samples add up to what training took off the loss, exactly") {
  const InfluenceScene scene(one_by_one);
  const auto& points = scene.points();
  REQUIRE(points.size() == 41);
  const SampleObjective<double>& judge = scene.judge();
  REQUIRE(judge.sample_count() > 1);
  const SampleObjective<double>& trained = *scene.shards().front();
  const std::vector<Index> rows = {0, 1};
  const auto count = static_cast<std::uint64_t>(trained.sample_count());
  const std::vector<Index> drawn = drawn_samples(scene.settings(), count, 40);
  DenseRows<double> ideal = DenseRows<double>::Zero(trained.sample_count(), 3);
  DenseRows<double> gradient;
  for (std::size_t t = 1; t <= 40; ++t) {
    const Vector<double>& before = points[t - 1].judged;
    const Vector<double>& after = points[t].judged;
    // The step is that of the sample which is said to have been drawn.
    trained.sample_gradients(before, std::vector<Index>{drawn[t - 1]}, gradient);
    CHECK((before - 0.2 * gradient.row(0).transpose() - after).norm() < 1e-14);
    add_ideal(drawn[t - 1], judge.sample_losses(before, all_samples_of(judge)),
              judge.sample_losses(after, all_samples_of(judge)), rows, ideal);
  }
  const std::vector<double> first = judge.sample_losses(points.front().judged, all_samples_of(judge));
  const std::vector<double> last = judge.sample_losses(points.back().judged, all_samples_of(judge));
  CHECK(ideal.col(0).sum() == doctest::Approx(mean_of_values(first) - mean_of_values(last)).epsilon(1e-13));
  CHECK(ideal.col(1).sum() == doctest::Approx(first[0] - last[0]).epsilon(1e-13));
  CHECK(ideal.col(2).sum() == doctest::Approx(first[1] - last[1]).epsilon(1e-13));
  CHECK_NOTHROW(require_ideal(scene.settings()));
  CHECK(contains(misuse_text([&] { require_ideal(InfluenceScene(four_peers).settings()); }),
                 "it needs a run of one peer"));
}

TEST_CASE(
    "influence: a projection keeps products in the mean over its seeds, and their variance is bounded") {
  constexpr Index dimension = 300;
  constexpr Index size = 64;
  constexpr int seeds = 2000;
  RandomStream random(3, 0, 0, Purpose::data);
  Vector<double> g(dimension);
  Vector<double> h(dimension);
  for (Index j = 0; j < dimension; ++j) {
    g[j] = random.normal();
    h[j] = 0.5 * g[j] + random.normal();
  }
  double sum = 0.0;
  double squares = 0.0;
  for (int seed = 0; seed < seeds; ++seed) {
    const Projection projection(dimension, size, static_cast<std::uint64_t>(seed));
    const double error = projection.of<double>(view(g)).dot(projection.of<double>(view(h))) - g.dot(h);
    sum += error;
    squares += error * error;
  }
  const double variance = squares / seeds;
  CHECK(std::abs(sum / seeds) < 4.0 * std::sqrt(variance / seeds));
  const double bound = (g.squaredNorm() * h.squaredNorm() + g.dot(h) * g.dot(h)) / size;
  CHECK(variance < 1.15 * bound);
  CHECK(variance > 0.7 * bound);
}

TEST_CASE("influence: projected gradients give the same influences, but for the projection's error") {
  const InfluenceScene scene(four_peers + "model.kind = \"mlp(6)\"\n");
  const std::vector<Index>& rows = scene.rows({0, 1, 2});
  InfluenceSum<double> exact(scene.shards(), scene.judge(), rows, nullptr);
  scene.add_to(exact);
  DenseRows<double> mean = DenseRows<double>::Zero(exact.on_tests().rows(), exact.on_tests().cols());
  constexpr int seeds = 60;
  for (int seed = 0; seed < seeds; ++seed) {
    const Projection projection(scene.judge().dimension(), 32, static_cast<std::uint64_t>(seed));
    InfluenceSum<double> projected(scene.shards(), scene.judge(), rows, &projection);
    scene.add_to(projected);
    CHECK((projected.on_itself() - exact.on_itself()).norm() < 1e-12);
    mean += projected.on_tests() / seeds;
  }
  CHECK((mean - exact.on_tests()).norm() < 0.1 * exact.on_tests().norm());
}

TEST_CASE("influence: the extremes of values, and lists of rows") {
  const Vector<double> values = (Vector<double>(5) << 3.0, -1.0, 7.0, -1.0, 7.0).finished();
  CHECK(extremes(values, 3, true) == std::vector<Index>{2, 4, 0});
  CHECK(extremes(values, 2, false) == std::vector<Index>{1, 3});
  CHECK(extremes(values, 9, true).size() == 5);
  CHECK(row_list("--rows", "4, 0-2", 5) == std::vector<Index>{4, 0, 1, 2});
  for (const char* const wrong : {"", "5", "2-1", "a", "1,", "-1", "0-5"}) {
    CAPTURE(wrong);
    CHECK(contains(misuse_text([&] { row_list("--rows", wrong, 5); }), "expected numbers from 0 to 4"));
  }
}

}  // namespace hearsay::test::influence_test
