#include "algorithms/objectives/sample_objective.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/objectives/cross_entropy.hpp"
#include "tests/support/models.hpp"
#include "tests/support/targets.hpp"

namespace hearsay::test::sample_objective_test {

namespace {

constexpr double l2 = 0.05;

template <class Scalar>
Vector<Scalar> gradient_of(const Objective<Scalar>& f, const Vector<Scalar>& x,
                           std::span<const Index> samples) {
  Vector<Scalar> gradient = Vector<Scalar>::Constant(x.size(), Scalar{1e6});
  f.gradient(x, samples, gradient);
  return gradient;
}

template <class Scalar>
bool same_bits(const Vector<Scalar>& a, const Vector<Scalar>& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(Scalar)) == 0;
}

}  // namespace

TEST_CASE("objectives: the gradient is the derivative of the loss, for every model, dense and sparse") {
  for (const auto& model : model_cases<double>())
    for (const bool sparse : {false, true}) {
      CAPTURE(model.name);
      CAPTURE(sparse);
      const auto samples = random_samples<double>(40, model.features(9), model.classes, sparse);
      const auto f = model.make({samples, {0, 1, 5, 8, 13, 14, 15, 30, 39}}, 4.0 / 40.0, l2);
      const Vector<double> x = lively_point(*f, 3);
      const auto probed = probed_coordinates(*f);
      const Vector<double> gradient = gradient_of(*f, x, indices(9))(probed);
      CHECK(relative_distance(gradient, finite_differences(*f, x, probed)) < 1e-8);
    }
}

TEST_CASE_TEMPLATE(
    "objectives: gradient and loss have the same bits on every instruction set, for every model", Scalar,
    float, double) {
  for (const auto& model : model_cases<Scalar>()) {
    CAPTURE(model.name);
    const auto samples = random_samples<Scalar>(40, model.features(9), model.classes, false);
    const auto f = model.make({samples, indices(40)}, 0.1, l2);
    const Vector<Scalar> x = lively_point(*f, 3);
    const Vector<Scalar> gradient = gradient_of(*f, x, indices(40));
    const double loss = f->loss(x);
    const int targets = on_every_target([&] {
      REQUIRE(same_bits(gradient_of(*f, x, indices(40)), gradient));
      REQUIRE(f->loss(x) == loss);
    });
    CHECK(targets >= 2);
  }
}

TEST_CASE_TEMPLATE("cross entropy: where in the block a sample lies does not change a bit", Scalar, float,
                   double) {
  constexpr Index classes = 37;
  RandomStream random(7, 0, 0, Purpose::data);
  DenseRows<Scalar> sample(1, classes);
  for (Index k = 0; k < classes; ++k) sample(0, k) = static_cast<Scalar>(random.normal());
  const double alone = cross_entropy(sample, std::span<const Scalar>(std::vector<Scalar>{5}));
  for (Index before = 1; before < 20; ++before) {
    // The other samples are classified correctly with certainty: exp(-2000) is 0, and their loss is 0.
    DenseRows<Scalar> outputs = DenseRows<Scalar>::Constant(before + 1, classes, -1000);
    outputs.col(0).setConstant(1000);
    outputs.row(before) = sample;
    std::vector<Scalar> targets(static_cast<std::size_t>(before) + 1, 0);
    targets.back() = 5;
    CHECK(cross_entropy(outputs, std::span<const Scalar>(targets)) == alone);
  }
}

