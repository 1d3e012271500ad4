#include "runtime/program/program_objective.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

template <class Scalar>
void write_model(const Vector<Scalar>& x, const Program& program) {
  ensure(x.size() == program.hello().dimension, "a program is asked about a model of its own size");
  std::memcpy(program.x().data(), x.data(), program.x().size());
}

}  // namespace

template <class Scalar>
void ProgramObjective<Scalar>::put(const Vector<Scalar>& x) const {
  write_model(x, *program_);
}

template <class Scalar>
void HubProgramObjective<Scalar>::take_final_model(const Vector<Scalar>& x) const {
  write_model(x, *program_);
}

template <class Scalar>
LocalScore ProgramObjective<Scalar>::score(const Vector<Scalar>& x) const {
  const auto lock = program_->lock();
  const ProgramAnswer answer = program_->ask({.kind = ProgramQuestion::Kind::score}, [&] { put(x); });
  return {.loss = answer.loss,
          .samples = static_cast<std::uint64_t>(sample_count()),
          .hits = answer.hits,
          .judged = answer.judged,
          .of_test_samples = answer.of_test_samples};
}

template <class Scalar>
void ProgramObjective<Scalar>::minibatch_gradient(const Vector<Scalar>& x, const Minibatch& minibatch,
                                                  Vector<Scalar>& gradient) const {
  const auto lock = program_->lock();
  const std::span<const std::byte> samples = std::as_bytes(minibatch.samples);
  ensure(samples.size() <= program_->samples().size(), "a gradient is of a minibatch, or of all samples");
  program_->ask({.kind = ProgramQuestion::Kind::gradient,
                 .seed = minibatch.seed,
                 .samples = minibatch.samples.size(),
                 .iteration = minibatch.iteration,
                 .step_size = minibatch.step_size},
                [&] {
                  put(x);
                  std::ranges::copy(samples, program_->samples().begin());
                });
  std::memcpy(gradient.data(), program_->gradient().data(), program_->gradient().size());
}

template class ProgramObjective<float>;
template class ProgramObjective<double>;
template class HubProgramObjective<float>;
template class HubProgramObjective<double>;

}  // namespace hearsay
