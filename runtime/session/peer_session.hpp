#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/peer/joining.hpp"
#include "runtime/peer/staleness.hpp"
#include "runtime/session/context.hpp"
#include "runtime/session/edge_request.hpp"
#include "runtime/session/greetings.hpp"
#include "runtime/session/incoming_link.hpp"
#include "runtime/session/joining.hpp"
#include "runtime/session/observer_link.hpp"
#include "runtime/session/outgoing_links.hpp"
#include "runtime/session/parted_edges.hpp"
#include "runtime/session/start_wait.hpp"
#include "runtime/session/state.hpp"
#include "runtime/wire/words_from_observer.hpp"

namespace hearsay {

/// A peer's side of a run, beside its method: it greets its neighbors and the observer, shows signs of life,
/// and sees to it that nothing is lost. Pure: frames, commands and time go in; frames (`outbox`) and events
/// come out.
///
///     hello -> welcome | refuse     to each destination; the same to the observer, then ready -> start
///
/// A hello says from which number on the data frames of its sender count. The welcome says from which
/// iteration on the receiver needs messages; those that the sender retained from there on are sent again.
/// Whoever finds a frame missing (a gap in the numbers, or a sender that has not greeted this process) asks
/// for another hello (`again`). So a broken connection, a damaged frame and a neighbor that was started anew
/// are all mended in the same way, and what arrives twice is dropped here or by the inbox.
class PeerSession {
 public:
  explicit PeerSession(PeerSessionInput input);

  /// Says hello to everybody; if the peer resumes, to the observer alone, which answers from which checkpoint
  /// (ResumeFrom).
  void begin(Instant now);
  /// The peer has been restored. Takes up `state` and greets the neighbors.
  void go_on(SessionState state);
  /// This peer needs no message of the iterations before this one. Whoever sends one in an iteration says so,
  /// too.
  void needs_from(std::uint64_t iteration);
  /// Policy "drop": the peer goes on without the observer from now on, or no longer, and tells it no
  /// evaluation or again each; it has completed so many iterations.
  void turn_from_observer(std::uint64_t completed) {
    needs_from(completed + 1);
    observer_.turn();
    observer_.show_life(context_);
  }
  /// Some peer will never let this one in, as the sentence says.
  void shut_out(const std::string& reason) {
    if (!context_.has_started()) context_.fail(2, reason);
  }
  /// Why the run may not begin in time, should it not: the end of a sentence.
  void doubt(const std::string& why) { start_.doubt(why); }
  /// Policy "drop": an edge is out, or to be in again. While it is out no message is said or heard, but its
  /// ends greet each other with every sign of life (a hello that says so), until they hear each other again.
  void obey(const EdgeWish& wish) { parted_.obey(wish, outgoing_.retention(), context_); }
  /// The answer to ModelAsked.
  void give(const ModelCopy& copy) { Joining::give(copy, context_); }
  /// A message of the method.
  void send(Outgoing message, Instant posted) {
    if (parted_.contains(message.to)) return;
    if (!context_.input.asynchronous)
      needs_from(first_needed_in(message.key.iteration, context_.input.staleness));
    outgoing_.send(std::move(message), posted, context_);
  }
  /// To the observer; `payload` may be empty.
  void tell_observer(Told told) { observer_.tell(std::move(told), context_); }
  /// To the observer and to all neighbors: the run ends now, with this exit code and sentence.
  void say_stop(int exit_code, const std::string& reason) { context_.say_stop(exit_code, reason); }
  /// Signs of life, and what waits too long for the run to begin. Returns when to be called again.
  Instant tick(Instant now);

  using Heard = FrameUse;
  /// A frame at the socket that sources call. Of data, the caller delivers the payload, when it is due.
  FrameUse hear_source(const FrameHeader& header, std::span<const std::byte> payload);
  /// A reply at the socket that is connected to `destination`.
  FrameUse hear_destination(PeerId destination, const FrameHeader& header,
                            std::span<const std::byte> payload);
  FrameUse hear_observer(const FrameHeader& header, std::span<const std::byte> payload, Instant now);

  std::vector<PeerWord>& outbox() { return context_.outbox; }
  std::vector<SocketEvent>& events() { return context_.events; }

  using Counters = SessionContext::Counters;
  const Counters& counters() const { return context_.counters; }
  /// Whether a neighbor may still ask for something.
  bool retains() const { return outgoing_.retains(); }
  /// What go_on wants to know, should this process end now.
  SessionState state() const {
    SessionState state{};
    state.next_needed = context_.next_needed;
    outgoing_.save(state);
    observer_.save(state);
    return state;
  }

 private:
  static constexpr const char* parted_from_this = "it takes this peer for gone, or could not hear it";

  IncomingLink* find_source(PeerId id) {
    const auto found = std::ranges::lower_bound(incoming_, id, {}, &IncomingLink::source);
    return found != incoming_.end() && found->source == id ? &*found : nullptr;
  }
  void greet(OutgoingLink& link) { outgoing_.greet(link, parted_.contains(link.to), context_); }
  void greet_neighbors() {
    for (OutgoingLink& link : outgoing_.all())
      if (context_.has_started() || !parted_.contains(link.to)) greet(link);
  }
  void tell_when_ready();
  void show_life();
  void show_that_it_joins();
  void check_deadline();
  StartReport report() const { return {context_, greetings_, outgoing_, observer_}; }

  FrameUse hear_frame(IncomingLink& link, const FrameHeader& head);
  void hear_hello(const FrameHeader& hello, std::span<const std::byte> payload);
  void answer_hello(const FrameHeader& hello, std::span<const std::byte> payload);
  FrameUse hear_parted(const FrameHeader& head, std::span<const std::byte> payload);
  void hear_that_it_parted(PeerId neighbor);
  bool is_of_successor(const FrameHeader& hello);
  void begin_joining(PeerId neighbor);
  FrameUse hear_model(const FrameHeader& head, std::span<const std::byte> payload);
  void hear_join(PeerId joiner);
  void hear_start(const from_observer::Start& start, Instant now);
  /// The word may be late: what was started in the place of the one that ended may train with this peer
  /// already.
  void hear_departed(const from_observer::Departed& departed) {
    const IncomingLink* const link = find_source(departed.peer);
    const bool has_successor = link && link->has_greeted() && !link->has_greeted_as(departed.incarnation);
    if (!has_successor) context_.events.push_back(PeerDeparted{departed.peer, "its process has ended"});
  }
  /// If the run was given up before it began, this peer may know why, better than whoever says so.
  void hear_stop(const FrameHeader& stop, std::span<const std::byte> payload) {
    RunStops stops{exit_code_of(stop), printable_text(payload)};
    if (!context_.has_started() && stops.exit_code == 3) stops.reason += report().known_here();
    context_.events.push_back(std::move(stops));
  }

  SessionContext context_;
  OutgoingLinks outgoing_;
  std::vector<IncomingLink> incoming_;  // ascending
  Greetings greetings_;
  PartedEdges parted_;
  std::optional<Joining> joining_;  // from that phase on
  ObserverLink observer_;
  StartWait start_;
  Instant next_heartbeat_{};
};

}  // namespace hearsay