TEST_CASE("objectives: the float gradient is the double gradient of the same data up to rounding") {
  const auto in_float = model_cases<float>();
  const auto in_double = model_cases<double>();
  for (std::size_t m = 0; m < in_float.size(); ++m)
    for (const bool sparse : {false, true}) {
      // A model of images has thousands of ReLUs for a sample. Of 40 samples one is so near a kink that a
      // finite difference spans it.
      const std::vector<Index> rows = indices(in_float[m].image_features ? 9 : 40);
      CAPTURE(in_float[m].name);
      CAPTURE(sparse);
      const std::uint32_t classes = in_float[m].classes;
      const Index features = in_float[m].features(9);
      const auto narrow =
          in_float[m].make({random_samples<float>(40, features, classes, sparse), rows}, 0.1, l2);
      const auto wide =
          in_double[m].make({random_samples<double>(40, features, classes, sparse), rows}, 0.1, l2);
      const Vector<float> x = lively_point(*narrow, 3);
      const Vector<double> x_wide = x.cast<double>();
      CHECK(relative_distance(gradient_of(*narrow, x, rows), gradient_of(*wide, x_wide, rows)) < 2e-6);
      const auto probed = probed_coordinates(*wide);
      const Vector<float> gradient = gradient_of(*narrow, x, rows)(probed);
      CHECK(relative_distance(gradient, finite_differences(*wide, x_wide, probed)) < 2e-6);
      CHECK(narrow->loss(x) == doctest::Approx(wide->loss(x_wide)).epsilon(1e-6));
    }
}

TEST_CASE_TEMPLATE("objectives: the mean of the single-sample gradients is the full gradient", Scalar, float,
                   double) {
  for (const auto& model : model_cases<Scalar>()) {
    CAPTURE(model.name);
    const auto f = model.make(
        {random_samples<Scalar>(30, model.features(8), model.classes, false), indices(30)}, 0.2, l2);
    const Vector<Scalar> x = lively_point(*f, 5);
    Vector<double> mean = Vector<double>::Zero(x.size());
    for (const Index s : indices(30))
      mean += gradient_of(*f, x, std::vector<Index>{s}).template cast<double>() / 30.0;
    CHECK(relative_distance(gradient_of(*f, x, indices(30)), mean) < (sizeof(Scalar) == 4 ? 2e-6 : 1e-13));
  }
}

TEST_CASE("objectives: the pooled objective and its gradient do not depend on the partition") {
  for (const auto& model : model_cases<double>()) {
    CAPTURE(model.name);
    const auto samples = random_samples<double>(50, model.features(8), model.classes, true);
    const auto whole = model.make({samples, indices(50)}, 1.0 / 50.0, l2);
    const Vector<double> x = lively_point(*whole, 5);
    // Four peers: one has no sample, and one has most samples.
    const std::vector<std::vector<Index>> shards = {{3, 4, 9}, {}, {0}, [] {
                                                      std::vector<Index> rest;
                                                      for (Index s = 0; s < 50; ++s)
                                                        if (s != 3 && s != 4 && s != 9 && s != 0)
                                                          rest.push_back(s);
                                                      return rest;
                                                    }()};
    double loss = 0.0;
    Vector<double> gradient = Vector<double>::Zero(x.size());
    for (const auto& rows : shards) {
      const auto f = model.make({samples, rows}, 4.0 / 50.0, l2);
      loss += f->loss(x) / 4.0;
      gradient += gradient_of(*f, x, indices(f->sample_count())) / 4.0;
    }
    CHECK(loss == doctest::Approx(whole->loss(x)).epsilon(1e-13));
    CHECK(relative_distance(gradient, gradient_of(*whole, x, indices(50))) < 1e-13);
  }
}

TEST_CASE_TEMPLATE("objectives: an empty shard leaves the regularizer", Scalar, float, double) {
  for (const auto& model : model_cases<Scalar>()) {
    CAPTURE(model.name);
    const auto f =
        model.make({random_samples<Scalar>(10, model.features(4), model.classes, false), {}}, 0.3, 0.5);
    const Vector<Scalar> x = lively_point(*f, 5);
    CHECK(f->sample_count() == 0);
    CHECK(f->loss(x) == doctest::Approx(0.25 * x.template cast<double>().squaredNorm()));
    CHECK(same_bits<Scalar>(gradient_of(*f, x, {}), Scalar{0.5} * x));
  }
}

