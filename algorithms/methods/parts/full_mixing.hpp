#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <span>

#include "algorithms/arithmetic/blocks.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/seam/iteration.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// Returns a packet with the vector in full precision.
template <class Scalar>
PacketRef full_packet(Iteration<Scalar>& it, const Vector<Scalar>& vector) {
  PacketBuffer buffer = it.new_packet();
  write_full<Scalar>(view(vector), buffer);
  return std::move(buffer).seal();
}

/// Returns a packet with two vectors in full precision, one behind the other.
template <class Scalar>
PacketRef full_packet(Iteration<Scalar>& it, const Vector<Scalar>& first, const Vector<Scalar>& second) {
  PacketBuffer buffer = it.new_packet();
  const std::size_t of_first = view(first).size_bytes();
  const std::size_t of_second = view(second).size_bytes();
  const std::span<std::byte> bytes = buffer.resize(of_first + of_second);
  if (of_first != 0) std::memcpy(bytes.data(), first.data(), of_first);
  if (of_second != 0) std::memcpy(bytes.data() + of_first, second.data(), of_second);
  return std::move(buffer).seal();
}

/// into += step sum_j w_ij (message_j - own) in one block, the messages in the order of row.hears. `own` has
/// the coordinates of the block, `into` all. A message of another size than `into` is left out.
template <class Scalar>
void add_differences(const MixingRow& row, std::span<const PacketRef> packets, std::span<const Scalar> own,
                     double step, Vector<Scalar>& into, Block block) {
  const std::span<Scalar> sums = part(view(into), block);
  const std::size_t first_byte = static_cast<std::size_t>(block.begin) * sizeof(Scalar);
  for (std::size_t j = 0; j < row.hears.size(); ++j) {
    if (!packets[j] || packets[j]->size() != view(into).size_bytes()) continue;
    const auto weight = static_cast<Scalar>(step * row.hears[j].weight);
    add_weighted_difference<Scalar>(packets[j]->bytes().subspan(first_byte, sums.size_bytes()), weight, own,
                                    sums);
  }
}

/// Returns malformed if a message has another size than `vector`.
template <class Scalar>
CodecStatus judge_sizes(std::span<const PacketRef> packets, const Vector<Scalar>& vector) {
  const auto fits = [&](const PacketRef& packet) {
    return !packet || packet->size() == view(vector).size_bytes();
  };
  return std::ranges::all_of(packets, fits) ? CodecStatus::ok : CodecStatus::malformed;
}

/// into += step sum_j w_ij (message_j - own), the messages in the order of row.hears. Without a message the
/// weight of the neighbor stays with `own`, which has the size of `into`. Returns malformed if a message has
/// another size.
template <class Scalar>
CodecStatus add_differences(const MixingRow& row, std::span<const PacketRef> packets,
                            const Vector<Scalar>& own, double step, Vector<Scalar>& into) {
  ensure(own.size() == into.size(), "a mixing step adds to a vector of the model's size");
  by_blocks(into.size(),
            [&](Block block) { add_differences(row, packets, part(view(own), block), step, into, block); });
  return judge_sizes(packets, into);
}

/// x += step sum_j w_ij (message_j - x), with the x before in every difference: the bits of add_differences,
/// without a second vector. A block of x is copied at a time. `and_then(block)`: what follows in the block.
template <class Scalar, class AndThen>
CodecStatus mix_in_place(const MixingRow& row, std::span<const PacketRef> packets, double step,
                         Vector<Scalar>& x, const AndThen& and_then) {
  const CodecStatus status = judge_sizes(packets, x);
  std::array<Scalar, longest_block> before;
  by_blocks(x.size(), [&](Block block) {
    std::ranges::copy(part(view(x), block), before.begin());
    const std::span<const Scalar> own = part(std::span<const Scalar>(before), {0, block.size});
    add_differences(row, packets, own, step, x, block);
    and_then(block);
  });
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
