#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/session/context.hpp"
#include "runtime/session/greetings.hpp"
#include "runtime/session/joining.hpp"
#include "runtime/session/observer_link.hpp"
#include "runtime/session/outgoing_links.hpp"
#include "runtime/session/start_wait.hpp"
#include "runtime/wire/words_from_observer.hpp"

namespace hearsay {

/// How this peer comes into the run: with all others, by handshakes, or, under policy "drop", into a run that
/// goes on without it, by a neighbor's model. Decides the phase up to `running`. Keeps who has greeted whom,
/// who is gone before the start, until when this peer waits, and when the run's time began.
class Entrance {
 public:
  explicit Entrance(const PeerSessionInput& input);

  /// The way into the run begins: in phase `restoring` if the peer resumes, else in `greeting`.
  void begin(SessionContext& context);
  /// The peer is restored from a checkpoint, at which the run was `age` old, and greets its neighbors. False
  /// if it has given up meanwhile.
  bool resume(Duration age, SessionContext& context);

  // Handshakes.

  /// A source has said a valid hello.
  void note_call(const FrameHeader& hello) { greetings_.called(hello.sender, hello.incarnation); }
  void note_welcome(PeerId destination) { greetings_.welcomed_by(destination); }
  /// Neighbor `departed` is gone before the run begins: this peer does not wait for it, and takes it for lost
  /// from the start. False if that is known already.
  bool do_without(PeerId departed, const std::string& how, const SessionContext& context);
  /// True, and phase `ready`, if no handshake is missing any more.
  bool completes_greetings(SessionContext& context);

  // Policy "drop": a run that goes on without this peer.

  /// `neighbor` has parted from this peer, which has not begun. So the run goes on without it, and it asks
  /// for a model. True at the first of them: all edges are out now.
  bool join(PeerId neighbor, SessionContext& context);
  bool may_ask(PeerId neighbor) const { return joining_ && joining_->may_ask(neighbor); }
  /// Asks a neighbor for its model.
  void ask(SessionContext& context) { joining_->ask(context); }
  /// A neighbor tells its model. `data` if this peer enters with it, in phase `entering`; `words` if another
  /// one was faster; `garbage` if it was not asked for, or is of no model of this run.
  FrameUse take_model(const FrameHeader& head, std::span<const std::byte> payload, SessionContext& context);

  // The start.

  /// The observer says `start`. True, and phase `running`, if this peer begins.
  bool start(const from_observer::Start& start, Instant now, SessionContext& context);
  /// When the run's time began; empty before the start.
  const std::optional<Instant>& origin() const { return origin_; }

  // Waiting.

  /// A possible reason for a late start. It ends the sentence with which this peer gives up waiting.
  void doubt(const std::string& why) { wait_.doubt(why); }
  /// When this peer gives up; never once it has begun, or takes no part.
  Instant deadline(const SessionContext& context) const;
  /// Gives up if the deadline is over, and tells from time to time for whom this peer waits.
  void check_deadline(SessionContext& context, const OutgoingLinks& outgoing, const ObserverLink& observer);
  StartReport report(const SessionContext& context, const OutgoingLinks& outgoing,
                     const ObserverLink& observer) const {
    return {context, greetings_, outgoing, observer};
  }

 private:
  Greetings greetings_;
  StartWait wait_;
  std::vector<PeerDeparted> departed_before_start_;  // neighbors
  std::optional<Joining> joining_;                   // from phase `joining` on
  // Of the run; empty unless this peer has resumed. The observer may know less, if its record has lost its
  // end, and its clock less than that, if the machine was started anew.
  std::optional<Duration> age_at_checkpoint_;
  std::optional<Instant> origin_;  // of the run's time
};

}  // namespace hearsay
