#include "algorithms/objectives/quadratic.hpp"

#include <doctest/doctest.h>

#include "algorithms/objectives/registry.hpp"
#include "tests/support/models.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::quadratic_test {

namespace {

template <class Scalar>
std::vector<Problem<Scalar>> quadratic_problems(Index dimension, std::size_t peers, double l2) {
  std::vector<Problem<Scalar>> problems;
  problems.push_back(separable_quadratics<Scalar>(dimension, peers, l2, 42));
  problems.push_back(dense_quadratics<Scalar>(dimension, peers, l2, 42));
  return problems;
}

template <class Scalar>
Vector<double> pooled_gradient(const Problem<Scalar>& problem, const Vector<Scalar>& x) {
  Vector<double> sum = Vector<double>::Zero(x.size());
  Vector<Scalar> gradient(x.size());
  for (const auto& objective : problem.objectives) {
    objective->gradient(x, indices(1), gradient);
    sum += gradient.template cast<double>();
  }
  return sum / static_cast<double>(problem.peer_count());
}

}  // namespace

TEST_CASE("quadratic: the gradient is the derivative of the loss") {
  for (const auto& problem : quadratic_problems<double>(12, 3, 0.3))
    for (const auto& f : problem.objectives) {
      const Vector<double> x = random_point<double>(12, 3);
      Vector<double> gradient(12);
      f->gradient(x, indices(1), gradient);
      CHECK(relative_distance(gradient, finite_differences(*f, x, probed_coordinates(*f))) < 1e-8);
    }
}

TEST_CASE_TEMPLATE("quadratic: the pooled gradient vanishes at the minimiser, the peers' own do not", Scalar,
                   float, double) {
  const double tolerance = sizeof(Scalar) == 4 ? 1e-6 : 1e-13;
  for (const double l2 : {0.0, 0.3})
    for (const std::size_t peers : {1, 2, 7})
      for (const auto& problem : quadratic_problems<Scalar>(20, peers, l2)) {
        REQUIRE(problem.minimiser.has_value());
        const Vector<Scalar>& x = *problem.minimiser;
        CHECK(pooled_gradient(problem, x).template lpNorm<Eigen::Infinity>() < 10 * tolerance);
        if (peers == 1) continue;
        Vector<Scalar> gradient(20);
        for (const auto& f : problem.objectives) {
          f->gradient(x, indices(1), gradient);
          CHECK(gradient.norm() > 0.1);
        }
      }
}

TEST_CASE_TEMPLATE("quadratic: every curvature lies between 1/2 and 3/2", Scalar, float, double) {
  // x^T A x for random x is between the smallest and the largest eigenvalue; the trace is their sum.
  for (const auto& problem : quadratic_problems<Scalar>(30, 4, 0.0))
    for (const auto& f : problem.objectives) {
      Vector<Scalar> at_zero(30), there(30);
      f->gradient(Vector<Scalar>::Zero(30), indices(1), at_zero);
      for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Vector<Scalar> x = random_point<Scalar>(30, seed);
        f->gradient(x, indices(1), there);
        const double curvature = (there - at_zero).dot(x) / x.squaredNorm();
        CHECK(curvature > 0.5 - 1e-5);
        CHECK(curvature < 1.5 + 1e-5);
      }
    }
}

TEST_CASE("quadratic: a dense matrix is symmetric and mixes the coordinates") {
  const auto problem = dense_quadratics<double>(15, 2, 0.0, 5);
  for (const auto& f : problem.objectives) {
    Vector<double> at_zero(15), there(15);
    f->gradient(Vector<double>::Zero(15), indices(1), at_zero);
    Eigen::MatrixXd curvature(15, 15);
    for (Index column = 0; column < 15; ++column) {
      f->gradient(Vector<double>::Unit(15, column), indices(1), there);
      curvature.col(column) = there - at_zero;
    }
    CHECK((curvature - curvature.transpose()).cwiseAbs().maxCoeff() < 1e-14);
    CHECK((curvature.array().abs() > 1e-6).count() > 200);
  }
}

TEST_CASE("quadratic: gradient descent on the pooled objective reaches the minimiser") {
  for (const auto& problem : quadratic_problems<double>(10, 5, 0.1)) {
    Vector<double> x = problem.initial;
    for (int iteration = 0; iteration < 200; ++iteration) x -= 1.0 / 1.6 * pooled_gradient(problem, x);
    CHECK((x - *problem.minimiser).norm() < 1e-12);
    CHECK(problem.loss(x) < problem.loss(problem.initial));
  }
}

