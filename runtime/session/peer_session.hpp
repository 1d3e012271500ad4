#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/session/edge_request.hpp"
#include "runtime/session/greetings.hpp"
#include "runtime/wire/agreement.hpp"
#include "runtime/session/incoming_link.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/session/retention.hpp"
#include "runtime/session/events.hpp"
#include "runtime/session/state.hpp"
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
  /// Of a peer that goes on from a checkpoint: the iterations of which it holds one.
  std::optional<std::vector<std::uint64_t>> holds = {};
  /// Of a run with checkpoints: how far ahead of another a peer can be, in iterations.
  std::optional<std::uint64_t> largest_lead = {};
  /// Policy "drop", of methods that may be joined: how long a model is, for those that join.
  std::optional<std::size_t> model_bytes = {};
  std::vector<PeerId> absent =
      {};  ///< who is not there when the run begins, ascending; this peer, too, may be among them
  std::string observer_address = {};  ///< for messages to the user
};

/// A peer's side of a run, beside its method: it greets its neighbors and the observer, shows signs of life, and sees to it that
/// nothing is lost. Pure: frames, commands and time go in; frames (`outbox`) and events come out.
///
///     hello -> welcome | refuse     to each destination; the same to the observer, then ready -> start
///
/// A hello says from which number on the data frames of its sender count. The welcome says from which iteration on the
/// receiver needs messages; those that the sender retained from there on are sent again. Whoever finds a frame missing
/// (a gap in the numbers, or a sender that has not greeted this process) asks for another hello (`again`). So a broken
/// connection, a damaged frame and a neighbor that was started anew are all mended in the same way, and what arrives twice
/// is dropped here or by the inbox.
class PeerSession {
 public:
  explicit PeerSession(PeerSessionInput input);

  /// Says hello to everybody; where the peer goes on from a checkpoint, to the observer alone, which answers from which one
  /// (ResumeFrom).
  void begin(Instant now);
  /// The peer is what it was: says hello to its neighbors.
  void go_on(SessionState state);
  /// This peer needs no message of the iterations before this one. Whoever sends one in an iteration says so, too.
  void needs_from(std::uint64_t iteration);
  /// Policy "drop": the peer goes on without the observer from now on, or no longer, and tells it no evaluation or again each;
  /// it has completed so many iterations.
  void turn_from_observer(std::uint64_t completed);
  /// Some peer will never let this one in, as the sentence says.
  void shut_out(const std::string& reason);
  /// Why the run may not begin in time, should it not: the end of a sentence.
  void doubt(const std::string& why) { doubt_ = why; }
  /// Policy "drop": an edge is out, or to be in again. Where it is out no message is said or heard, but its ends greet each other
  /// with every sign of life (a hello with slot 1), until they hear each other again.
  void obey(const EdgeWish& wish);
  /// The answer to ModelAsked.
  void give(const ModelCopy& copy);
  /// A message of the method.
  void send(Outgoing message, Instant posted);
  /// To the observer; `payload` may be empty.
  void tell_observer(Told told);
  /// To the observer and to all neighbors: the run ends now, with this exit code and sentence.
  void say_stop(int exit_code, const std::string& reason);
  /// Signs of life, and what waits too long for the run to begin. Returns when to be called again.
  Instant tick(Instant now);

  enum class Heard { data, words, garbage };
  /// A frame at the socket that sources call. Of data, the caller delivers the payload, when it is due.
  Heard hear_source(const FrameHeader& header, std::span<const std::byte> payload);
  /// A reply at the socket that is connected to `destination`.
  Heard hear_destination(PeerId destination, const FrameHeader& header, std::span<const std::byte> payload);
  Heard hear_observer(const FrameHeader& header, std::span<const std::byte> payload, Instant now);

  std::vector<PeerWord>& outbox() { return outbox_; }
  std::vector<SocketEvent>& events() { return events_; }

  struct Counters {
    std::uint64_t refused = 0;        ///< handshakes
    std::uint64_t gaps = 0;           ///< times that frames were missing
    std::uint64_t repeated = 0;       ///< frames that came again
    std::uint64_t retransmitted = 0;  ///< messages sent again
  };
  const Counters& counters() const { return counters_; }
  /// Whether a neighbor may still ask for something.
  bool retains() const;
  /// What go_on wants to know, should this process end now.
  SessionState state() const;

 private:
  struct OutgoingLink {
    PeerId to;
    std::uint64_t next_sequence = 0;
    std::uint64_t greeted_at = 0;      // the number that the last hello named
    bool awaits_welcome = true;        // to that hello
    std::string answers_instead = {};  // somebody else who does at that address
  };

  static constexpr const char* parted_from_this = "it takes this peer for gone, or could not hear it";

