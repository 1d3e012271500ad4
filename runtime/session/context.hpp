#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/events.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/wire/control_word.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// The exit code that a stop frame stands for.
int exit_code_of(const FrameHeader& stop);

/// A frame that a peer wants sent: a data message, or words of the session.
struct PeerWord {
  enum class Way : std::uint8_t {
    outlet,    ///< to a destination, through the socket that is connected to it
    reply,     ///< to a source, back through the socket it called
    observer,  ///< to the observer
  };
  Way way;
  PeerId to;
  FrameHeader header;
  PacketRef packet;                ///< of data
  std::vector<std::byte> payload;  ///< of everything else
  Instant posted{};                ///< of data: when its method sent it
};

struct PeerSessionInput {
  PeerId self;
  std::uint32_t incarnation;  ///< tells this process from an earlier one under the same id
  Agreement agreement;
  std::uint64_t iterations;            ///< the observer must want as many
  std::vector<PeerId> sources;         ///< whom this peer hears, ascending
  std::vector<PeerId> destinations;    ///< who hears it, ascending
  std::vector<std::string> addresses;  ///< of the destinations, for messages to the user
  bool same_machine;                   ///< all peers share one clock: due times travel as they are
  bool asynchronous;
  std::uint64_t staleness = 0;  ///< a peer that speaks in iteration t needs no message of those before t - s
  Duration start_patience;      ///< how long the neighbors, then all, may take to come up
  Duration heartbeat;           ///< between signs of life
  /// Of a peer that resumes: the iterations of which it holds a checkpoint.
  std::optional<std::vector<std::uint64_t>> holds = {};
  /// Of a run with checkpoints: how far ahead of another a peer can be, in iterations.
  std::optional<std::uint64_t> largest_lead = {};
  /// Policy "drop", of methods that may be joined: how long a model is, for those that join.
  std::optional<std::size_t> model_bytes = {};
  std::vector<PeerId> absent =
      {};  ///< who is not there when the run begins, ascending; this peer, too, may be among them
  std::string observer_address = {};  ///< for messages to the user
};

/// How far a peer has come on its way into the run.
enum class SessionPhase : std::uint8_t {
  greeting,   ///< some neighbor has not called it, or not welcomed it
  restoring,  ///< it resumes, and its checkpoint is not loaded yet
  joining,    ///< the run has gone on without it, and no neighbor has given it a model yet
  entering,   ///< it has one, and awaits the start
  ready,      ///< all neighbors have greeted it, and it awaits the start
  running,    ///< the observer has said `start`
  failed,     ///< it takes no part, and has said why
};

/// What a frame was good for.
enum class FrameUse : std::uint8_t {
  data,     ///< its payload is to be delivered, when it is due
  words,    ///< the session has taken it in
  garbage,  ///< it does not belong here
};

/// What all parts of a session share: who the peer is, which phase it is in, what it says and what it tells
/// its driver.
struct SessionContext {
  explicit SessionContext(PeerSessionInput given);

  FrameHeader header(FrameKind kind) const;
  /// Returns the word's header, for what more is to be in it.
  FrameHeader& say(PeerWord::Way way, PeerId to, FrameKind kind, std::span<const std::byte> payload = {});
  template <ControlWord Word>
  void say(PeerWord::Way way, PeerId to, const Word& word, std::span<const std::byte> payload = {}) {
    put(word, say(way, to, Word::kind, payload));
  }
  /// To the observer and to all destinations: the run ends now, with this exit code and sentence.
  void say_stop(int exit_code, const std::string& reason);
  /// This peer takes no part, and the others are told why.
  void fail(int exit_code, const std::string& reason);

  bool has_started() const { return phase == SessionPhase::running; }
  /// Whether it has all that it needs to begin.
  bool is_ready() const {
    return phase == SessionPhase::entering || phase == SessionPhase::ready || phase == SessionPhase::running;
  }
  bool hears(PeerId id) const;
  bool is_destination(PeerId id) const;
  /// Policy "drop": whether it is one of those that are not there when the run begins.
  bool comes_later() const;
  /// The observer's peer began the run, and keeps its record: one that comes anew there has another.
  bool may_join() const {
    return !has_started() && input.self != observer_peer && input.model_bytes.has_value();
  }
  /// Whether a peer can be where it needs no message of the iterations before this one.
  bool is_possible(std::uint64_t needed) const {
    return !has_started() || !input.largest_lead || needed <= next_needed + *input.largest_lead + 1;
  }
  /// "peer 2 (tcp://10.0.0.2:7000)"
  std::string name_of(PeerId destination) const;

  struct Counters {
    std::uint64_t refused = 0;        ///< handshakes
    std::uint64_t gaps = 0;           ///< times that frames were missing
    std::uint64_t repeated = 0;       ///< frames that came again
    std::uint64_t retransmitted = 0;  ///< messages sent again
  };

  PeerSessionInput input;
  std::uint32_t run_id;
  std::vector<std::byte> hello;  ///< the payload
  SessionPhase phase = SessionPhase::greeting;
  bool is_duplicate_process =
      false;                      ///< another one has this peer's name: what this one says counts for nothing
  std::uint64_t next_needed = 1;  ///< it needs no message of the iterations before this one
  Instant now{};                  ///< of the last tick
  std::vector<PeerWord> outbox;
  std::vector<SocketEvent> events;
  Counters counters;
};

}  // namespace hearsay
