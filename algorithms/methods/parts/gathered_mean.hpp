#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/compression/seam/sent_coefficients.hpp"
#include "algorithms/methods/parts/gathered_sum.hpp"

namespace hearsay {

/// The mean of gathered packets (algorithm.aggregate), in ascending peers, so that everybody has the same
/// bits:
///
///   mean          (1/n) sum_j C_j (GatheredSum)
///   senders-mean  every coefficient is the mean over the peers that sent it, 0 if nobody did. Needs a
///                 compressor with sent_coefficients.
template <class Scalar>
class GatheredMean {
 public:
  GatheredMean(const std::string& aggregate, Compressor<Scalar>& compressor, Index dimension)
      : sum_(compressor), sent_(aggregate == "mean" ? nullptr : compressor.sent_coefficients()) {
    if (!sent_) return;
    coefficients_.resize(sent_->coefficient_count(static_cast<std::size_t>(dimension)));
    senders_.resize(coefficients_.size());
  }

  /// Returns the mean of all packets, in `own` or where peers share it (Iteration::sum_once).
  const Vector<Scalar>& of(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& own) {
    return it.sum_once(packets.all(), own, [&](Vector<Scalar>& mean) {
      if (sent_) return average_over_senders(it, packets, mean);
      const bool decoded = sum_.add_up(it, packets, mean);
      mean *= Scalar(1) / static_cast<Scalar>(packets.peer_count());
      return decoded;
    });
  }

 private:
  /// True if all packets could be decoded.
  bool average_over_senders(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& mean) {
    bool decoded = true;
    std::ranges::fill(coefficients_, Scalar(0));
    std::ranges::fill(senders_, 0u);
    for (const PacketRef& packet : packets.all()) {
      const CodecStatus status = sent_->accumulate_sent(
          packet->bytes(), static_cast<std::size_t>(mean.size()), coefficients_, senders_);
      it.report(status);
      decoded &= status == CodecStatus::ok;
    }
    for (std::size_t k = 0; k < coefficients_.size(); ++k)
      if (senders_[k] > 1) coefficients_[k] /= static_cast<Scalar>(senders_[k]);
    sent_->restore(coefficients_, view(mean));
    return decoded;
  }

  GatheredSum<Scalar> sum_;
  SentCoefficients<Scalar>* sent_;  ///< null for "mean"

  // Scratch.
  std::vector<Scalar> coefficients_;
  std::vector<std::uint32_t> senders_;
};

}  // namespace hearsay
