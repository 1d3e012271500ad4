#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/peer/joining.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/session/between_members.hpp"
#include "runtime/session/context.hpp"
#include "runtime/session/edge_request.hpp"
#include "runtime/session/entrance.hpp"
#include "runtime/session/incoming_links.hpp"
#include "runtime/session/joining.hpp"
#include "runtime/session/observer_link.hpp"
#include "runtime/session/outgoing_links.hpp"
#include "runtime/session/parted_edges.hpp"
#include "runtime/session/state.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "runtime/wire/words_to_neighbor.hpp"

namespace hearsay {

/// One peer's session: everything that it says beside its method. It shakes hands with neighbors and
/// observer, sends heartbeats, and sends lost messages again. Pure: frames, commands and time go in; frames
/// (`outbox`) and events (`events`) come out.
///
///     hello -> welcome | refuse     to each destination; the same to the observer, then ready -> start
///
/// A hello names the number of its sender's next data frame. The welcome names the first iteration whose
/// messages the receiver needs; the sender then sends those that it retains again. A receiver that finds a
/// frame missing (a gap in the numbers, or a sender that has not greeted this process) asks for another hello
/// (`again`). So a broken connection, a damaged frame and a restarted neighbor are repaired in the same way.
class PeerSession {
 public:
  explicit PeerSession(PeerSessionInput input);

  /// Says hello to all; a peer that resumes, to the observer alone, which names its checkpoint (ResumeFrom).
  void begin(Instant now);
  /// The peer has been restored from a checkpoint: takes up `state` and greets the neighbors.
  void resume(SessionState state);
  /// This peer needs no message of the iterations before `iteration` any more. All later frames say so;
  /// sources to which this peer sends no messages are told at once.
  void needs_from(std::uint64_t iteration);
  /// Tells all sources at once what this peer needs no more: it leaves, and no other frame will say so.
  void say_what_it_needs() { incoming_.say_what_is_needed(context_); }
  /// Policy "drop": tells the observer that this peer runs without it, or has it back; calls alternate.
  void turn_from_observer(std::uint64_t needed) {
    needs_from(needed);
    observer_.turn();
    observer_.show_life(context_);
  }
  /// Before the start: another peer refuses its connection, so this one takes no part. `reason`: a sentence.
  void shut_out(const std::string& reason) {
    if (!context_.has_started()) context_.fail(2, reason);
  }
  /// A possible reason for a late start. It ends the sentence with which this peer gives up waiting.
  void doubt(const std::string& why) { entrance_.doubt(why); }
  /// Policy "drop": an edge leaves, or comes back. While it is out no message of the method passes over it.
  /// Its ends say hello at every heartbeat (and that the edge is out) until they hear each other again.
  void send_edge_request(const EdgeRequest& request) {
    parted_.send_edge_request(request, outgoing_.retention(), context_);
  }
  /// Answers ModelAsked.
  void give(const ModelCopy& copy) { Joining::give(copy, context_); }
  BetweenMembers members() { return {context_, outgoing_, incoming_, letters_}; }
  /// Sends a message of the method. Does nothing if the edge is out.
  void send(Outgoing message, Instant posted) {
    if (parted_.contains(message.to)) return;
    if (!context_.input.asynchronous)
      needs_from(first_needed_in(message.key.iteration, context_.input.staleness));
    outgoing_.send(std::move(message), posted, context_);
  }
  /// Sends a frame to the observer; `report.payload` may be empty.
  void tell_observer(Report report) { observer_.tell(std::move(report), context_); }
  /// Tells the observer and all destinations that the run ends now, with this exit code and sentence.
  void say_stop(int exit_code, const std::string& reason) { context_.say_stop(exit_code, reason); }
  /// Sends heartbeats, and gives up if the run has not begun in time. Returns when to call this again.
  Instant tick(Instant now);