  void say(PeerWord::Way way, PeerId to, FrameKind kind, std::span<const std::byte> payload = {});
  FrameHeader header(FrameKind kind) const;
  OutgoingLink& link_to(PeerId destination);
  bool is_destination(PeerId id) const;
  struct Parted {
    PeerId from;
    bool offered = false;  // that the edge be in again; no answer has come
  };
  void part_from(PeerId neighbor);
  void come_together(PeerId neighbor, std::uint64_t iteration);
  bool is_outdated(const FrameHeader& hello) const;
  const Parted* parted(PeerId id) const;
  bool has_parted_from(PeerId id) const { return parted(id) != nullptr; }
  void say_taken_again(PeerId neighbor);
  bool hear_about_edge(PeerId destination, const FrameHeader& header);
  void begin_joining(PeerId neighbor);
  void ask_for_model();
  void show_that_it_joins();
  Heard hear_model(const FrameHeader& header, std::span<const std::byte> payload);
  void hear_join(PeerId joiner);
  void say_ready();
  bool is_of_successor(const FrameHeader& hello);
  /// Peer 0 began the run, and keeps its record: one that comes anew there has another.
  bool may_join() const { return !started_ && input_.self != 0 && input_.model_bytes.has_value(); }
  bool comes_later() const;
  Heard hear_parted(const FrameHeader& header, std::span<const std::byte> payload);
  IncomingLink* find_source(PeerId id);
  void greet(OutgoingLink& link);
  void answer_hello(const FrameHeader& header, std::span<const std::byte> payload);
  void hear_welcome(OutgoingLink& link, const FrameHeader& header);
  /// Whether a peer can be where it needs no message of the iterations before this one.
  bool is_possible(std::uint64_t needed) const {
    return !started_ || !input_.largest_lead || needed <= next_needed_ + *input_.largest_lead + 1;
  }
  std::string impossible_return(const FrameHeader& hello) const;
  void greet_observer(std::uint64_t challenge = 0);
  void hear_observer_alive(const FrameHeader& header, std::span<const std::byte> payload);
  void hear_departed(const FrameHeader& header);
  void say_to_observer(const Told& told);
  void show_life_to_observer();
  void tell_observer_again();
  void say_what_it_holds();
  /// It is what it was, as all others are, and none has begun.
  bool waits_at_checkpoint() const { return !started_ && all_go_on_from_.has_value(); }
  void greet_neighbors();
  Heard hear_start(const FrameHeader& header, Instant now);
  void send_data(OutgoingLink& link, RetainedMessage& message, Instant posted);
  void tell_when_ready();
  void show_life();
  void fail(int exit_code, const std::string& reason);
  std::string name_of(PeerId destination) const;
  std::string whom_it_awaits() const;
  std::string missing_neighbor() const;
  std::string missing_observer() const;
  std::string name_of_observer() const;
  std::string answers_instead(PeerId destination) const;
  static bool is_of_observer(const FrameHeader& head);
  static std::string name_of_speaker(const FrameHeader& head);
  void tell_for_whom_it_waits();
  void hear_stop(const FrameHeader& stop, std::span<const std::byte> payload);

  PeerSessionInput input_;
  std::uint32_t run_id_;
  std::vector<std::byte> hello_;
  std::vector<OutgoingLink> outgoing_;  // ascending
  std::vector<IncomingLink> incoming_;  // ascending
  Greetings greetings_;
  Retention retention_;
  std::vector<Parted> parted_;
  struct Joining {
    JoiningQuestion question;
    bool has_model = false;
  };
  std::optional<Joining> joining_;
  std::vector<std::pair<PeerId, std::uint64_t>> agreed_;  // edges that came back, and from which iteration on
  Slot turns_from_observer_ = 0;                          // odd: it goes on without
  std::vector<Told> unanswered_;                          // evaluations without a verdict, and the result
  int observer_lacks_ = 0;  // signs of life in a row that showed it without one of those
  bool observer_welcomed_ = false;
  bool resuming_ = false;  // is not yet what it was
  bool told_from_where_ = false;
  std::optional<std::uint64_t>
      all_go_on_from_;    // as the observer said; nothing where this peer alone came back
  bool went_on_ = false;  // from a checkpoint
  std::vector<PeerWord> outbox_;
  std::vector<SocketEvent> events_;
  Counters counters_;
  std::uint64_t next_needed_ = 1;
  std::optional<std::uint64_t> last_verdict_;
  Instant now_{};  // of the last tick
  Instant neighbors_deadline_{};
  Instant start_deadline_{};
  Instant began_{};
  Instant next_word_{};
  Instant next_heartbeat_{};
  bool ready_ = false;  // all neighbors have welcomed this peer and called it
  std::string doubt_;
  std::string others_await_;              // what the observer knows of that
  std::string observer_answers_instead_;  // somebody else who does at its address
  bool started_ = false;                  // the observer has said so
  bool failed_ = false;
  bool is_second_ = false;  // another process has this peer's name: what this one says counts for nothing
};

}  // namespace hearsay
