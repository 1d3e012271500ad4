#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/own_evaluation.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// How long the frames of an evaluation are, in bytes: header and payload, without the meters beside a model.
/// So many the emulated network carries if it shapes evaluations; the frames of peers and observer are those
/// that `evaluation_bytes` counts.
struct EvaluationFrameBytes {
  std::uint64_t told = 0;      ///< payload of an evaluation, without meters
  std::uint64_t question = 0;  ///< payload of a question; 0: the peers are not asked

  bool asks_peers() const { return question != 0; }
  std::uint64_t of(FrameKind kind) const {
    switch (kind) {
      case FrameKind::evaluation:
        return header_bytes + told;
      case FrameKind::question:
        return header_bytes + question;
      case FrameKind::answer:
        return header_bytes + score_bytes;
      default:  // a verdict
        return header_bytes;
    }
  }
};

template <class Scalar>
EvaluationFrameBytes evaluation_frame_bytes(const Experiment<Scalar>& experiment) {
  const std::uint64_t model = static_cast<std::uint64_t>(experiment.problem.dimension()) * sizeof(Scalar);
  if (experiment.settings.run.evaluate == RunSettings::Run::Evaluate::own)
    return {.told = own_evaluation_bytes};
  return {.told = model, .question = experiment.problem.at_home ? model : 0};
}

/// True if frames of this evaluation pass the emulated network, if it shapes evaluations at all. That of x_0
/// is made before the peers train.
inline bool is_on_the_way(std::uint64_t evaluated) { return evaluated != 0; }

}  // namespace hearsay
