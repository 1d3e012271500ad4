#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/objectives/local_score.hpp"

namespace hearsay {

/// A number that a peer computes and that cannot be a loss.
struct FalseLoss {
  bool is_finite;
  std::string what;  ///< "the loss that peer 2 computes is no number"
};

/// Which numbers can be the loss of a peer. What only the peer itself can compute, the observer cannot prove;
/// but one number out of range would decide alone over the mean, and over a target.
///
/// * A loss whose least value is known is not below it, but for rounding.
/// * Of a program's loss no least value is known. It has left the range if it is below zero by more than a
///   million times its first value (1 at least), as a loss that grew so much has diverged. The first value is
///   the lower median of what the peers compute at x_0, so that no peer decides over it alone.
class LossRange {
 public:
  explicit LossRange(std::optional<double> least) : least_(least) {}

  /// What the peers compute at x_0.
  void note_first(const std::vector<std::optional<LocalScore>>& answers);
  /// A resumed run knows the mean of that only.
  void note_first(double mean_loss);

  /// Returns what is wrong with the loss, as "is no number"; empty if it can be one.
  std::string defect_of(double loss) const;
  /// Returns the first loss that cannot be one, of what the peers compute by `iteration`; nothing if all can.
  std::optional<FalseLoss> first_false(const std::vector<std::optional<LocalScore>>& answers,
                                       std::uint64_t iteration) const;

 private:
  std::optional<double> least_;
  double first_size_ = 1.0;
};

}  // namespace hearsay
