#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/peer/inbox.hpp"

namespace hearsay {

/// A message that may have to be sent again.
struct RetainedMessage {
  MessageKey key;
  PacketRef packet;
  std::uint64_t sequence;  ///< number of the frame that carried the message last
  MessageMetadata metadata = {};
  std::uint32_t permitted = 0;  ///< how many pieces of a long message may have been sent
};

/// The messages that a peer has sent and its destinations may still need. If a frame or a whole process is
/// lost, the same bytes are sent again. Packets are shared with the frames that carried them, so retaining
/// them copies nothing.
///
/// Synchronous methods: a message of iteration t is kept until its destination is known to need it no more.
/// Every frame of a neighbor says what it still needs. So two messages per edge are kept if both ends send in
/// every iteration.
///
/// Asynchronous methods: the newest message of each slot (request, reply) is kept. A peer has one request out
/// at a time, so older requests were answered, and older replies were received.
class Retention {
 public:
  /// `destinations` ascending.
  Retention(const std::vector<PeerId>& destinations, bool asynchronous);

  void keep(PeerId to, RetainedMessage message);
  /// Drops the messages to `to` of iterations before `next_needed`. Does nothing for asynchronous methods.
  void release(PeerId to, std::uint64_t next_needed);
  /// Drops all messages to `to`; its floor is 0 again.
  void abandon(PeerId to);
  /// The messages that `to` may still need, in the order in which they were sent. The caller updates
  /// `sequence` when it sends one again.
  std::vector<RetainedMessage>& of(PeerId to) { return shelf(to).messages; }
  const std::vector<RetainedMessage>& of(PeerId to) const { return shelf(to).messages; }
  /// The first iteration whose messages to `to` are still kept: the largest `next_needed` released so far.
  std::uint64_t floor(PeerId to) const { return shelf(to).floor; }

 private:
  struct Shelf {
    PeerId to;
    std::uint64_t floor = 0;
    std::vector<RetainedMessage> messages = {};  // few: added at the end, dropped from the front
  };
  std::size_t place(PeerId to) const;
  Shelf& shelf(PeerId to) { return shelves_[place(to)]; }
  const Shelf& shelf(PeerId to) const { return shelves_[place(to)]; }

  std::vector<Shelf> shelves_;
  bool asynchronous_;
};

}  // namespace hearsay
