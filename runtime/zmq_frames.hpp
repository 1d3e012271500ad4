#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

#include "algorithms/compression/packet.hpp"
#include "runtime/wire.hpp"

namespace hearsay {

/// How long a socket that closes may still send what was said last.
inline constexpr int last_words_linger_ms = 1000;

/// The ROUTER knows a peer's DEALER by this name.
std::string routing_id(PeerId peer);

std::span<const std::byte> bytes_of(const zmq::message_t& message);

/// A frame as it came: whose DEALER sent it (ROUTER only), its header, its payload.
struct ReceivedFrame {
  FrameHeader header;
  zmq::message_t payload;
};

/// What the next message on a socket was: nothing yet, a frame, or garbage.
enum class Reception { nothing, frame, garbage };

/// Takes the next message of a ROUTER without waiting. A frame whose header names another sender than the socket it came
/// through is garbage. Payload checksums are verified.
Reception receive_at_router(zmq::socket_t& router, std::size_t payload_limit_bytes, ReceivedFrame& frame);
/// The same for a DEALER.
Reception receive_at_dealer(zmq::socket_t& dealer, std::size_t payload_limit_bytes, ReceivedFrame& frame);

/// Sends header and payload without waiting; false where the socket's high-water mark is reached. The header's payload
/// length and checksum are filled in here. `to` is a routing id at a ROUTER, empty at a DEALER.
bool send_frame(zmq::socket_t& socket, const std::string& to, FrameHeader header,
                std::span<const std::byte> payload);

/// The same for a data packet; `header` has its length and checksum already, which are computed once for all its sends.
/// Its bytes are not copied, ZeroMQ shares them until they are sent.
bool send_packet(zmq::socket_t& dealer, const FrameHeader& header, const PacketRef& packet);

/// A packet around a received message: its bytes are read where ZeroMQ put them.
PacketRef packet_of(zmq::message_t&& payload);

}  // namespace hearsay
