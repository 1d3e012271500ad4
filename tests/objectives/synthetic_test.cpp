#include "algorithms/objectives/synthetic.hpp"

#include <doctest/doctest.h>

#include "tests/support/models.hpp"

namespace hearsay::test::synthetic_test {

TEST_CASE("synthetic: the seed decides the data, in both scalars alike, and the test part is another draw") {
  const SyntheticShape shape{400, 20, 7};
  const auto a = synthetic_classification<double>(shape, 5);
  const auto b = synthetic_classification<float>(shape, 5);
  const auto c = synthetic_classification<double>(shape, 6);
  const auto& rows = std::get<DenseRows<double>>(a.train.features);
  CHECK(rows.rows() == 400);
  CHECK(rows.cols() == 20);
  CHECK(a.train.class_count == 7);
  CHECK(a.test.count() == 50);
  CHECK(rows.cast<float>().isApprox(std::get<DenseRows<float>>(b.train.features), 1e-6F));
  for (std::size_t s = 0; s < 400; ++s) CHECK(static_cast<float>(a.train.targets[s]) == b.train.targets[s]);
  CHECK(rows != std::get<DenseRows<double>>(c.train.features));
  CHECK(rows.topRows(50) != std::get<DenseRows<double>>(a.test.features));
}

TEST_CASE("synthetic: one label in ten is noise") {
  const auto data = synthetic_classification<float>({20000, 1, 50}, 5);
  int noisy = 0;
  for (std::size_t s = 0; s < 20000; ++s) {
    CHECK(data.train.targets[s] >= 0.0F);
    CHECK(data.train.targets[s] < 50.0F);
    noisy += data.train.targets[s] != static_cast<float>(s % 50);
  }
  // About 2000 labels are replaced, and one in fifty of them falls on its own class: mean 1960, deviation 42.
  CHECK(noisy > 1960 - 5 * 42);
  CHECK(noisy < 1960 + 5 * 42);
}

TEST_CASE("synthetic: a linear model learns to classify the held-out part, up to the noisy labels") {
  const auto data = synthetic_classification<float>({2000, 60, 10}, 5);
  const auto shared = [](const Samples<float>& samples) {
    return std::make_shared<const Samples<float>>(samples);
  };
  const Softmax<float> train({shared(data.train), indices(2000)}, 1.0 / 2000.0, 0.0);
  const Softmax<float> test({shared(data.test), indices(250)}, 1.0 / 250.0, 0.0);
  Vector<float> x = Vector<float>::Zero(600);
  Vector<float> gradient(600);
  double previous = train.loss(x);
  for (int round = 0; round < 5; ++round) {
    for (int iteration = 0; iteration < 20; ++iteration) {
      train.gradient(x, indices(2000), gradient);
      x -= 0.1F * gradient;
    }
    CHECK(train.loss(x) < previous);
    previous = train.loss(x);
  }
  CHECK(test.accuracy(x) > 0.85);
  CHECK(train.accuracy(x) < 0.95);
}

}  // namespace hearsay::test::synthetic_test
