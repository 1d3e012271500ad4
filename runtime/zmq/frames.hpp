#pragma once

#include <optional>
#include <string>
#include <zmq.hpp>

#include "algorithms/compression/seam/packet.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// How long a socket that closes may still send what was said last.
inline constexpr int last_words_linger_ms = 1000;

/// A new name by which a ROUTER is to know a peer's DEALER. Two DEALERs of one name would take the connection from each
/// other, so nobody else can guess it; a DEALER that reconnects keeps its own.
std::string new_routing_id(PeerId peer);

std::span<const std::byte> bytes_of(const zmq::message_t& message);

/// A frame as it came: the name of the DEALER that sent it (ROUTER only; an answer goes there), its header, its payload.
struct ReceivedFrame {
  std::string from;
  FrameHeader header;
  zmq::message_t payload;
  std::string host;  ///< of a hello: the address that it came from
};

/// What the next message on a socket was: nothing yet, a frame, or garbage.
enum class Reception { nothing, frame, garbage };

/// Frames to take before everything else that a thread has to do gets its turn again, whoever floods its ROUTER.
inline constexpr int frames_per_turn = 256;

/// Takes the next message of a ROUTER without waiting. A frame whose header names another sender than the DEALER it came
/// from, or than the owner of the key with which that one got in, is garbage. Payload checksums are verified.
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
