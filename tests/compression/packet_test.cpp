#include "algorithms/compression/seam/packet.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

namespace hearsay::packet_test {

namespace {

PacketRef sealed(PacketPool& pool) {
  PacketBuffer buffer = pool.acquire();
  buffer.resize(8);
  return std::move(buffer).seal();
}

/// True if the pool hands out `storage` again: no reference to its packet is left.
bool came_back(PacketPool& pool, const std::byte* storage) {
  PacketBuffer next = pool.acquire();
  return next.resize(8).data() == storage;
}

}  // namespace

TEST_CASE("packet: the last reference gives it back, whichever way it goes") {
  PacketPool pool;
  for (int way = 0; way < 4; ++way) {
    CAPTURE(way);
    PacketRef reference = sealed(pool);
    const std::byte* const storage = reference->bytes().data();
    PacketRef copy;
    copy = reference;
    CHECK(copy == reference);
    copy = PacketRef(reference);
    if (way == 0) reference = {};
    if (way == 1) reference = PacketRef();
    if (way == 2) reference = std::move(copy);
    if (way == 3) reference = sealed(pool);
    CHECK(static_cast<bool>(copy) == (way != 2));
    CHECK_FALSE(came_back(pool, storage));
    (way == 2 ? reference : copy) = {};
    CHECK(came_back(pool, storage));
  }
}

TEST_CASE("packet: a reference assigned to itself stays") {
  PacketPool pool;
  PacketRef reference = sealed(pool);
  PacketRef& same = reference;
  reference = same;
  reference = std::move(same);
  REQUIRE(reference);
  CHECK(reference->size() == 8);
}

TEST_CASE("packet: what is lent is copied as it is asked for, and no later") {
  PacketPool pool;
  std::vector<std::byte> lent(10, std::byte{1});
  const PacketRef packet = pool.acquire().lend(lent);
  CHECK(packet->size() == 10);
  CHECK(packet->bytes(0, 3).size() == 3);
  lent[2] = lent[3] = std::byte{2};
  CHECK(packet->bytes(2, 2)[0] == std::byte{1});  // copied before
  CHECK(packet->bytes(2, 2)[1] == std::byte{2});
  CHECK(packet->bytes().size() == 10);
  lent = std::vector<std::byte>(10, std::byte{3});  // its storage may go
  CHECK(packet->bytes()[3] == std::byte{2});
  CHECK(packet->bytes()[9] == std::byte{1});
}

TEST_CASE("packet: storage whose bytes were lent, and never asked for, is as good as any") {
  PacketPool pool;
  const std::vector<std::byte> lent(8, std::byte{1});
  const std::byte* const storage = pool.acquire().lend(lent)->bytes(0, 1).data();
  PacketBuffer again = pool.acquire();
  std::ranges::fill(again.resize(8), std::byte{2});
  const PacketRef packet = std::move(again).seal();
  CHECK(packet->bytes().data() == storage);
  CHECK(packet->bytes()[7] == std::byte{2});
}

}  // namespace hearsay::packet_test
