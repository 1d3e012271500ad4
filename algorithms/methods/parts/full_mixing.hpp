#pragma once

#include <span>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/iteration.hpp"

namespace hearsay {

/// Returns a packet with the vector in full precision.
template <class Scalar>
PacketRef full_packet(Iteration<Scalar>& it, const Vector<Scalar>& vector) {
  PacketBuffer buffer = it.new_packet();
  write_full<Scalar>(view(vector), buffer);
  return std::move(buffer).seal();
}

/// into += step sum_j w_ij (message_j - own), the messages in the order of row.hears. Without a message the
/// weight of the neighbor stays with `own`. Returns malformed if a message has another size than `own`.
template <class Scalar>
CodecStatus add_differences(const MixingRow& row, std::span<const PacketRef> packets,
                            const Vector<Scalar>& own, double step, Vector<Scalar>& into) {
  CodecStatus status = CodecStatus::ok;
  for (std::size_t j = 0; j < row.hears.size(); ++j) {
    if (!packets[j]) continue;
    const auto weight = static_cast<Scalar>(step * row.hears[j].weight);
    if (!add_weighted_difference<Scalar>(packets[j]->bytes(), weight, view(own), view(into)))
      status = CodecStatus::malformed;
  }
  return status;
}

/// into = own + sum_j w_ij (message_j - own): a mixing step in edge-difference form.
template <class Scalar>
CodecStatus mix_full(const MixingRow& row, std::span<const PacketRef> packets, const Vector<Scalar>& own,
                     Vector<Scalar>& into) {
  into = own;
  return add_differences(row, packets, own, 1.0, into);
}

}  // namespace hearsay