TEST_CASE_TEMPLATE("objectives: dense and sparse rows of the same data mean the same", Scalar, float,
                   double) {
  for (const auto& model : model_cases<Scalar>()) {
    CAPTURE(model.name);
    const auto dense = model.make(
        {random_samples<Scalar>(60, model.features(11), model.classes, false), indices(60)}, 0.1, l2);
    const auto sparse = model.make(
        {random_samples<Scalar>(60, model.features(11), model.classes, true), indices(60)}, 0.1, l2);
    const Vector<Scalar> x = lively_point(*dense, 5);
    const double tolerance = sizeof(Scalar) == 4 ? 2e-6 : 1e-13;
    CHECK(dense->loss(x) == doctest::Approx(sparse->loss(x)).epsilon(tolerance));
    CHECK(relative_distance(gradient_of(*sparse, x, indices(60)),
                            Vector<double>(gradient_of(*dense, x, indices(60)).template cast<double>())) <
          tolerance);
    if (model.classes > 0) CHECK(dense->accuracy(x) == sparse->accuracy(x));
  }
}

TEST_CASE_TEMPLATE("objectives: where the samples lie in memory does not change a bit", Scalar, float,
                   double) {
  // The same 37 samples: at the front of a table, behind one row, behind another model's rows out of order.
  for (const auto& model : model_cases<Scalar>()) {
    CAPTURE(model.name);
    const auto front = random_samples<Scalar>(37, model.features(13), model.classes, false);
    const auto& table = std::get<DenseRows<Scalar>>(front->features);
    for (const Index offset : {1, 2, 3, 5}) {
      DenseRows<Scalar> moved = DenseRows<Scalar>::Ones(37 + offset, table.cols());
      moved.bottomRows(37) = table;
      std::vector<Scalar> targets(static_cast<std::size_t>(offset), Scalar{0});
      targets.insert(targets.end(), front->targets.begin(), front->targets.end());
      const auto behind = std::make_shared<const Samples<Scalar>>(
          Samples<Scalar>{std::move(moved), std::move(targets), model.classes});
      std::vector<Index> rows = indices(37);
      for (Index& row : rows) row += offset;
      const auto f = model.make({front, indices(37)}, 0.1, l2);
      const auto g = model.make({behind, rows}, 0.1, l2);
      const Vector<Scalar> x = lively_point(*f, 5);
      CHECK(same_bits(gradient_of(*f, x, indices(37)), gradient_of(*g, x, indices(37))));
      CHECK(f->loss(x) == g->loss(x));
    }
    // The rows are once a gathered minibatch, and once consecutive in the table.
    DenseRows<Scalar> scattered(74, table.cols());
    std::vector<Scalar> targets;
    std::vector<Index> even;
    for (Index s = 0; s < 74; ++s) {
      scattered.row(s) = table.row(s / 2);
      targets.push_back(front->targets[static_cast<std::size_t>(s / 2)]);
      if (s % 2 == 0) even.push_back(s);
    }
    const auto apart = std::make_shared<const Samples<Scalar>>(
        Samples<Scalar>{std::move(scattered), std::move(targets), model.classes});
    const auto f = model.make({front, indices(37)}, 0.1, l2);
    const auto g = model.make({apart, even}, 0.1, l2);
    const Vector<Scalar> x = lively_point(*f, 5);
    CHECK(same_bits(gradient_of(*f, x, indices(37)), gradient_of(*g, x, indices(37))));
  }
}

TEST_CASE("objectives: a shard longer than a block of scratch is the sum of its samples") {
  for (const auto& model : model_cases<double>())
    for (const bool sparse : {false, true}) {
      CAPTURE(model.name);
      const Index count = model.image_features ? 700 : 2100;  // a block has 4 MiB at most, and 1024 rows
      const auto samples = random_samples<double>(count, model.features(5), model.classes, sparse);
      const auto f = model.make({samples, indices(count)}, 1.0 / 2100.0, 0.0);
      const Vector<double> x = lively_point(*f, 5);
      double loss = 0.0;
      Vector<double> gradient = Vector<double>::Zero(x.size());
      for (Index begin = 0; begin < count; begin += 100) {
        std::vector<Index> rows = indices(100);
        for (Index& row : rows) row += begin;
        const auto part = model.make({samples, rows}, 1.0 / 2100.0, 0.0);
        loss += part->loss(x);
        gradient += gradient_of(*part, x, indices(100));
      }
      CHECK(f->loss(x) == doctest::Approx(loss).epsilon(1e-12));
      CHECK(relative_distance(gradient_of(*f, x, indices(count)), gradient) < 1e-12);
    }
}

