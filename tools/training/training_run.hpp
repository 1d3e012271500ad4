#pragma once

#include "tools/training/training.hpp"

namespace hearsay {

/// `train`, with numbers of the type Scalar.
template <class Scalar>
FinishedRun train_as(const RunSettings& settings, const TrainingOptions& options);

}  // namespace hearsay
