#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/compression/seam/sent_coefficients.hpp"
#include "algorithms/methods/parts/ring_gather.hpp"

namespace hearsay {

/// The mean of gathered packets (algorithm.aggregate), in ascending peers, so that everybody has the same
/// bits:
///
///   mean          (1/n) sum_j C_j
///   senders-mean  every coefficient is the mean over the peers that sent it, 0 if nobody did. Needs a
///                 compressor with sent_coefficients.
template <class Scalar>
class GatheredMean {
 public:
  GatheredMean(const std::string& aggregate, Compressor<Scalar>& compressor, Index dimension)
      : compressor_(compressor), sent_(aggregate == "mean" ? nullptr : compressor.sent_coefficients()) {
    if (!sent_) return;
    coefficients_.resize(sent_->coefficient_count(static_cast<std::size_t>(dimension)));
    senders_.resize(coefficients_.size());
  }

  /// mean = the mean of all packets.
  void take(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& mean) {
    if (sent_) return take_of_senders(it, packets, mean);
    mean.setZero();
    for (PeerId j = 0; j < packets.peer_count(); ++j)
      it.report(compressor_.accumulate(packets.of(j)->bytes(), 1, view(mean)));
    mean *= Scalar(1) / static_cast<Scalar>(packets.peer_count());
  }

 private:
  void take_of_senders(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& mean) {
    std::ranges::fill(coefficients_, Scalar(0));
    std::ranges::fill(senders_, 0u);
    for (PeerId j = 0; j < packets.peer_count(); ++j)
      it.report(sent_->accumulate_sent(packets.of(j)->bytes(), static_cast<std::size_t>(mean.size()),
                                       coefficients_, senders_));
    for (std::size_t k = 0; k < coefficients_.size(); ++k)
      if (senders_[k] > 1) coefficients_[k] /= static_cast<Scalar>(senders_[k]);
    sent_->restore(coefficients_, view(mean));
  }

  Compressor<Scalar>& compressor_;
  SentCoefficients<Scalar>* sent_;  ///< of compressor_; null for "mean"

  // Scratch.
  std::vector<Scalar> coefficients_;
  std::vector<std::uint32_t> senders_;
};

}  // namespace hearsay
