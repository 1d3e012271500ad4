#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// How long, in ms, a socket that is being closed may still send its last messages (ZMQ_LINGER).
inline constexpr int last_words_linger_ms = 1000;

/// Returns a new routing id for a DEALER of this peer; README.md of `wire` has its layout. Nobody can guess
/// the id: a second DEALER with the same id would take the connection over. A DEALER keeps its id when it
/// reconnects.
std::string new_routing_id(PeerId peer);

std::span<const std::byte> bytes_of(const zmq::message_t& message);

/// A received frame.
struct ReceivedFrame {
  std::string from;  ///< at a ROUTER: routing id of the DEALER that sent the frame; answers go there
  FrameHeader header;
  zmq::message_t payload;
  std::string host;  ///< of a hello: the address of its sender; empty for other frames or if unknown
};

/// What a receive call has taken from a socket: nothing (no message waits), a frame, or garbage.
enum class Reception { nothing, frame, garbage };

/// The most frames that a thread receives before its other work gets a turn, even if a ROUTER is flooded.
inline constexpr int frames_per_turn = 256;

/// Receives the next message of a ROUTER without waiting. A frame is garbage if its checksums are wrong, if
/// `sender` in its header is not the peer id in the routing id of its DEALER, or if the key of the connection
/// belongs to another peer.
Reception receive_at_router(zmq::socket_t& router, std::size_t payload_limit_bytes, ReceivedFrame& frame);
/// The same for a DEALER, without the check of the routing id; `from` is not set.
Reception receive_at_dealer(zmq::socket_t& dealer, std::size_t payload_limit_bytes, ReceivedFrame& frame);

/// Sends header and payload without waiting. Returns false if the socket's high-water mark is reached, or if
/// a ROUTER has no connection with routing id `to`. Fills in the payload length and checksum of the header.
/// `to` is empty at a DEALER.
bool send_frame(zmq::socket_t& socket, const std::string& to, FrameHeader header,
                std::span<const std::byte> payload);

/// The same for bytes that others share: ZeroMQ does not copy them, if they are many.
bool send_shared(zmq::socket_t& socket, const std::string& to, const FrameHeader& header,
                 const SharedBytes& payload);

/// The same for a packet of a message, or a part of it. `header` has its length and checksum already: they
/// are computed once for all destinations. The bytes of a large packet are not copied; ZeroMQ shares them
/// until they are sent.
bool send_packet(zmq::socket_t& dealer, const FrameHeader& header, const PacketPart& packet);

/// Returns a packet that owns the message, without copying its bytes.
PacketRef packet_of(zmq::message_t&& payload);

}  // namespace hearsay
