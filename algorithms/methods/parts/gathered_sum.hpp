#pragma once

#include "algorithms/compression/seam/summed_coefficients.hpp"
#include "algorithms/methods/parts/leader_choice.hpp"
#include "algorithms/methods/parts/ring_gather.hpp"

namespace hearsay {

/// The sum of gathered packets, in ascending peers, so that everybody has the same bits:
///
///   sum_j C_j
///
/// Behind transforms that are the same for all messages (dct) coefficients are added up, and transformed back
/// once: T^-1(sum_j y_j). Peers in one process add them up once for all.
template <class Scalar>
class GatheredSum {
 public:
  /// `compressor` outlives this object.
  explicit GatheredSum(Compressor<Scalar>& compressor)
      : compressor_(compressor), coefficients_(compressor.summed_coefficients()) {}

  /// Returns the sum of all packets, in `own` or where peers share it (Iteration::sum_once).
  const Vector<Scalar>& of(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& own) {
    return it.sum_once(packets.all(), own, [&](Vector<Scalar>& sum) { return add_up(it, packets, sum); });
  }
  /// The same of packets for which `choice` was made.
  const Vector<Scalar>& of(Iteration<Scalar>& it, const RingGather& packets, LeaderChoice<Scalar>& choice,
                           Vector<Scalar>& own) {
    if (!choice.is_needed()) return of(it, packets, own);
    return it.sum_once(packets.all(), own, [&](Vector<Scalar>& into) {
      return accumulate_all(it, packets, into, [&](std::span<const std::byte> packet) {
        return choice.accumulate(packet, 1, into);
      });
    });
  }

  /// sum = the sum of all packets. True if all could be decoded.
  bool add_up(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& sum) {
    if (coefficients_) return add_coefficients(it, packets, sum);
    return accumulate_all(it, packets, sum, [&](std::span<const std::byte> packet) {
      return compressor_.accumulate(packet, 1, view(sum));
    });
  }

 private:
  /// into = sum_j C_j, by `accumulate(packet)`. True if all packets could be decoded.
  template <class Accumulate>
  static bool accumulate_all(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& into,
                             Accumulate accumulate) {
    into.setZero();
    bool decoded = true;
    for (const PacketRef& packet : packets.all()) {
      const CodecStatus status = accumulate(packet->bytes());
      it.report(status);
      decoded &= status == CodecStatus::ok;
    }
    return decoded;
  }

  /// into = T^-1(sum_j y_j). True if all packets could be decoded.
  bool add_coefficients(Iteration<Scalar>& it, const RingGather& packets, Vector<Scalar>& into) {
    const bool decoded = accumulate_all(it, packets, into, [&](std::span<const std::byte> packet) {
      return coefficients_->accumulate_coefficients(packet, view(into));
    });
    const CodecStatus status = coefficients_->restore(view(into));
    it.report(status);
    return decoded && status == CodecStatus::ok;
  }

  Compressor<Scalar>& compressor_;
  SummedCoefficients<Scalar>* coefficients_;  ///< of compressor_; may be null
};

}  // namespace hearsay