TEST_CASE("quadratic: the same seed gives the same problem, another seed another, no samples, no data term") {
  const auto a = separable_quadratics<double>(10, 3, 0.1, 1);
  const auto b = separable_quadratics<double>(10, 3, 0.1, 1);
  const auto c = separable_quadratics<double>(10, 3, 0.1, 2);
  CHECK(*a.minimiser == *b.minimiser);
  CHECK(*a.minimiser != *c.minimiser);
  const Vector<double> x = random_point<double>(10, 3);
  Vector<double> gradient(10);
  a.objectives[0]->gradient(x, {}, gradient);
  CHECK(gradient.isApprox(0.1 * x));
}

TEST_CASE_TEMPLATE("quadratic: one that is drawn later, and by itself, is the same function, to the last bit",
                   Scalar, float, double) {
  // The first are kept by whoever draws them, the second are not: they are too many.
  for (const auto& run : {std::pair("quadratic(12)", 3), std::pair("quadratic(4x3, dense)", 3),
                          std::pair("quadratic(2000)", 6000)}) {
    CAPTURE(run.first);
    const Model model = parse_model(run.first);
    const auto& maker = std::get<SeededModel>(model.info->make);
    const auto count = static_cast<std::size_t>(run.second);
    const auto at_once = maker.make<Scalar>(model.shape, 3, 0.1, 7);
    const auto later = maker.make<Scalar>(model.shape, count, 0.1, 7, Drawn::later);
    CHECK(later.objectives.size() == count);
    CHECK(later.initial == at_once.initial);
    const Vector<Scalar> x = random_point<Scalar>(later.dimension(), 3);
    for (const bool ready : {false, true}) {
      for (std::size_t i = 0; i < 3; ++i) {
        const auto& drawn = *later.objectives[i];
        const auto& known = *at_once.objectives[i];
        if (ready) drawn.get_ready();
        CHECK(drawn.segments() == known.segments());
        CHECK(drawn.sample_count() == known.sample_count());
        CHECK(drawn.loss(x) == known.loss(x));
        Vector<Scalar> of_drawn(x.size());
        Vector<Scalar> of_known(x.size());
        drawn.gradient(x, indices(1), of_drawn);
        known.gradient(x, indices(1), of_known);
        CHECK(of_drawn == of_known);
      }
    }
  }
}

TEST_CASE("quadratic: peers are drawn in any order, and the problem is the same, to the last bit") {
  const EachPeer last_first = [](std::size_t peers, const auto& action) {
    for (std::size_t id = peers; id-- > 0;) action(id);
  };
  for (const std::string kind : {"quadratic(12)", "quadratic(4x3, dense)"}) {
    CAPTURE(kind);
    const Model model = parse_model(kind);
    const auto& maker = std::get<SeededModel>(model.info->make);
    const auto in_order = maker.make<float>(model.shape, 5, 0.1, 7);
    const auto backwards = maker.make<float>(model.shape, 5, 0.1, 7, Drawn::at_once, last_first);
    CHECK(*backwards.minimiser == *in_order.minimiser);
    const Vector<float> x = random_point<float>(12, 3);
    for (std::size_t id = 0; id < 5; ++id)
      CHECK(backwards.objectives[id]->loss(x) == in_order.objectives[id]->loss(x));
  }
}

TEST_CASE("quadratic: that of a matrix is the same function, whose parameters are one layer") {
  for (const std::string more : {"", ", dense"}) {
    CAPTURE(more);
    const auto made = [&](const std::string& size) {
      const Model model = parse_model("quadratic(" + size + more + ")");
      return std::get<SeededModel>(model.info->make).make<double>(model.shape, 3, 0.1, 7);
    };
    const auto matrix = made("4x3");
    const auto vector = made("12");
    CHECK(*matrix.minimiser == *vector.minimiser);
    CHECK(matrix.objectives[2]->segments() == SegmentTable{{"matrix", 0, 4, 3}});
    const Vector<double> x = random_point<double>(12, 3);
    CHECK(matrix.objectives[2]->loss(x) == vector.objectives[2]->loss(x));
    Vector<double> of_matrix(12);
    Vector<double> of_vector(12);
    matrix.objectives[2]->gradient(x, indices(1), of_matrix);
    vector.objectives[2]->gradient(x, indices(1), of_vector);
    CHECK(of_matrix == of_vector);
  }
}

TEST_CASE("quadratic: what is no size of a matrix is refused") {
  for (const std::string size :
       {"4x", "x3", "4x3x2", "0x3", "4x-3", "400000x400000", "4x3, 2", "200x200, dense"})
    CHECK_THROWS_AS(static_cast<void>(parse_model("quadratic(" + size + ")")), Misuse);
}

}  // namespace hearsay::test::quadratic_test
