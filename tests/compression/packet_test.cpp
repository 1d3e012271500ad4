#include "algorithms/compression/seam/packet.hpp"

#include <doctest/doctest.h>

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

}  // namespace hearsay::packet_test
