#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "runtime/peer/inbox.hpp"

namespace hearsay {

/// A message that its destination may ask for again.
struct RetainedMessage {
  MessageKey key;
  PacketRef packet;
  std::uint64_t sequence;  ///< of the frame in which it travelled last
  MessageMarks marks = {};
};

/// What a peer has sent and its neighbors may still need: if a frame or a whole process is lost on the way,
/// it is sent again, the same bytes. Packets are shared with the frames that carried them, so keeping them
/// costs memory, not copies.
///
/// Of a synchronous method: a message of iteration t is kept until its destination is known to be past t. A
/// neighbor says so with everything it sends, so two messages an edge are kept where both speak in every
/// iteration. Of an asynchronous one: of each slot (request, reply) the newest; a peer has one request out at
/// a time, so an older one was answered, and an older reply was taken in.
class Retention {
 public:
  /// `destinations` ascending.
  Retention(const std::vector<PeerId>& destinations, bool asynchronous);

  void keep(PeerId to, RetainedMessage message);
  /// `to` needs nothing of the iterations before `next_needed` any more.
  void release(PeerId to, std::uint64_t next_needed);
  /// `to` needs nothing of what was sent to it so far.
  void abandon(PeerId to);
  /// What `to` may still need, in the order in which it was sent; may be marked as sent again.
  std::vector<RetainedMessage>& of(PeerId to) { return shelf(to).messages; }
  const std::vector<RetainedMessage>& of(PeerId to) const { return shelf(to).messages; }
  /// Messages of iterations before this one are gone.
  std::uint64_t floor(PeerId to) const { return shelf(to).floor; }

 private:
  struct Shelf {
    PeerId to;
    std::uint64_t floor = 0;
    std::vector<RetainedMessage> messages = {};  // few: an insertion at the end, a short prefix that goes
  };
  std::size_t place(PeerId to) const;
  Shelf& shelf(PeerId to) { return shelves_[place(to)]; }
  const Shelf& shelf(PeerId to) const { return shelves_[place(to)]; }

  std::vector<Shelf> shelves_;
  bool asynchronous_;
};

}  // namespace hearsay