TEST_CASE_TEMPLATE("objectives: the segments tile the parameter vector", Scalar, float, double) {
  for (const auto& model : model_cases<Scalar>()) {
    CAPTURE(model.name);
    const auto f =
        model.make({random_samples<Scalar>(10, model.features(4), model.classes, false), {}}, 0.3, 0.5);
    Index end = 0;
    for (const Segment& segment : f->segments()) {
      CHECK(segment.begin == end);
      end = segment.end();
    }
    CHECK(end == f->dimension());
  }
}

TEST_CASE("objectives: huge margins cost what they should, and their gradient is finite") {
  const auto single = [](std::uint32_t classes, double target) {
    return std::make_shared<const Samples<double>>(
        Samples<double>{DenseRows<double>::Ones(1, 1), {target}, classes});
  };
  for (const double size : {40.0, 800.0, 1e6, 1e150}) {
    CAPTURE(size);
    const Vector<double> x = Vector<double>::Constant(1, size);
    const Logistic<double> right({single(2, 1.0), {0}}, 1.0, 0.0);
    const Logistic<double> wrong({single(2, 0.0), {0}}, 1.0, 0.0);
    CHECK(right.loss(x) == doctest::Approx(std::exp(-size)));
    CHECK(wrong.loss(x) == doctest::Approx(size));
    CHECK(gradient_of(right, x, indices(1))[0] == doctest::Approx(-std::exp(-size)));
    CHECK(gradient_of(wrong, x, indices(1))[0] == doctest::Approx(1.0));

    Vector<double> matrix(3);
    matrix << size, 0.0, -size;
    const Softmax<double> last({single(3, 2.0), {0}}, 1.0, 0.0);
    CHECK(last.loss(matrix) == doctest::Approx(2.0 * size));
    CHECK(gradient_of(last, matrix, indices(1)).isApprox(Vector<double>{{1.0, 0.0, -1.0}}));
  }
}

TEST_CASE("cross entropy: probabilities whose products would be subnormal are 0, and no others") {
  DenseRows<float> outputs(1, 4);
  outputs << 0.0F, -60.0F, -75.0F, -100.0F;
  const std::vector<float> targets = {0.0F};
  differentiate_cross_entropy<float>(outputs, targets);
  CHECK(outputs(0, 0) == 0.0F);
  CHECK(outputs(0, 1) == doctest::Approx(std::exp(-60.0)).epsilon(1e-5).scale(0));
  CHECK(outputs(0, 2) == 0.0F);  // 2.7e-33
  CHECK(outputs(0, 3) == 0.0F);  // 3.8e-44, which is subnormal
}

TEST_CASE_TEMPLATE("objectives: a model that is not a number has no finite loss", Scalar, float, double) {
  for (const auto& model : model_cases<Scalar>()) {
    CAPTURE(model.name);
    const auto f = model.make(
        {random_samples<Scalar>(20, model.features(8), model.classes, false), indices(20)}, 0.2, 0.0);
    Vector<Scalar> x = lively_point(*f, 5);
    x[x.size() - 1] = std::numeric_limits<Scalar>::quiet_NaN();
    CHECK(!std::isfinite(f->loss(x)));
    CHECK(!gradient_of(*f, x, indices(20)).allFinite());
  }
}

TEST_CASE("softmax: with two classes it is logistic regression on the difference of the rows") {
  const auto samples = random_samples<double>(40, 6, 2, true);
  const Softmax<double> softmax({samples, indices(40)}, 0.1, 0.0);
  const Logistic<double> logistic({samples, indices(40)}, 0.1, 0.0);
  const Vector<double> x = random_point<double>(12, 4);
  const Vector<double> difference = x.tail(6) - x.head(6);
  CHECK(softmax.loss(x) == doctest::Approx(logistic.loss(difference)).epsilon(1e-13));
  const Vector<double> gradient = gradient_of(softmax, x, indices(40));
  const Vector<double> binary = gradient_of(logistic, difference, indices(40));
  CHECK(gradient.tail(6).isApprox(binary, 1e-12));
  CHECK(gradient.head(6).isApprox(-binary, 1e-12));
  CHECK(softmax.accuracy(x) == logistic.accuracy(difference));
}

