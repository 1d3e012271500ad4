#include "algorithms/methods/parts/mixing_by_pieces.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/parts/vector_on_the_way.hpp"
#include "tests/support/silent_host.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::mixing_by_pieces_test {

namespace {

template <class Scalar>
Vector<Scalar> gaussian(Index d, PeerId id) {
  RandomStream stream(7, id, 0, Purpose::data);
  Vector<Scalar> x(d);
  for (Scalar& value : x) value = static_cast<Scalar>(stream.normal());
  return x;
}

template <class Scalar>
std::span<const std::byte> bytes_of(const Vector<Scalar>& vector) {
  return std::as_bytes(view(vector));
}

/// A peer that hears peers 1, 3 and 4. The test brings their messages.
template <class Scalar>
struct Scene final : SilentHost<Scalar> {
  explicit Scene(bool in_pieces = true) : comes_in_pieces(in_pieces) {
    row.self_weight = 0.3;
    row.hears = {{1, 0.3}, {3, 0.25}, {4, 0.15}};
    iteration.begin(1, step_sizes);
    iteration.mix_by(row);
    iteration.turn_to(0);
  }

  bool takes_pieces() const override { return comes_in_pieces; }
  void take_pieces(Slot, PieceTaker& by) override { taker = &by; }

  PacketRef packet(const Vector<Scalar>& vector) {
    return packet_with({bytes_of(vector).begin(), bytes_of(vector).end()});
  }

  bool comes_in_pieces;
  MixingRow row;
  PieceTaker* taker = nullptr;
  StepSize step_sizes{0.1, "constant", 0};
  Silence silence{5};
  Iteration<Scalar> iteration{*this, PeerRows(silence, 0), 1};
};

/// Brings all messages in pieces of `piece` coordinates, in an order drawn by `random`. A piece that is not
/// taken is offered again later, as its receiver does.
template <class Scalar>
void bring(PieceTaker& taker, const std::map<PeerId, Vector<Scalar>>& messages, Index piece,
           RandomStream& random) {
  std::map<PeerId, Index> taken;
  std::vector<PeerId> open;
  for (const auto& [id, message] : messages) open.push_back(id);
  while (!open.empty()) {
    const auto k = static_cast<std::ptrdiff_t>(random.below(open.size()));
    const PeerId id = open[static_cast<std::size_t>(k)];
    const Vector<Scalar>& message = messages.at(id);
    const Index size = std::min(piece, message.size() - taken[id]);
    const auto from = static_cast<std::size_t>(taken[id]) * sizeof(Scalar);
    if (taker.take(id, from,
                   bytes_of(message).subspan(from, static_cast<std::size_t>(size) * sizeof(Scalar))))
      taken[id] += size;
    if (taken[id] < message.size()) continue;
    taker.end(id, bytes_of(message).size());
    open.erase(open.begin() + k);
  }
}

}  // namespace

TEST_CASE_TEMPLATE("mixing by pieces: whatever order pieces come in, the bits are those of whole messages",
                   Scalar, float, double) {
  const std::vector<PacketRef> taken(3, packet_with({}));
  for (const Index d : {1L, 7L, 4096L, 20000L})
    for (const Index piece : {1L, 5L, 4096L, 5000L, 30000L}) {
      if (d > 100 && piece < 100) continue;
      CAPTURE(d);
      CAPTURE(piece);
      const Vector<Scalar> own = gaussian<Scalar>(d, 0);
      const std::map<PeerId, Vector<Scalar>> messages = {
          {1, gaussian<Scalar>(d, 1)}, {3, gaussian<Scalar>(d, 3)}, {4, gaussian<Scalar>(d, 4)}};
      Scene<Scalar> scene;
      std::vector<PacketRef> whole;
      for (const auto& [id, message] : messages) whole.push_back(scene.packet(message));
      Vector<Scalar> mixed_whole = own, pull_whole = Vector<Scalar>::Zero(d);
      add_differences<Scalar>(scene.row, whole, own, 0.7, mixed_whole);
      add_differences<Scalar>(scene.row, whole, own, 1.0, pull_whole);
      RandomStream random(5, 0, 0, Purpose::data);
      for (int repeat = 0; repeat < 10; ++repeat) {
        Vector<Scalar> mixed(d), pull(d);
        MixingByPieces<Scalar> mixing;
        mixing.begin_mixing(scene.iteration, 0, own, 0.7, mixed);
        bring<Scalar>(*scene.taker, messages, piece, random);
        CHECK(mixing.finish(scene.row, taken) == CodecStatus::ok);
        CHECK(mixed == mixed_whole);
        mixing.begin_pull(scene.iteration, 1, own, pull);
        bring<Scalar>(*scene.taker, messages, piece, random);
        CHECK(mixing.finish(scene.row, taken) == CodecStatus::ok);
        CHECK(pull == pull_whole);
      }
      Scene<Scalar> of_short(false);
      Vector<Scalar> mixed(d);
      MixingByPieces<Scalar> mixing;
      mixing.begin_mixing(of_short.iteration, 0, own, 0.7, mixed);
      CHECK(of_short.taker == nullptr);
      CHECK(mixing.finish(of_short.row, whole) == CodecStatus::ok);
      CHECK(mixed == mixed_whole);
    }
}

