#pragma once

#include <cmath>
#include <memory>
#include <utility>

#include "algorithms/objectives/sample_objective.hpp"

namespace hearsay {

/// The objective of a peer whose data are at home: it also judges models on the samples that this peer alone
/// has.
template <class Scalar>
class JudgedObjective final : public Objective<Scalar> {
 public:
  /// `judge` has the samples for the accuracy, which are test samples or not; null: the model does not
  /// classify.
  JudgedObjective(std::unique_ptr<const SampleObjective<Scalar>> training,
                  std::unique_ptr<const SampleObjective<Scalar>> judge, bool judges_test_samples)
      : training_(std::move(training)), judge_(std::move(judge)), judges_test_samples_(judges_test_samples) {}

  Index dimension() const override { return training_->dimension(); }
  Index sample_count() const override { return training_->sample_count(); }
  SegmentTable segments() const override { return training_->segments(); }
  double loss(const Vector<Scalar>& x) const override { return training_->loss(x); }
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override {
    training_->gradient(x, samples, gradient);
  }
  LocalScore score(const Vector<Scalar>& x) const override {
    LocalScore score = training_->score(x);
    if (!judge_) return score;
    score.judged = static_cast<std::uint64_t>(judge_->sample_count());
    score.hits =
        static_cast<std::uint64_t>(std::llround(judge_->accuracy(x) * static_cast<double>(score.judged)));
    score.of_test_samples = judges_test_samples_;
    return score;
  }

 private:
  std::unique_ptr<const SampleObjective<Scalar>> training_;
  std::unique_ptr<const SampleObjective<Scalar>> judge_;
  bool judges_test_samples_;
};

}  // namespace hearsay
