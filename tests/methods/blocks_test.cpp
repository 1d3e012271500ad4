#include "algorithms/arithmetic/blocks.hpp"

#include <doctest/doctest.h>

#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/replicas.hpp"

namespace hearsay::blocks_test {

namespace {

const std::vector<Index> sizes{
    0, 1, longest_block - 1, longest_block, longest_block + 1, 3 * longest_block + 7};

Vector<float> gaussian(Index d, PeerId id) {
  RandomStream stream(7, id, 0, Purpose::data);
  Vector<float> x(d);
  for (float& value : x) value = static_cast<float>(stream.normal());
  return x;
}

MixingRow row_of_two() {
  MixingRow row;
  row.self_weight = 0.45;
  row.hears = {{1, 0.3}, {4, 0.25}};
  return row;
}

PacketRef packet_of(PacketPool& packets, const Vector<float>& vector) {
  PacketBuffer buffer = packets.acquire();
  write_full<float>(view(vector), buffer);
  return std::move(buffer).seal();
}

}  // namespace

TEST_CASE("blocks: every coordinate is in one block, in ascending order") {
  for (const Index d : sizes) {
    Index next = 0;
    by_blocks(d, [&](Block block) {
      CHECK(block.begin == next);
      CHECK(block.size >= 1);
      CHECK(block.size <= longest_block);
      next += block.size;
    });
    CHECK(next == d);
  }
}

TEST_CASE("blocks: mixing in place, and what follows in each block, has the bits of sums of whole vectors") {
  PacketPool packets;
  const MixingRow row = row_of_two();
  for (const Index d : sizes) {
    const Vector<float> step = gaussian(d, 2);
    const Vector<float> x = gaussian(d, 0);
    const std::vector<Vector<float>> others{gaussian(d, 1), gaussian(d, 4)};
    const std::vector<PacketRef> messages{packet_of(packets, others[0]), packet_of(packets, others[1])};
    Vector<float> expected = x;
    for (std::size_t j = 0; j < 2; ++j)
      expected += static_cast<float>(0.9 * row.hears[j].weight) * (others[j] - x);
    expected += step;
    Vector<float> mixed = x;
    CHECK(mix_in_place(row, messages, 0.9, mixed,
                       [&](Block block) { part(mixed, block) += part(step, block); }) == CodecStatus::ok);
    CHECK(mixed == expected);
    Vector<float> apart = x;
    CHECK(add_differences<float>(row, messages, x, 0.9, apart) == CodecStatus::ok);
    CHECK(apart + step == expected);
  }
}

TEST_CASE("blocks: a message of another size is malformed, and the others are mixed") {
  PacketPool packets;
  const MixingRow row = row_of_two();
  const Index d = longest_block + 5;
  const Vector<float> x = gaussian(d, 0);
  const Vector<float> other = gaussian(d, 4);
  const std::vector<PacketRef> messages{packet_of(packets, gaussian(d - 1, 1)), packet_of(packets, other)};
  Vector<float> mixed = x;
  CHECK(mix_in_place(row, messages, 1.0, mixed, [](Block) {}) == CodecStatus::malformed);
  const Vector<float> expected = x + static_cast<float>(row.hears[1].weight) * (other - x);
  CHECK(mixed == expected);
  Vector<float> apart = x;
  CHECK(add_differences<float>(row, messages, x, 1.0, apart) == CodecStatus::malformed);
  CHECK(apart == expected);
}

TEST_CASE("blocks: gossip on replicas has the bits of sums of whole vectors") {
  const MixingRow row = row_of_two();
  for (const Index d : sizes) {
    const Vector<float> own = gaussian(d, 0);
    Replicas<float> replicas({1, 4}, own);
    replicas.of(1) = gaussian(d, 1);
    replicas.of(4) = gaussian(d, 4);
    Vector<float> expected = gaussian(d, 3);
    Vector<float> into = expected;
    for (const auto& [j, weight] : row.hears)
      expected += 0.5F * static_cast<float>(weight) * (replicas.of(j) - own);
    replicas.add_differences(row.hears, own, 0.5F, into);
    CHECK(into == expected);
  }
}

}  // namespace hearsay::blocks_test
