#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// Takes in what the workers of a round have answered, in ascending id: take(worker, bytes) for every answer,
/// which returns a CodecStatus. The hub, or the head of a group, comes first, with the answer that it encoded
/// itself; `own` is empty if its data do not count in the round. `packets` is what came from the workers.
/// Returns r, the number of answers.
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
  // A head hears the hub, too, which has the least id and does not answer.
  const std::size_t first = it.self() == hub_id ? 0 : 1;
  for (std::size_t k = 0; k < packets.size(); ++k) take_one(it.mixing().hears[first + k].id, packets[k]);
  return answers;
}

/// Sets sum = sum_{i in S} C_i, the decoded answers. Returns r.
template <class Scalar>
Scalar sum_answers(Iteration<Scalar>& it, Compressor<Scalar>& compressor, const PacketRef& own,
                   std::span<const PacketRef> packets, Vector<Scalar>& sum) {
  sum.setZero();
  return take_answers(it, own, packets, [&](PeerId, std::span<const std::byte> bytes) {
    return compressor.accumulate(bytes, 1, view(sum));
  });
}

/// Returns C(vector), encoded with the random stream of `purpose`. `latest`: see EncodeInput.
template <class Scalar>
PacketRef encoded_packet(Iteration<Scalar>& it, Compressor<Scalar>& compressor, const Vector<Scalar>& vector,
                         Purpose purpose, std::span<const Scalar> latest = {}) {
  PacketBuffer buffer = it.new_packet();
  RandomStream random = it.random(purpose);
  it.report(compressor.encode({view(vector), random, latest}, buffer));
  return std::move(buffer).seal();
}

/// co_await gather_sum(it, place, compressor, own, sum): sum = sum_{i in S} C_i, as `sum_answers`. A head
/// sends on C((m_j/r_j) sum), m_j the workers of its group. Returns r at the hub, 0 elsewhere.
template <class Scalar>
auto gather_sum(Iteration<Scalar>& it, TreePlace& place, Compressor<Scalar>& compressor, const PacketRef& own,
                Vector<Scalar>& sum) {
  return place.gather(
      it, own,
      [&](std::span<const PacketRef> packets) { return sum_answers(it, compressor, own, packets, sum); },
      [&](Scalar answers) {
        sum *= 1 / place.divisor(answers);
        return encoded_packet(it, compressor, sum, Purpose::group);
      });
}

}  // namespace hearsay
