#include "runtime/network/egress.hpp"

#include <doctest/doctest.h>

namespace hearsay::egress_test {

using namespace std::chrono_literals;

namespace {

/// A port of a byte a microsecond, and a link of 1 ms.
struct Scene {
  explicit Scene(bool same_machine) : egress(EgressPort({Bandwidth{1e6}, {}}, Framing::none), same_machine) {}

  Egress egress;
  Link link{1, 0, 1, {.latency = 1ms}};

  Egress::Frame frame(FrameKind kind, const PacketPart& packet, Instant now) {
    FrameHeader header;
    header.kind = kind;
    return egress.frame(header, packet, Instant{}, now, link);
  }
};

}  // namespace

TEST_CASE("egress: a message in pieces is due when it would be due in one frame, and so are its pieces") {
  const PacketRef message = packet_with(std::vector<std::byte>(936));
  Scene whole(true), pieces(true);
  const Egress::Frame at_once = whole.frame(FrameKind::data, message, Instant{});
  CHECK(at_once.header.due_ns == Duration(2ms).count());  // 64 + 936 bytes, and the latency
  const PacketRef announced = packet_with(to_neighbor::encode({936, 936, 500}));
  CHECK(pieces.frame(FrameKind::long_message, announced, Instant{}).header.due_ns == at_once.header.due_ns);
  const Egress::Frame first = pieces.frame(FrameKind::message_piece, {message, 0, 500}, Instant{1ms});
  const Egress::Frame last = pieces.frame(FrameKind::message_piece, {message, 500, 436}, Instant{1ms});
  CHECK(first.header.due_ns == at_once.header.due_ns);
  CHECK(last.header.due_ns == at_once.header.due_ns);
  CHECK(last.header.payload_bytes == 436);
  CHECK(last.header.payload_checksum == payload_checksum(message->bytes().last(436)));
  // The next message finds the port as it would after one frame.
  CHECK(pieces.frame(FrameKind::data, message, Instant{}).header.due_ns ==
        whole.frame(FrameKind::data, message, Instant{}).header.due_ns);
}

TEST_CASE("egress: what is sent again takes the time of its bytes, and others see what remains of it") {
  Scene scene(false);
  const PacketRef announced = packet_with(to_neighbor::encode({100'000, 936, 500}));
  const Egress::Frame again = scene.frame(FrameKind::long_message, announced, Instant{});
  CHECK(again.header.flags == flag_remaining_hold);
  CHECK(again.header.due_ns == Duration(2ms).count());
  const PacketRef piece = packet_with(std::vector<std::byte>(500));
  CHECK(scene.frame(FrameKind::message_piece, piece, Instant{500us}).header.due_ns ==
        Duration(1500us).count());
  CHECK(scene.frame(FrameKind::message_piece, piece, Instant{5ms}).header.due_ns == 0);
}

TEST_CASE("egress: a piece of a lent message leaves before the next one is copied") {
  Scene scene(true);
  std::vector<std::byte> vector(936);
  PacketPool packets;
  const PacketRef message = packets.acquire().lend(vector);
  scene.frame(FrameKind::long_message, packet_with(to_neighbor::encode({936, 936, 500})), Instant{});
  const auto first = scene.frame(FrameKind::message_piece, {message, 0, 500}, Instant{});
  CHECK(first.header.payload_checksum == payload_checksum(std::vector<std::byte>(500)));
  vector.front() = vector.back() = std::byte{7};
  const auto last = scene.frame(FrameKind::message_piece, {message, 500, 436}, Instant{});
  CHECK(last.header.payload_checksum == payload_checksum(std::span(vector).last(436)));
  CHECK(message->bytes().front() == std::byte{0});
}

}  // namespace hearsay::egress_test
