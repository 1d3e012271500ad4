#include "tools/advise/probe_problem.hpp"

#include <algorithm>
#include <numeric>

#include "tools/training/borrowed_objective.hpp"

namespace hearsay {

namespace {

template <class Scalar>
class StandInObjective final : public BorrowedObjective<Scalar> {
 public:
  StandInObjective(const Objective<Scalar>& original, std::shared_ptr<const Vector<Scalar>> gradient)
      : BorrowedObjective<Scalar>(original), gradient_(std::move(gradient)) {}
  double loss(const Vector<Scalar>&) const override { return 0.0; }
  void gradient(const Vector<Scalar>&, std::span<const Index>, Vector<Scalar>& gradient) const override {
    gradient = *gradient_;
  }
  void minibatch_gradient(const Vector<Scalar>&, const Minibatch&, Vector<Scalar>& gradient) const override {
    gradient = *gradient_;
  }
  LocalScore score(const Vector<Scalar>&) const override { return {}; }

 private:
  std::shared_ptr<const Vector<Scalar>> gradient_;
};

/// Returns a copy of the problem without its objectives and its accuracy.
template <class Scalar>
Problem<Scalar> rest_of(const Problem<Scalar>& problem) {
  Problem<Scalar> rest;
  rest.initial = problem.initial;
  rest.regularizer = problem.regularizer;
  rest.minimiser = problem.minimiser;
  rest.data_digest = problem.data_digest;
  rest.model_digest = problem.model_digest;
  rest.at_home = problem.at_home;
  return rest;
}

}  // namespace

template <class Scalar>
Problem<Scalar> borrowed(const Problem<Scalar>& problem) {
  Problem<Scalar> result = rest_of(problem);
  for (const auto& objective : problem.objectives)
    result.objectives.push_back(std::make_unique<BorrowedObjective<Scalar>>(*objective));
  return result;
}

template <class Scalar>
Problem<Scalar> stand_in(const Problem<Scalar>& problem, Index batch) {
  const Objective<Scalar>& first = problem.first_with_data();
  std::vector<Index> samples(static_cast<std::size_t>(std::min(batch, first.sample_count())));
  std::iota(samples.begin(), samples.end(), Index{0});
  Vector<Scalar> gradient(problem.dimension());
  first.gradient(problem.initial, samples, gradient);
  const auto shared = std::make_shared<const Vector<Scalar>>(std::move(gradient));
  Problem<Scalar> result = rest_of(problem);
  for (const auto& objective : problem.objectives)
    result.objectives.push_back(std::make_unique<StandInObjective<Scalar>>(*objective, shared));
  return result;
}

#define HEARSAY_PROBE_PROBLEM(Scalar)                                \
  template Problem<Scalar> borrowed<Scalar>(const Problem<Scalar>&); \
  template Problem<Scalar> stand_in<Scalar>(const Problem<Scalar>&, Index);
HEARSAY_PROBE_PROBLEM(float)
HEARSAY_PROBE_PROBLEM(double)
#undef HEARSAY_PROBE_PROBLEM

}  // namespace hearsay
