#pragma once

#include <cstddef>
#include <span>

#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// Takes in what the workers of a round have answered, in ascending id: take(worker, bytes) for every answer,
/// which returns a CodecStatus. The hub, peer 0, comes first, with the answer that it encoded itself; `own`
/// is empty if its data do not count in the round. `packets` is what came from the workers. Returns r, the
/// number of answers.
template <class Scalar, class Take>
Scalar take_answers(Iteration<Scalar>& it, const PacketRef& own, std::span<const PacketRef> packets,
                    Take&& take) {
  Scalar answers = 0;
  const auto take_one = [&](PeerId worker, const PacketRef& packet) {
    if (!packet) return;
    it.report(take(worker, packet->bytes()));
    answers += 1;
  };
  take_one(it.self(), own);
  for (std::size_t k = 0; k < packets.size(); ++k) take_one(it.mixing().hears[k].id, packets[k]);
  return answers;
}

/// What a worker sends to the hub: one message of what `compressor` makes of a vector in R^d.
template <class Scalar>
Traffic answer_traffic(std::uint64_t number, const PeerRows& rows, const Compressor<Scalar>& compressor,
                       Index dimension) {
  return compressed_traffic(rows.at(number - 1), compressor, dimension);
}

}  // namespace hearsay
