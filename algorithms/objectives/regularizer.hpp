#pragma once

#include <memory>
#include <span>
#include <string>

#include "algorithms/arithmetic/segments.hpp"
#include "algorithms/arithmetic/vector.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// h, the convex and possibly non-smooth part of the objective (1/n) sum_i f_i(x) + h(x), given by its
/// proximal map:
///
///     prox_{a h}(q) = argmin_x h(x) + ||x - q||^2 / (2 a)
///
///     none                      h = 0                          prox = q
///     l1(lambda)                lambda ||x||_1                 sign(q) max(|q| - a lambda, 0): exact zeros
///     elastic-net(l1, l2)       l1 ||x||_1 + (l2/2) ||x||^2    that of l1, over 1 + a l2
///     group-lasso(lambda)       lambda sum_G sqrt(|G|) ||x_G|| q_G max(1 - a lambda sqrt(|G|) / ||q_G||, 0)
///     box(low, high)            0 if all low <= x_k <= high    q clipped to [low, high]
///     non-negative              box(0, inf)                    max(q, 0)
///
/// The groups G of group-lasso are the columns of the layers' matrices, and whole vectors. A column holds all
/// weights with which one feature (or neuron) enters the outputs. group-lasso(lambda, size) makes groups of
/// `size` consecutive coordinates instead; the last group of a layer may be shorter. In a model with one
/// output a column has one weight, so group-lasso is l1.
///
/// NaN stays NaN, so that a diverging run is noticed.
///
/// Source: Parikh, Boyd 2014, Proximal Algorithms, sections 6.5 and 2.1; Yuan, Lin 2006 for the group lasso.
template <class Scalar>
class Regularizer {
 public:
  virtual ~Regularizer() = default;
  virtual std::string spelling() const = 0;
  virtual bool is_none() const { return false; }
  /// Returns h(x), summed in double. Infinite outside of a box, whose bounds have a relative tolerance of
  /// 1e-12 for the rounding of a mean of models.
  virtual double value(const Vector<Scalar>& x) const = 0;
  /// x <- prox_{a h}(x), a = `step` > 0.
  virtual void prox(Scalar step, Vector<Scalar>& x) const = 0;
  /// True if h is a sum over the coordinates, so that `prox_each` exists.
  virtual bool is_separable() const { return true; }
  /// The same with a step per coordinate, all above 0: x <- argmin_y h(y) + sum_k (y_k - x_k)^2 / (2 a_k).
  virtual void prox_each(const Vector<Scalar>& steps, Vector<Scalar>& x) const = 0;
};

/// Returns the regularizer that `spelling` names. Throws Misuse (key model.regularizer).
template <class Scalar>
std::unique_ptr<const Regularizer<Scalar>> make_regularizer(const std::string& spelling,
                                                            const SegmentTable& segments);

std::span<const Choice> regularizer_choices();

}  // namespace hearsay
