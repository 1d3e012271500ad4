#include "runtime/zmq/frames.hpp"

#include <sys/random.h>

#include <array>

#include "runtime/foundation/little_endian.hpp"
#include "runtime/security/zap_policy.hpp"
#include "runtime/zmq/despite_signals.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

std::span<const std::byte> bytes_of(const zmq::message_t& message) {
  return {message.data<std::byte>(), message.size()};
}

namespace {

// Smaller payloads are copied: sharing costs an allocation inside ZeroMQ.
constexpr std::size_t share_from_bytes = 2048;

std::optional<PeerId> peer_of(const zmq::message_t& id) {
  const auto bytes = bytes_of(id);
  if (bytes.size() < 5 || bytes[0] != std::byte{'h'}) return std::nullopt;
  return load_little_endian<std::uint32_t>(bytes.subspan(1));
}

/// True if the connection may send frames of `sender`: it has the key of that peer, or no key (then it has no
/// User-Id).
bool may_speak_as(const zmq::message_t& header, PeerId sender) {
  const char* const user = zmq_msg_gets(header.handle(), "User-Id");
  return user == nullptr || user_of(sender) == user;
}

bool receive_part(zmq::socket_t& socket, zmq::message_t& part,
                  zmq::recv_flags flags = zmq::recv_flags::none) {
  return despite_signals([&] { return socket.recv(part, flags).has_value(); });
}

/// Sends a part without waiting. Returns false if ZeroMQ does not take it. `part` is a message, which ZeroMQ
/// takes over, or bytes, which it copies.
bool send_part(zmq::socket_t& socket, auto&& part, zmq::send_flags more = zmq::send_flags::none) {
  return despite_signals([&] { return socket.send(part, more | zmq::send_flags::dontwait).has_value(); });
}

/// Receives the payload that follows `header`, and checks both. Discards parts beyond these two; the message
/// is garbage then.
Reception receive_parts(zmq::socket_t& socket, zmq::message_t header, std::size_t payload_limit_bytes,
                        ReceivedFrame& frame) {
  bool intact = header.more();
  bool more = header.more();
  if (more) {
    intact = receive_part(socket, frame.payload);
    more = frame.payload.more();
  }
  while (more) {  // a frame has no such parts
    zmq::message_t excess;
    intact = false;
    more = receive_part(socket, excess) && excess.more();
  }
  if (!intact) return Reception::garbage;
  const DecodedHeader decoded = decode_header(bytes_of(header), payload_limit_bytes);
  if (decoded.defect != FrameDefect::none || !payload_intact(decoded.header, bytes_of(frame.payload)))
    return Reception::garbage;
  if (!may_speak_as(header, decoded.header.sender)) return Reception::garbage;
  frame.header = decoded.header;
  frame.host.clear();
  if (decoded.header.kind == FrameKind::hello)
    if (const char* const host = zmq_msg_gets(header.handle(), "Peer-Address")) frame.host = host;
  return Reception::frame;
}

class ReceivedPacket final : public Packet {
 public:
  explicit ReceivedPacket(zmq::message_t&& payload) : payload_(std::move(payload)) {
    bytes_ = bytes_of(payload_);
  }
  void retire() override { delete this; }

 private:
  zmq::message_t payload_;
};

}  // namespace

std::string new_routing_id(PeerId peer) {
  std::array<std::byte, 20> bytes{};
  store_little_endian(std::uint32_t{peer}, std::span(bytes).first(4));
  const auto unguessable = std::span(bytes).subspan(4);
  ensure(getrandom(unguessable.data(), unguessable.size(), 0) == static_cast<ssize_t>(unguessable.size()),
         "so few random bytes come at once");
  std::string id = "h";
  for (const std::byte byte : bytes) id.push_back(static_cast<char>(byte));
  return id;
}

Reception receive_at_router(zmq::socket_t& router, std::size_t payload_limit_bytes, ReceivedFrame& frame) {
  zmq::message_t id;
  if (!receive_part(router, id, zmq::recv_flags::dontwait)) return Reception::nothing;
  if (!id.more()) return Reception::garbage;
  zmq::message_t header;
  if (!receive_part(router, header)) return Reception::garbage;
  const Reception reception = receive_parts(router, std::move(header), payload_limit_bytes, frame);
  frame.from = id.to_string();
  const bool own_socket = peer_of(id) == frame.header.sender;
  return reception == Reception::frame && !own_socket ? Reception::garbage : reception;
}

Reception receive_at_dealer(zmq::socket_t& dealer, std::size_t payload_limit_bytes, ReceivedFrame& frame) {
  zmq::message_t header;
  if (!receive_part(dealer, header, zmq::recv_flags::dontwait)) return Reception::nothing;
  return receive_parts(dealer, std::move(header), payload_limit_bytes, frame);
}

namespace {

/// Sends all parts but the payload. Returns false if ZeroMQ does not take them.
bool send_head(zmq::socket_t& socket, const std::string& to, FrameHeader header,
               std::span<const std::byte> payload) {
  header.payload_bytes = payload.size();
  header.payload_checksum = payload_checksum(payload);
  std::array<std::byte, header_bytes> head{};
  encode_header(header, head);
  try {
    if (!to.empty() && !send_part(socket, zmq::buffer(to), zmq::send_flags::sndmore)) return false;
  } catch (const zmq::error_t&) {
    return false;  // ROUTER_MANDATORY: no connection has this routing id
  }
  // Once ZeroMQ has taken the first part of a message, it takes the others, too.
  return send_part(socket, zmq::buffer(head), zmq::send_flags::sndmore);
}

}  // namespace

bool send_frame(zmq::socket_t& socket, const std::string& to, FrameHeader header,
                std::span<const std::byte> payload) {
  return send_head(socket, to, header, payload) &&
         send_part(socket, zmq::buffer(payload.data(), payload.size()));
}

bool send_shared(zmq::socket_t& socket, const std::string& to, const FrameHeader& header,
                 const SharedBytes& payload) {
  const std::span<const std::byte> bytes = payload;
  if (bytes.size() < share_from_bytes) return send_frame(socket, to, header, bytes);
  if (!send_head(socket, to, header, bytes)) return false;
  const auto give_back = [](void*, void* shared) { delete static_cast<SharedBytes*>(shared); };
  zmq::message_t shared(const_cast<std::byte*>(bytes.data()), bytes.size(), give_back,
                        new SharedBytes(payload));
  return send_part(socket, shared);
}

bool send_packet(zmq::socket_t& dealer, const FrameHeader& header, const PacketPart& packet) {
  std::array<std::byte, header_bytes> head{};
  encode_header(header, head);
  if (!send_part(dealer, zmq::buffer(head), zmq::send_flags::sndmore)) return false;
  const std::span<const std::byte> bytes = packet.bytes();
  if (bytes.size() < share_from_bytes) return send_part(dealer, zmq::buffer(bytes.data(), bytes.size()));
  const auto give_back = [](void*, void* shared) { PacketRef::adopt(static_cast<Packet*>(shared)); };
  zmq::message_t shared(const_cast<std::byte*>(bytes.data()), bytes.size(), give_back,
                        PacketRef(packet.packet).detach());
  return send_part(dealer, shared);
}

PacketRef packet_of(zmq::message_t&& payload) { return PacketRef(new ReceivedPacket(std::move(payload))); }

}  // namespace hearsay