TEST_CASE("softmax: a zero model costs log(classes) and calls everything class 0") {
  const auto samples = random_samples<double>(50, 6, 5, false);
  const Softmax<double> f({samples, indices(50)}, 1.0 / 50.0, 1.0);
  const Vector<double> zero = Vector<double>::Zero(30);
  CHECK(f.loss(zero) == doctest::Approx(std::log(5.0)).epsilon(1e-14));
  const auto zeros = std::count(samples->targets.begin(), samples->targets.end(), 0.0);
  CHECK(f.accuracy(zero) == static_cast<double>(zeros) / 50.0);
}

TEST_CASE("mlp: the random start has the stated variances, zero biases, and depends on the seed alone") {
  const auto samples = random_samples<double>(4, 200, 50, false);
  const Mlp<double> f({samples, indices(4)}, {150}, 1.0, 0.0);
  const Vector<double> x = f.initial(11);
  const SegmentTable table = f.segments();
  REQUIRE(table.size() == 4);
  const auto segment = [&](std::size_t s) { return x.segment(table[s].begin, table[s].size()); };
  const auto mean_square = [&](std::size_t s) {
    return segment(s).squaredNorm() / static_cast<double>(segment(s).size());
  };
  // The mean square of N normals has standard deviation sqrt(2/N) of its value: five of them.
  CHECK(mean_square(0) == doctest::Approx(2.0 / 200.0).epsilon(5.0 * std::sqrt(2.0 / 30000.0)));
  CHECK(mean_square(2) == doctest::Approx(2.0 / 200.0).epsilon(5.0 * std::sqrt(2.0 / 7500.0)));
  CHECK(segment(1).isZero(0.0));
  CHECK(segment(3).isZero(0.0));
  const Mlp<double> other_shard({samples, {2}}, {150}, 1.0, 0.1);
  CHECK(same_bits(x, other_shard.initial(11)));
  CHECK(!same_bits(x, f.initial(12)));
}

TEST_CASE("objectives: gradients of samples, their sum and their losses are those of the objective") {
  for (const auto& model : model_cases<double>())
    for (const bool sparse : {false, true}) {
      CAPTURE(model.name);
      CAPTURE(sparse);
      const auto samples = random_samples<double>(40, model.features(9), model.classes, sparse);
      const auto f = model.make({samples, {0, 1, 5, 8, 13, 14, 15, 30, 39}}, 1.0, 0.0);
      const Vector<double> x = lively_point(*f, 3);
      DenseRows<double> gradients;
      const std::vector<Index> all = indices(9);
      f->sample_gradients(x, all, gradients);
      for (Index s = 0; s < 9; ++s) {
        const Vector<double> alone = gradient_of(*f, x, std::vector<Index>{s}) / 9.0;
        CHECK(relative_distance(Vector<double>(gradients.row(s)), alone) < 1e-12);
      }
      CHECK(relative_distance(f->summed_gradient(x), Vector<double>(gradients.colwise().sum())) < 1e-12);
      double losses = 0.0;
      for (const double loss : f->sample_losses(x, all)) losses += loss;
      CHECK(losses == doctest::Approx(f->loss(x)));

      const std::vector<Index> some = {7, 2, 2, 0};
      const DenseRows<double> directions = gradients.middleRows(3, 2);
      DenseRows<double> products;
      Vector<double> squares;
      f->gradient_products(x, some, directions, products, squares);
      const double scale = gradients.squaredNorm();
      for (Index k = 0; k < 4; ++k) {
        const auto row = gradients.row(some[static_cast<std::size_t>(k)]);
        CHECK(std::abs(squares[k] - row.squaredNorm()) < 1e-12 * scale);
        for (Index c = 0; c < 2; ++c)
          CHECK(std::abs(products(k, c) - row.dot(directions.row(c))) < 1e-12 * scale);
      }
    }
}

}  // namespace hearsay::test::sample_objective_test
