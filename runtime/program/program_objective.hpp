#pragma once

#include <memory>

#include "algorithms/objectives/hub_objective.hpp"
#include "algorithms/objectives/objective.hpp"
#include "runtime/program/program.hpp"

namespace hearsay {

/// The objective of a peer that a program computes. Threads take turns, since the program and its memory are
/// one; of the processes that share it, only one may ask at a time. All functions but the first three throw
/// ProgramFailure.
template <class Scalar>
class ProgramObjective final : public Objective<Scalar> {
 public:
  explicit ProgramObjective(std::shared_ptr<Program> program) : program_(std::move(program)) {}

  Index dimension() const override { return program_->hello().dimension; }
  Index sample_count() const override { return program_->hello().samples; }
  SegmentTable segments() const override { return program_->hello().layers; }

  double loss(const Vector<Scalar>& x) const override { return score(x).loss; }
  LocalScore score(const Vector<Scalar>& x) const override;
  /// With the seed 0, in iteration 1.
  void gradient(const Vector<Scalar>& x, std::span<const Index> samples,
                Vector<Scalar>& gradient) const override {
    minibatch_gradient(x, {.samples = samples, .seed = 0, .iteration = 1}, gradient);
  }
  void minibatch_gradient(const Vector<Scalar>& x, const Minibatch& minibatch,
                          Vector<Scalar>& gradient) const override;
  /// Leaves x in the memory, where the program finds it at its end.
  void take_final_model(const Vector<Scalar>& x) const override { put(x); }

 private:
  void put(const Vector<Scalar>& x) const;

  std::shared_ptr<Program> program_;
};

/// The objective of a dedicated hub with a program. The program says what the model is, is asked nothing, and
/// finds the final model at its end.
template <class Scalar>
class HubProgramObjective final : public HubObjective<Scalar> {
 public:
  explicit HubProgramObjective(std::shared_ptr<Program> program)
      : HubObjective<Scalar>(program->hello().layers), program_(std::move(program)) {}

  void take_final_model(const Vector<Scalar>& x) const override;

 private:
  std::shared_ptr<Program> program_;
};

}  // namespace hearsay
