#include "runtime/data/problem_builder.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <numeric>

#include "algorithms/objectives/model.hpp"
#include "runtime/data/npy.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::problem_builder_test {

using std::string;

namespace {

RunSettings small_run() {
  RunSettings settings;
  settings.data.source = "synthetic(samples=200, features=12, classes=4)";
  settings.topology.peers = 5;
  return settings;
}

string refusal(const RunSettings& settings) {
  return misuse_text([&] { build_problem<float>(settings); });
}

}  // namespace

TEST_CASE("problem: every model has one objective a peer, all samples, and a common start") {
  for (const auto& [kind, classes, dimension] : {std::tuple{"softmax", 4, 48},
                                                 {"logistic", 2, 12},
                                                 {"mlp(6)", 4, 12 * 6 + 6 + 6 * 4 + 4},
                                                 {"mlp(6, 5)", 4, 12 * 6 + 6 + 6 * 5 + 5 + 5 * 4 + 4},
                                                 {"least-squares", 2, 12}}) {
    RunSettings settings = small_run();
    settings.data.source = "synthetic(samples=200, features=12, classes=" + std::to_string(classes) + ")";
    settings.model.kind = kind;
    CAPTURE(settings.model.kind);
    const auto problem = build_problem<double>(settings);
    CHECK(problem.peer_count() == 5);
    CHECK(problem.dimension() == dimension);
    CHECK(problem.initial.size() == dimension);
    Index samples = 0;
    for (const auto& objective : problem.objectives) samples += objective->sample_count();
    CHECK(samples == 200);
    CHECK(std::isfinite(problem.loss(problem.initial)));
    CHECK(!problem.minimiser.has_value());
    if (string(kind) == "least-squares") {
      CHECK(!problem.accuracy);
    } else {
      CHECK(problem.accuracy(problem.initial) >= 0.0);
      CHECK(problem.accuracy(problem.initial) <= 1.0);
    }
    CHECK(problem.initial.isZero(0.0) == (string(kind).rfind("mlp", 0) != 0));
  }
}

TEST_CASE(
    "problem: the pooled objective of a zero softmax is log(classes), for every partition and peer count") {
  for (const char* partition : {"iid", "by-label", "dirichlet(0.05)"})
    for (const PeerId peers : {1u, 2u, 3u, 200u}) {
      RunSettings settings = small_run();
      settings.data.partition = partition;
      settings.topology.peers = peers;
      const auto problem = build_problem<float>(settings);
      CHECK(problem.loss(problem.initial) == doctest::Approx(std::log(4.0)).epsilon(1e-12));
    }
}

TEST_CASE("problem: quadratics need no data and know their minimiser") {
  for (const char* kind : {"quadratic(30)", "quadratic(30, dense)"}) {
    RunSettings settings = small_run();
    settings.data.source = "libsvm:/nowhere";
    settings.model.kind = kind;
    settings.model.l2 = 0.1;
    const auto problem = build_problem<double>(settings);
    CHECK(problem.dimension() == 30);
    REQUIRE(problem.minimiser.has_value());
    CHECK(problem.loss(*problem.minimiser) < problem.loss(problem.initial));
    CHECK(!problem.accuracy);
  }
}

TEST_CASE("problem: a saved model is a start, one of another size or with a NaN is refused") {
  const DataFolder folder;
  RunSettings settings = small_run();
  settings.model.init = (folder.path() / "x.npy").string();
  CHECK(refusal(settings) == "model.init = " + settings.model.init + ": there is no such file");
  const Vector<float> x = Vector<float>::LinSpaced(48, 0.0F, 1.0F);
  write_npy(settings.model.init, x);
  CHECK(build_problem<float>(settings).initial == x);
  CHECK(build_problem<double>(settings).initial == x.cast<double>());
  write_npy<float>(settings.model.init, x.head(47));
  CHECK(contains(refusal(settings), "47 numbers; the model has 48"));
  write_npy<float>(settings.model.init, Vector<float>::Constant(48, NAN));
  CHECK(contains(refusal(settings), "not finite"));
}

TEST_CASE("problem: accuracy is over the test data where there are any") {
  const DataFolder folder;
  RunSettings settings = small_run();
  settings.topology.peers = 2;
  settings.model.kind = "logistic";
  settings.data.source = "csv:" + folder.write("train.csv", "1,1\n2,1\n-1,0\n-2,0\n");
  const auto on_training = build_problem<double>(settings);
  CHECK(on_training.accuracy(Vector<double>::Ones(1)) == 1.0);
  CHECK_FALSE(on_training.judged.are_test);
  CHECK(on_training.judged.count == 4);
  settings.data.test = "csv:" + folder.write("test.csv", "1,0\n2,1\n3,0\n4,0\n");
  const auto on_test = build_problem<double>(settings);
  CHECK(on_test.accuracy(Vector<double>::Ones(1)) == 0.25);
  CHECK(on_test.judged.are_test);
  CHECK(on_test.judged.count == 4);
}