  /// Handles a frame that a source has sent to this peer's ROUTER.
  FrameUse hear_source(const FrameHeader& header, std::span<const std::byte> payload, Instant now) {
    const FrameUse use = take_from_source(header, payload);
    if (use == FrameUse::garbage) return use;
    incoming_.note_heard(header.sender, now);
    if (header.kind == FrameKind::offer) incoming_.note_agreement(header);
    return use;
  }
  /// Handles a reply that came at the DEALER which is connected to `destination`.
  FrameUse hear_destination(PeerId destination, const FrameHeader& header,
                            std::span<const std::byte> payload);
  /// Handles a frame that came at the DEALER which is connected to the observer.
  FrameUse hear_observer(const FrameHeader& header, std::span<const std::byte> payload, Instant now) {
    const FrameUse use = take_from_observer(header, payload, now);
    if (use != FrameUse::garbage) note_life_of_observer(now);
    return use;
  }
  /// From now on `hearer` takes in long messages piece by piece: what it cannot yet is offered again.
  void hand_pieces_to(PieceHearer& hearer) { context_.pieces = &hearer; }
  void offer_pieces() {
    if (context_.pieces) incoming_.offer_pieces(context_);
  }
  /// The long message that has just come whole: `hear_source` has taken its last missing piece for data.
  WholeMessage take_whole() { return *std::exchange(whole_, std::nullopt); }
  /// A message of a source, which `hear_source` has taken for data, is due.
  void release(DataArrived data) { context_.events.push_back(std::move(data)); }

  /// When any frame last came from there. A peer that computes or waits still sends heartbeats.
  Instant last_heard_from(PeerId source) const { return incoming_.last_heard_from(source); }
  /// When the run's time began; empty before the start.
  const std::optional<Instant>& origin() const { return entrance_.origin(); }
  /// The newest evaluation whose verdict has come; empty if none has.
  std::optional<std::uint64_t> last_verdict() const { return observer_.last_verdict(); }
  Instant last_heard_from_observer() const { return observer_heard_at_; }
  /// A frame of the observer came that the session does not see yet, or not as it came.
  void note_life_of_observer(Instant now) { observer_heard_at_ = now; }

  const PeerSessionInput& input() const { return context_.input; }
  std::vector<PeerFrame>& outbox() { return context_.outbox; }
  std::vector<SocketEvent>& events() { return context_.events; }

  using Counters = SessionContext::Counters;
  const Counters& counters() const { return context_.counters; }
  /// True if some neighbor may still need a message of this peer.
  bool retains() const { return outgoing_.retains(); }
  /// Returns what a later process hands to `resume`, if this one ends now.
  SessionState state() const {
    SessionState state{};
    state.next_needed = context_.next_needed;
    outgoing_.save(state);
    observer_.save(state);
    return state;
  }

 private:
  void greet(OutgoingLink& link) { outgoing_.greet(link, parted_.contains(link.to), context_); }
  void greet_neighbors() { outgoing_.greet_all(parted_, context_); }
  void tell_when_ready() {
    if (entrance_.completes_greetings(context_)) observer_.say_ready(context_);
  }
  void show_life();
  void show_that_it_joins();
  StartReport report() const { return entrance_.report(context_, outgoing_, observer_); }

  FrameUse take_from_source(const FrameHeader& head, std::span<const std::byte> payload);
  FrameUse take_from_observer(const FrameHeader& head, std::span<const std::byte> payload, Instant now);
  FrameUse hear_frame(const FrameHeader& head, std::span<const std::byte> payload);
  void hear_hello(const FrameHeader& hello, std::span<const std::byte> payload);
  void answer_hello(const FrameHeader& hello, std::span<const std::byte> payload);
  FrameUse hear_parted(const FrameHeader& head, std::span<const std::byte> payload);
  void hear_that_it_parted(const FrameHeader& parted, std::span<const std::byte> why);
  bool is_of_successor(const FrameHeader& hello) const;
  void begin_joining(PeerId neighbor);
  FrameUse hear_model(const FrameHeader& head, std::span<const std::byte> payload);
  void hear_start(const from_observer::Start& start, Instant now);
  void hear_departed(const from_observer::Departed& departed, std::string how);
  /// Somebody else ends the run. Before it has begun, this peer adds what it knows of the reason.
  void hear_stop(const FrameHeader& stop, std::span<const std::byte> payload) {
    RunStops stops{exit_code_of(stop), printable_text(payload)};
    if (!context_.has_started() && stops.exit_code == 3) stops.reason += report().known_here();
    context_.events.push_back(std::move(stops));
  }

  SessionContext context_;
  OutgoingLinks outgoing_;
  IncomingLinks incoming_;
  PartedEdges parted_;
  ObserverLink observer_;
  Entrance entrance_;
  std::optional<WholeMessage> whole_;
  std::vector<LetterArrived> letters_;
  Instant observer_heard_at_{};
  Instant next_heartbeat_{};
};

}  // namespace hearsay
