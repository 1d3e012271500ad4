#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/context.hpp"
#include "runtime/session/parted_edges.hpp"
#include "runtime/session/retention.hpp"
#include "runtime/session/state.hpp"

namespace hearsay {

/// The sending end of the link to one destination.
struct OutgoingLink {
  PeerId to;
  std::uint64_t next_sequence = 0;   ///< number of the next data frame
  std::uint64_t greeted_at = 0;      ///< next_sequence when the last hello was sent
  bool awaits_welcome = true;        ///< whether the last hello is unanswered
  std::string answers_instead = {};  ///< another peer, or the observer, that answers at that address
};

/// The links to all destinations. Numbers the messages, retains them (Retention), and sends them again if the
/// answer to a hello shows that they were lost.
class OutgoingLinks {
 public:
  explicit OutgoingLinks(const PeerSessionInput& input);

  std::vector<OutgoingLink>& all() { return links_; }
  const std::vector<OutgoingLink>& all() const { return links_; }
  OutgoingLink& to(PeerId destination);

  /// Says hello. `has_parted`: the edge is out, and the hello says so.
  void greet(OutgoingLink& link, bool has_parted, SessionContext& context) const;
  /// Says hello to all destinations; before the run begins here, not over edges that are out.
  void greet_all(const PartedEdges& parted, SessionContext& context);
  /// Sends a heartbeat to all destinations: a hello where the last one is unanswered, and where an edge that
  /// is out may come back.
  void show_life(const PartedEdges& parted, SessionContext& context);
  /// Sends and retains a message of the method.
  void send(Outgoing message, Instant posted, SessionContext& context);
  /// True if this is the answer to the last hello.
  bool hear_welcome(OutgoingLink& link, const FrameHeader& welcome, SessionContext& context);
  /// After a welcome: sends again the retained messages of iteration `needed_from` and later, except those
  /// that were sent after the hello, and of long messages the pieces that the destination has:
  /// `pieces_held`, the payload of the welcome. If that is malformed, it has none.
  void send_again(OutgoingLink& link, std::uint64_t needed_from, std::span<const std::byte> pieces_held,
                  SessionContext& context);

  /// The destination can take more pieces of a message.
  void send_more(OutgoingLink& link, const to_neighbor::TakesPieces& word, SessionContext& context);

  /// `to` needs no message of the iterations before `next_needed` any more. Before this peer has begun, those
  /// stay that it needs itself: the run may go back to where this peer waits, if those that have begun die.
  void release(PeerId to, std::uint64_t next_needed, const SessionContext& context) {
    retention_.release(to, context.has_started() ? next_needed : std::min(next_needed, context.next_needed));
  }

  /// Why the caller cannot train from the iteration that its hello names, in a sentence; empty if it can. The
  /// caller's agreement is not looked at here.
  std::string objection_to(const FrameHeader& hello, bool has_parted, const SessionContext& context) const;

  Retention& retention() { return retention_; }
  const Retention& retention() const { return retention_; }
  /// True if some destination may still need a retained message.
  bool retains() const;
  void save(SessionState& state) const;
  void restore(SessionState& state);

 private:
  /// Sends a message, all of it but the pieces that the destination has.
  void send_data(OutgoingLink& link, RetainedMessage& message, const std::vector<bool>& has, Instant posted,
                 SessionContext& context);
  void send_pieces(OutgoingLink& link, RetainedMessage& message, const std::vector<bool>& has, Instant posted,
                   SessionContext& context);
  void send_piece(OutgoingLink& link, const RetainedMessage& message, std::uint32_t number, Instant posted,
                  SessionContext& context);

  std::vector<OutgoingLink> links_;  // ascending
  Retention retention_;
};

}  // namespace hearsay
