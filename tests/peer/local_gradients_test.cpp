#include "runtime/peer/local_gradients.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/methods/lone_host.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::local_gradients_test {

namespace {

template <class Scalar>
double norm_of(const Vector<Scalar>& vector) {
  return std::sqrt(squared_norm<Scalar>(view(vector)));
}

/// Returns the gradient at x of the linear regression of a peer, clipped.
template <class Scalar>
Vector<Scalar> gradient_at(const Vector<Scalar>& x, std::optional<double> clip) {
  const Problem<Scalar> problem = regression_problem<Scalar>(x.size(), 1);
  LocalGradients<Scalar> gradients(*problem.objectives.front(), {}, clip, x.size());
  gradients.request(x, gradients.all_samples());
  gradients.compute();
  return gradients.gradient();
}

}  // namespace

TEST_CASE_TEMPLATE("local gradients: a longer gradient is scaled down to the bound, and keeps its direction",
                   Scalar, float, double) {
  constexpr double rounding = 4.0 * static_cast<double>(std::numeric_limits<Scalar>::epsilon());
  for (const Index dimension : {1, 19, 1099}) {
    CAPTURE(dimension);
    const Vector<Scalar> x = normal_vector<Scalar>(dimension, 17, 0) * Scalar{100};
    const Vector<Scalar> whole = gradient_at<Scalar>(x, std::nullopt);
    for (const double share : {1e-6, 0.3, 0.999}) {
      const double bound = share * norm_of(whole);
      const Vector<Scalar> clipped = gradient_at<Scalar>(x, bound);
      CHECK(norm_of(clipped) == doctest::Approx(bound).epsilon(rounding));
      const Vector<Scalar> scaled = whole * static_cast<Scalar>(bound / norm_of(whole));
      CHECK(clipped == scaled);
    }
  }
}

TEST_CASE_TEMPLATE("local gradients: a gradient within the bound stays as it is, bit for bit", Scalar, float,
                   double) {
  const Vector<Scalar> x = normal_vector<Scalar>(19, 17, 0);
  const Vector<Scalar> whole = gradient_at<Scalar>(x, std::nullopt);
  CHECK(gradient_at<Scalar>(x, norm_of(whole)) == whole);
  CHECK(gradient_at<Scalar>(x, 1e300) == whole);
}

TEST_CASE("local gradients: one that is not finite is not made to look finite") {
  Vector<double> x = Vector<double>::Constant(3, 1.0);
  x[1] = std::numeric_limits<double>::infinity();
  CHECK_FALSE(all_finite<double>(view(gradient_at<double>(x, 1.0))));
}

TEST_CASE("local gradients: one that a method keeps is not copied, and the next one does not touch it") {
  const Problem<double> problem = regression_problem<double>(19, 1);
  LocalGradients<double> gradients(*problem.objectives.front(), {}, std::nullopt, 19);
  const auto compute_at = [&](const Vector<double>& x) {
    gradients.request(x, gradients.all_samples());
    gradients.compute();
  };
  const Vector<double> x = normal_vector<double>(19, 17, 0);
  const Vector<double> y = normal_vector<double>(19, 17, 1);
  Vector<double> kept(19);
  compute_at(x);
  const double* const computed_in = gradients.gradient().data();
  gradients.swap_gradient(kept);
  CHECK(kept.data() == computed_in);
  compute_at(y);
  CHECK(kept == gradient_at<double>(x, std::nullopt));
  CHECK(gradients.gradient() == gradient_at<double>(y, std::nullopt));
}

TEST_CASE("local gradients: one computed ahead is that of its iteration, and is taken for no other") {
  const auto problem = regression_problem<double>(7, 1);
  const Objective<double>& objective = *problem.objectives.front();
  const Silence silence(1);
  const StepSize step_sizes(0.1, "constant", 0);
  LoneHost<double> host(objective, 1);
  Iteration<double> iteration(host, PeerRows(silence, 0), 1);
  const Vector<double> x = normal_vector<double>(7, 17, 0);
  const Vector<double> elsewhere = x;
  const auto turn_to = [&](std::uint64_t number, LocalGradients<double>& gradients) {
    iteration.begin(number, step_sizes);
    gradients.begin_iteration(iteration);
  };
  for (const bool shuffled : {false, true}) {
    CAPTURE(shuffled);
    const Minibatches minibatches{.size = 4, .shuffled = shuffled};
    LocalGradients<double> in_time(objective, minibatches, {}, 7);
    turn_to(2, in_time);
    in_time.request(x, in_time.minibatch(iteration));
    in_time.compute();
    CHECK_FALSE(in_time.is_ahead());

    const auto one_ahead = [&] {
      LocalGradients<double> gradients(objective, minibatches, {}, 7);
      turn_to(1, gradients);
      gradients.request_ahead(iteration, x);
      CHECK(gradients.is_ahead());
      gradients.compute();
      return gradients;
    };
    LocalGradients<double> taken = one_ahead();
    turn_to(2, taken);
    CHECK(taken.take_ahead(x, taken.minibatch(iteration)));
    CHECK(taken.gradient() == in_time.gradient());
    CHECK_FALSE(taken.take_ahead(x, taken.minibatch(iteration)));

    LocalGradients<double> at_another_point = one_ahead();
    turn_to(2, at_another_point);
    CHECK_FALSE(at_another_point.take_ahead(elsewhere, at_another_point.minibatch(iteration)));

    LocalGradients<double> on_all_samples = one_ahead();
    turn_to(2, on_all_samples);
    CHECK_FALSE(on_all_samples.take_ahead(x, on_all_samples.all_samples()));

    LocalGradients<double> in_another_iteration = one_ahead();
    turn_to(3, in_another_iteration);
    CHECK_FALSE(in_another_iteration.take_ahead(x, in_another_iteration.minibatch(iteration)));
  }
}

TEST_CASE(
    "local gradients: shuffled minibatches go through the samples in passes, whatever the local steps") {
  auto problem = regression_problem<double>(7, 1);
  const auto samples = static_cast<std::size_t>(problem.objectives.front()->sample_count());
  for (const std::uint64_t local_steps : {1u, 3u}) {
    CAPTURE(local_steps);
    LocalGradients<double> gradients(*problem.objectives.front(),
                                     {.size = 4, .shuffled = true, .per_iteration = local_steps}, {}, 7);
    std::vector<Index> seen;
    const Silence silence(1);
    const StepSize step_sizes(0.1, "constant", 0);
    LoneHost<double> host(*problem.objectives.front(), 1);
    Iteration<double> iteration(host, PeerRows(silence, 0), 1);
    for (std::uint64_t t = 1; seen.size() < 3 * samples; ++t) {
      iteration.begin(t, step_sizes);
      gradients.begin_iteration(iteration);
      for (std::uint64_t h = 0; h < local_steps; ++h) {
        if (h > 0) gradients.next_minibatch(iteration);
        const auto batch = gradients.minibatch(iteration);
        seen.insert(seen.end(), batch.begin(), batch.end());
      }
    }
    for (std::size_t epoch = 0; epoch < 3; ++epoch) {
      const auto begin = seen.begin() + static_cast<std::ptrdiff_t>(epoch * samples);
      CHECK(std::set<Index>(begin, begin + static_cast<std::ptrdiff_t>(samples)).size() == samples);
    }
  }
}

}  // namespace hearsay::test::local_gradients_test
