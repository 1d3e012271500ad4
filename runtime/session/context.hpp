#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/session/events.hpp"
#include "runtime/session/piece_hearer.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/wire/control_word.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/long_message.hpp"

namespace hearsay {

/// Returns the exit code that a stop frame stands for: 0 without a payload (the user stopped the run, or it
/// diverged; 130 to a process that resumes meanwhile), else 2 (wrong input), 130 (interrupted before the run
/// began) or 3 (a peer is lost).
int exit_code_of(const FrameHeader& stop);

/// A frame to send: a data message of the method, or a control frame of the session.
struct PeerFrame {
  enum class Way : std::uint8_t {
    outlet,    ///< to a destination, through this peer's DEALER that is connected to it
    reply,     ///< to a source, back through this peer's ROUTER, to which the source has connected
    observer,  ///< to the observer
  };
  Way way;
  PeerId to;
  FrameHeader header;
  PacketPart packet;    ///< payload of a data frame, or of another one of a message
  SharedBytes payload;  ///< payload of any other frame
  Instant posted{};     ///< data frames: when the method sent the message
};

struct PeerSessionInput {
  PeerId self;
  std::uint32_t incarnation;  ///< tells this process from an earlier one under the same id
  Agreement agreement;
  std::uint64_t iterations;            ///< of the run; a `start` that names another number is refused
  std::vector<PeerId> sources;         ///< the peers whose messages this peer receives, ascending
  std::vector<PeerId> destinations;    ///< the peers that receive this peer's messages, ascending
  std::vector<std::string> addresses;  ///< of the destinations, in their order; for messages to the user
  bool same_machine;  ///< true: all peers share one clock, and frames carry due times as instants
  bool asynchronous;
  std::uint64_t staleness = 0;  ///< s: a peer that sends in iteration t needs no message before t - s
  Duration start_patience;      ///< how long this peer waits for its neighbors, and later for the start
  Duration heartbeat;           ///< time between two heartbeats
  /// The iterations of which this peer holds a checkpoint. Empty: the peer does not resume.
  std::optional<std::vector<std::uint64_t>> holds = {};
  /// How many iterations a peer can be ahead of another. Empty: the run takes no checkpoints.
  std::optional<std::uint64_t> largest_lead = {};
  /// Size of a model, for peers that join. Empty: nobody can join (no policy "drop", or not with this
  /// method).
  std::optional<std::size_t> model_bytes = {};
  std::vector<PeerId> absent =
      {};  ///< the peers that are not there when the run begins, ascending; may contain this peer
  /// Destinations to which this peer sends no messages for now. They are told at once what it needs no more,
  /// as sources are that are no destinations.
  std::vector<PeerId> quiet_destinations = {};
  std::string observer_address = {};  ///< for messages to the user
  /// Longer messages travel in pieces of this length. Equal at all peers.
  std::size_t piece_bytes = to_neighbor::usual_piece_bytes;
  /// The network is real: a sender waits until its receiver can take the pieces of a long message. Over an
  /// emulated one, which says when they are due, all leave at once.
  bool paced_by_receiver = false;
  /// The longest message of a neighbor; one that is announced to be longer is garbage.
  std::size_t longest_message_bytes = 0;
  /// The storage of long messages; must outlive the session. Null: none is taken in.
  PacketPool* packets = nullptr;
};

/// How far this peer has come on its way into the run.
enum class SessionPhase : std::uint8_t {
  greeting,   ///< some neighbor has not sent its hello, or not answered this peer's with `welcome`
  restoring,  ///< this peer resumes, and its checkpoint is not loaded yet
  joining,    ///< the run goes on without this peer, and no neighbor has sent a model yet
  entering,   ///< this peer has a neighbor's model, and awaits the observer's `start`
  ready,      ///< all handshakes are done, and this peer awaits the observer's `start`
  running,    ///< the observer has said `start`
  failed,     ///< this peer takes no part, and has told its driver and the others why
};

/// What becomes of a received frame.
enum class FrameUse : std::uint8_t {
  data,     ///< the caller delivers the payload, when it is due
  words,    ///< the session has handled the frame: nothing is left to do
  garbage,  ///< the frame does not belong here: the caller counts it
};

/// The state that all parts of a session share: the peer's input and phase, the frames to send (`outbox`) and
/// the events for the driver (`events`).
struct SessionContext {
  explicit SessionContext(PeerSessionInput given);

  FrameHeader header(FrameKind kind) const;
  /// Puts a frame into the outbox. Returns its header, for the caller to fill in more fields.
  FrameHeader& say(PeerFrame::Way way, PeerId to, FrameKind kind, SharedBytes payload = {});
  template <ControlWord Word>
  void say(PeerFrame::Way way, PeerId to, const Word& word, SharedBytes payload = {}) {
    put(word, say(way, to, Word::kind, std::move(payload)));
  }
  /// Tells the observer and all destinations that the run ends now, with this exit code and sentence.
  void say_stop(int exit_code, const std::string& reason);
  /// This peer takes no part: enters phase `failed`, and tells the driver and the others why.
  void fail(int exit_code, const std::string& reason);

  bool has_started() const { return phase == SessionPhase::running; }
  /// True if this peer needs nothing but the observer's `start`, or has it.
  bool is_ready() const {
    return phase == SessionPhase::entering || phase == SessionPhase::ready || phase == SessionPhase::running;
  }
  /// True if `id` is a source.
  bool hears(PeerId id) const;
  bool is_destination(PeerId id) const;
  /// Policy "drop": true if this peer is one of `absent`.
  bool comes_later() const;
  /// True if this peer may still join a run that goes on without it. Never true of the observer's peer: the
  /// observer holds the record of the run, and a new process there has none of it.
  bool may_join() const {
    return !has_started() && input.self != observer_peer && input.model_bytes.has_value();
  }
  /// True if another peer of this run can be so far that `needed` is the first iteration it needs messages
  /// of. False only if that is farther ahead than `largest_lead` allows.
  bool is_possible(std::uint64_t needed) const {
    return !has_started() || !input.largest_lead || needed <= next_needed + *input.largest_lead + 1;
  }
  /// "peer 2 (tcp://10.0.0.2:7000)"
  std::string name_of(PeerId destination) const;

  struct Counters {
    std::uint64_t refused = 0;        ///< hellos that were refused
    std::uint64_t gaps = 0;           ///< gaps in the numbers of received frames
    std::uint64_t repeated = 0;       ///< data frames that were received before
    std::uint64_t retransmitted = 0;  ///< messages sent again
  };

  PeerSessionInput input;
  std::uint32_t run_id;
  SharedBytes hello;  ///< payload of every hello: the agreement
  SessionPhase phase = SessionPhase::greeting;
  bool is_duplicate_process =
      false;  ///< another process has this peer's id, so this one does not tell the others to stop
  std::uint64_t next_needed = 1;  ///< the first iteration whose messages this peer still needs
  /// Between members that agree on who they are, iteration t has the number t + this. Not for the observer.
  std::uint64_t added_between_members = 0;
  Instant now{};  ///< of the last tick
  std::vector<PeerFrame> outbox;
  std::vector<SocketEvent> events;
  PieceHearer* pieces = nullptr;  ///< takes in the pieces of long messages; null: they are put together
  Counters counters;
};

}  // namespace hearsay
