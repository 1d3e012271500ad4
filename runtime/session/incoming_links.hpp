#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "runtime/session/context.hpp"
#include "runtime/session/incoming_link.hpp"
#include "runtime/session/parted_edges.hpp"

namespace hearsay {

/// The links from all sources. Finds which of their frames are missing, and asks for those again; tells
/// sources which messages this peer needs no more; knows when each was last heard, and its process from the
/// next one.
class IncomingLinks {
 public:
  explicit IncomingLinks(const std::vector<PeerId>& sources);

  /// Returns the link from `id`; null if it is no source.
  const IncomingLink* find(PeerId id) const;
  IncomingLink* find(PeerId id);

  /// True if a frame of a source can be what it says. Else it is garbage, and its number is not taken: so
  /// it is missing.
  bool fits(const FrameHeader& head, std::span<const std::byte> payload, const SessionContext& context) const;
  /// Takes in the number of a frame of a message, or of an alive frame. Asks for another hello if a frame is
  /// missing.
  IncomingLink::Frame take(const FrameHeader& head, SessionContext& context);
  /// Takes in a frame of a long message, which is no repetition. Returns the message if it is whole now.
  std::optional<WholeMessage> take_long(const FrameHeader& head, std::span<const std::byte> payload,
                                        SessionContext& context);
  /// Hands the pieces that wait to who takes them in (context.pieces), and permits others. A message that has
  /// been taken in whole becomes an event.
  void offer_pieces(SessionContext& context);
  /// Tells sources which pieces they may send: those that may not know it, or all.
  void permit_pieces(bool all, SessionContext& context);
  /// This peer needs no message of earlier iterations any more. False if that was known.
  bool need_from(std::uint64_t iteration, SessionContext& context);
  /// Policy "drop": the sender, which may be no source, has agreed that the edge be in again.
  void note_agreement(const FrameHeader& head) {
    if (IncomingLink* const link = find(head.sender)) link->agrees(head.incarnation);
  }
  /// True if `hello` is of another process than the one that this peer has trained with. `kept_from`: the
  /// first iteration whose messages to it this peer still has.
  bool is_of_successor(const FrameHeader& hello, std::uint64_t kept_from) const;
  /// Any frame came, of a source or a stranger.
  void note_heard(PeerId sender, Instant now) {
    if (IncomingLink* const link = find(sender)) link->heard_at = now;
  }
  Instant last_heard_from(PeerId source) const;

  /// Tells all sources what this peer needs.
  void say_what_is_needed(SessionContext& context) const;
  /// The same, but not those that learn it from the next message: they are destinations, too. The other ones
  /// retain their messages until they are told.
  void say_what_is_needed_to_quiet(SessionContext& context) const;
  /// Sends a heartbeat to the sources that are no destinations, over edges that are in.
  void show_life(const PartedEdges& parted, SessionContext& context) const;

 private:
  std::vector<IncomingLink> links_;  // ascending
};

}  // namespace hearsay