TEST_CASE("mixing by pieces: a piece waits for those of the neighbors before it, and for nothing else") {
  Scene<float> scene;
  const Vector<float> own = gaussian<float>(8, 0), other = gaussian<float>(8, 1);
  Vector<float> mixed(8);
  MixingByPieces<float> mixing;
  mixing.begin_mixing(scene.iteration, 0, own, 1.0, mixed);
  const auto offer = [&](PeerId id, std::size_t from, std::size_t count) {
    return scene.taker->take(id, 4 * from, bytes_of(other).subspan(4 * from, 4 * count));
  };
  CHECK_FALSE(offer(3, 0, 4));
  CHECK(offer(1, 0, 4));
  CHECK_FALSE(offer(4, 0, 4));
  CHECK(offer(3, 0, 3));
  CHECK_FALSE(offer(3, 3, 4));
  CHECK(offer(4, 0, 3));
  CHECK(offer(3, 3, 1));
}

TEST_CASE("mixing by pieces: a message of another size is malformed, and nobody waits for the rest of it") {
  for (const PeerId wrong : {1u, 3u, 4u})
    for (const std::size_t bytes : {0u, 4u, 12u, 40u}) {
      CAPTURE(wrong);
      CAPTURE(bytes);
      Scene<float> scene;
      const Vector<float> own = gaussian<float>(8, 0), longer = gaussian<float>(10, 2);
      std::map<PeerId, Vector<float>> messages;
      for (const auto& [id, weight] : scene.row.hears) messages[id] = gaussian<float>(8, id);
      messages.erase(wrong);
      Vector<float> mixed(8);
      MixingByPieces<float> mixing;
      mixing.begin_mixing(scene.iteration, 0, own, 1.0, mixed);
      CHECK(scene.taker->take(7, 0, bytes_of(longer)));  // nobody that is heard
      scene.taker->end(7, 40);
      if (bytes > 32) CHECK(scene.taker->take(wrong, 0, bytes_of(longer)));
      scene.taker->end(wrong, bytes);
      RandomStream random(5, 0, 0, Purpose::data);
      bring<float>(*scene.taker, messages, 3, random);
      CHECK(mixing.finish(scene.row, std::vector<PacketRef>(3, packet_with({}))) == CodecStatus::malformed);
      Vector<float> expected = own;
      for (const auto& [id, weight] : scene.row.hears)
        if (id != wrong) expected += static_cast<float>(weight) * (messages.at(id) - own);
      CHECK(mixed == expected);
    }
}

TEST_CASE("vector on the way: its storage stays with its packets, and then becomes that of a later one") {
  VectorOnTheWay<float> travelling;
  Vector<float> x = gaussian<float>(5, 0), next = gaussian<float>(5, 1);
  const Vector<float> first = x, second = next;
  const float* const storage = x.data();
  PacketRef packet = travelling.packet(x);
  CHECK(static_cast<const void*>(packet->bytes().data()) == storage);
  travelling.replace(x, next);
  CHECK(x == second);
  REQUIRE(next.size() == 5);
  CHECK(next.data() != storage);
  CHECK(std::ranges::equal(packet->bytes(), bytes_of(first)));
  next.setZero();
  packet = travelling.packet(x);  // nobody has the first one any more
  travelling.replace(x, next);
  CHECK(next.data() == storage);
  CHECK(std::ranges::equal(packet->bytes(), bytes_of(second)));
  travelling.leave(x);  // nobody was sent this one
  CHECK(x == Vector<float>::Zero(5));
}

TEST_CASE("vector on the way: packets outlive their sender") {
  PacketRef packet;
  {
    VectorOnTheWay<double> travelling;
    Vector<double> x = gaussian<double>(5, 0);
    packet = travelling.packet(x);
    travelling.leave(x);
    CHECK(x.size() == 0);
  }
  CHECK(std::ranges::equal(packet->bytes(), bytes_of(gaussian<double>(5, 0))));
}

}  // namespace hearsay::test::mixing_by_pieces_test
