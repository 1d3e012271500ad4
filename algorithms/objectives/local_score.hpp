#pragma once

#include <cstdint>
#include <optional>

namespace hearsay {

/// The score of a model at one peer: its own objective there, and how many of the judged samples the model
/// classifies correctly.
struct LocalScore {
  double loss = 0.0;             ///< f_i(x)
  std::uint64_t samples = 0;     ///< m_i: the training samples that the loss is of
  std::uint64_t hits = 0;        ///< correctly classified, of `judged`
  std::uint64_t judged = 0;      ///< 0: the model does not classify, or the accuracy is computed elsewhere
  bool of_test_samples = false;  ///< whether the judged samples are test samples
  bool has_data = true;          ///< false for a hub without data, whose loss is no part of a mean
  bool operator==(const LocalScore&) const = default;
};

/// The samples that an accuracy is of.
struct JudgedSamples {
  bool are_test = false;    ///< false: training samples, since the data have no others
  std::uint64_t count = 0;  ///< 0: the model does not classify
  bool operator==(const JudgedSamples&) const = default;
};

/// What all peers together say of a model.
struct ModelScore {
  double loss = 0.0;
  std::optional<double> accuracy = {};  ///< in [0, 1]; empty if the model does not classify
  std::uint64_t samples = 0;            ///< training samples that the loss is of; 0 if it is of none
  JudgedSamples judged = {};
};

}  // namespace hearsay