TEST_CASE("problem: what cannot be done, or not together, is refused with key and value") {
  const auto with = [](auto change) {
    RunSettings settings = small_run();
    change(settings);
    return refusal(settings);
  };
  for (const char* kind :
       {"", "soft-max", "softmax(3)", "mlp", "mlp()", "mlp(0)", "mlp(x)", "mlp(64, -1)", "quadratic",
        "quadratic(0)", "quadratic(3, sparse)", "quadratic(3, 4)", "quadratic(99999999999)",
        "quadratic(100000, dense)", "mlp(2147483647, 2147483647)"}) {
    CAPTURE(string(kind));
    CHECK(contains(with([&](RunSettings& s) { s.model.kind = kind; }), "model.kind = "));
  }
  CHECK(contains(with([](RunSettings& s) { s.model.kind = "logistic"; }), "4 classes"));
  CHECK(contains(with([](RunSettings& s) { s.model.l1 = -0.1; }), "model.l1 = -0.1"));
  CHECK(contains(with([](RunSettings& s) {
                   s.model.l1 = 0.1;
                   s.model.regularizer = "non-negative";
                 }),
                 "model.l1 = 0.1: model.regularizer = non-negative is set, too; expected one of them"));
  CHECK(contains(with([](RunSettings& s) { s.model.l2 = -1.0; }), "model.l2 = -1"));
  CHECK(contains(with([](RunSettings& s) { s.model.l2 = NAN; }), "model.l2"));
  CHECK(contains(with([](RunSettings& s) { s.topology.peers = 0; }), "topology.peers = 0"));
  CHECK(
      contains(with([](RunSettings& s) { s.topology.peers = 201; }), "200 samples cannot be shared by 201"));
  CHECK(contains(with([](RunSettings& s) {
                   s.model.kind = "least-squares";
                   s.data.partition = "dirichlet(1)";
                 }),
                 "data.partition"));
  const DataFolder folder;
  CHECK(
      contains(with([&](RunSettings& s) { s.data.source = "csv:" + folder.write("a.csv", "1,0.5\n2,1\n"); }),
               "the target 0.5; expected a class label, a whole number"));
}

TEST_CASE(
    "problem: a dimension with which coordinates could not be numbered is refused before it takes memory") {
  static_assert(largest_dimension == 2'000'000'000);
  for (const char* kind :
       {"quadratic(2000000001)", "quadratic(65536x32768)", "mlp(2000000001)", "mlp(40000, 60000)"}) {
    RunSettings settings = small_run();
    settings.model.kind = kind;
    CAPTURE(string(kind));
    CHECK(contains(refusal(settings), "model.kind = "));
    CHECK(contains(refusal(settings), "2000000000"));
  }
}

TEST_CASE("problem: a lenet takes images of three sizes, dense or sparse, and refuses all other data") {
  RunSettings settings = small_run();
  settings.model.kind = "lenet";
  CHECK(refusal(settings) ==
        "model.kind = lenet: the data have 12 features; expected images of 784 (1 x 28 x 28), "
        "1024 (1 x 32 x 32) or 3072 (3 x 32 x 32)");
  for (const auto& [features, dimension] : {std::pair{"784", 61706}, {"1024", 61706}, {"3072", 62006}}) {
    settings.data.source = "synthetic(samples=20, features=" + string(features) + ", classes=10)";
    const auto problem = build_problem<float>(settings);
    CHECK(problem.dimension() == dimension);
    CHECK(!problem.initial.isZero(0.0));
    CHECK(std::isfinite(problem.loss(problem.initial)));
  }
  settings.model.kind = "lenet(5)";
  CHECK(refusal(settings) == "model.kind = lenet(5): lenet takes no arguments");
}

TEST_CASE(
    "problem: of synthetic data that are not trained on, the first samples stand for all, in every "
    "partition") {
  RunSettings settings = small_run();
  for (const char* partition : {"iid", "by-label", "dirichlet(0.3)"}) {
    CAPTURE(partition);
    settings.data.partition = partition;
    const auto whole = build_problem<float>(settings);
    const auto looked_at = build_problem<float>(settings, {.most_drawn = 40});
    CHECK(looked_at.sample_count() == 200);
    CHECK(looked_at.dimension() == whole.dimension());
    // The losses of 40 samples, five times each.
    settings.data.source = "synthetic(samples=40, features=12, classes=4)";
    const Vector<float> x = Vector<float>::LinSpaced(whole.dimension(), -1.0f, 1.0f);
    CHECK(looked_at.loss(x) == doctest::Approx(build_problem<float>(settings).loss(x)).epsilon(1e-6));
    settings.data.source = small_run().data.source;
    const auto all = build_problem<float>(settings, {.most_drawn = 1000});
    CHECK(all.loss(x) == whole.loss(x));
    CHECK(all.data_digest == whole.data_digest);
  }
}

TEST_CASE("problem: quadratics beyond the machine's memory are refused before any is taken") {
  RunSettings settings = small_run();
  settings.model.kind = "quadratic(429496729)";
  settings.topology.peers = 10'000;  // 69 TB
  const string text = refusal(settings);
  CHECK(text.starts_with(
      "model.kind = quadratic(429496729): the objectives and models of 10000 peers need 68737 GB"));
  CHECK(text.ends_with("model.kind = \"size(429496729)\", which tells times and bytes without that memory"));
  settings.model.kind = "quadratic(400000000)";
  CHECK(contains(refusal(settings), "size(400000000)"));
}

TEST_CASE("problem: the same settings give the same bits") {
  const auto a = build_problem<float>(small_run());
  const auto b = build_problem<float>(small_run());
  const Vector<float> x = Vector<float>::LinSpaced(48, -1.0F, 1.0F);
  Vector<float> gradient_a(48), gradient_b(48);
  for (std::size_t i = 0; i < a.peer_count(); ++i) {
    std::vector<Index> samples(static_cast<std::size_t>(a.objectives[i]->sample_count()));
    std::iota(samples.begin(), samples.end(), Index{0});
    a.objectives[i]->gradient(x, samples, gradient_a);
    b.objectives[i]->gradient(x, samples, gradient_b);
    CHECK(gradient_a == gradient_b);
  }
}

}  // namespace hearsay::test::problem_builder_test
