#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// How long a socket that is being closed may still send its last messages.
inline constexpr int last_words_linger_ms = 1000;

/// A new name by which a ROUTER knows a peer's DEALER. Nobody can guess it, since a second DEALER of the same
/// name would take the connection over. A DEALER that reconnects keeps its name.
std::string new_routing_id(PeerId peer);

std::span<const std::byte> bytes_of(const zmq::message_t& message);

/// A frame as it was received: the name of the DEALER that sent it (ROUTER only; an answer is sent to it),
/// its header, its payload.
struct ReceivedFrame {
  std::string from;
  FrameHeader header;
  zmq::message_t payload;
  std::string host;  ///< of a hello: the address from which it came
};

/// What the next message on a socket was: nothing yet, a frame, or garbage.
enum class Reception { nothing, frame, garbage };

/// How many frames a thread takes at most before its other work gets a turn, even if a ROUTER is flooded.
inline constexpr int frames_per_turn = 256;

/// Takes the next message of a ROUTER without waiting. A frame is garbage if its header names another sender
/// than its DEALER or than the owner of the key that let the DEALER in. Payload checksums are verified.
Reception receive_at_router(zmq::socket_t& router, std::size_t payload_limit_bytes, ReceivedFrame& frame);
/// The same for a DEALER.
Reception receive_at_dealer(zmq::socket_t& dealer, std::size_t payload_limit_bytes, ReceivedFrame& frame);

/// Sends header and payload without waiting; false if the socket's high-water mark is reached. The header's
/// payload length and checksum are filled in here. `to` is a routing id at a ROUTER, empty at a DEALER.
bool send_frame(zmq::socket_t& socket, const std::string& to, FrameHeader header,
                std::span<const std::byte> payload);

/// The same for a data packet. `header` has its length and checksum already, which are computed once for all
/// its sends. The bytes are not copied: ZeroMQ shares them until they are sent.
bool send_packet(zmq::socket_t& dealer, const FrameHeader& header, const PacketRef& packet);

/// A packet around a received message: its bytes stay where ZeroMQ put them.
PacketRef packet_of(zmq::message_t&& payload);

}  // namespace hearsay
