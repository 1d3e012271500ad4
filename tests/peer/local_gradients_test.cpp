#include "runtime/peer/local_gradients.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "algorithms/arithmetic/reductions.hpp"
#include "tests/support/worlds.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

template <class Scalar>
double norm_of(const Vector<Scalar>& vector) {
  return std::sqrt(squared_norm<Scalar>(view(vector)));
}

/// Returns the gradient at x of the linear regression of a peer, clipped.
template <class Scalar>
Vector<Scalar> gradient_at(const Vector<Scalar>& x, std::optional<double> clip) {
  const Problem<Scalar> problem = regression_problem<Scalar>(x.size(), 1);
  LocalGradients<Scalar> gradients(*problem.objectives.front(), std::nullopt, clip, x.size());
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
