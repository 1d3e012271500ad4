#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/score_payload.hpp"
#include "runtime/session/events.hpp"

namespace hearsay {

/// Returns the model that the observer asks about; that of x_0 is not in the question. Empty if it is
/// malformed.
template <class Scalar>
std::optional<Vector<Scalar>> model_in(const ScoreAsked& question, const Problem<Scalar>& problem) {
  if (question.iteration == 0) return problem.initial;
  Vector<Scalar> model(problem.dimension());
  const std::span<std::byte> bytes = std::as_writable_bytes(view(model));
  if (question.model.size() != bytes.size()) return std::nullopt;
  std::ranges::copy(question.model, bytes.begin());
  return model;
}

/// Returns peer `id`'s answer to the question. Empty if it is malformed. Throws what the objective throws.
template <class Scalar>
std::optional<std::vector<std::byte>> answer_to(const ScoreAsked& question, const Problem<Scalar>& problem,
                                                PeerId id) {
  const std::optional<Vector<Scalar>> model = model_in(question, problem);
  if (!model) return std::nullopt;
  return encode_score(problem.objectives[id]->score(*model));
}

}  // namespace hearsay
