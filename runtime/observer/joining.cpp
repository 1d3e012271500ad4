#include <algorithm>

#include "runtime/observer/observer_session.hpp"

// A peer that the run has gone on without joins it anew, or for the first time (joining.hpp).

namespace hearsay {

/// It may come back, or be there for the first time: its neighbors tell it so, and how.
template <class Scalar>
void ObserverSession<Scalar>::welcome_joiner(const FrameHeader& hello) {
  PeerSeen& peer = peers_[hello.sender];
  if (!model_bytes_of(experiment_))
    return say(hello.sender, FrameKind::refuse,
               "the run has gone on without peer " + std::to_string(hello.sender) +
                   " (failure.policy = \"drop\"), and " + experiment_.method->name + " cannot be joined");
  if (!peer.welcomed || peer.incarnation != hello.incarnation) peer.ready = false;
  peer.incarnation = hello.incarnation;
  peer.welcomed = true;
  say(hello.sender, FrameKind::welcome);
}

/// A peer that is new, or was made anew, has its model: it goes on with the iteration that it says.
template <class Scalar>
void ObserverSession<Scalar>::take_in(const FrameHeader& join, Instant now) {
  PeerSeen& peer = peers_[join.sender];
  if (!model_bytes_of(experiment_) || !started_ || stopped_ || over_) return;
  if (!peer.welcomed || peer.incarnation != join.incarnation) return say(join.sender, FrameKind::again);
  if (peer.joined && !peer.gone && peer.ready) return start(join.sender, now);  // that went astray
  const std::optional<std::uint64_t> next = next_evaluation_of(join.iteration);
  if (!next || peer.outcome)
    return say(join.sender, FrameKind::refuse,
               "the run ends before peer " + std::to_string(join.sender) + " can join it");
  if (!peer.gone)  // nobody has missed it yet
    for (const Verdict& verdict : observer_.drop(join.sender)) take_verdict(verdict);
  peer.gone = peer.alone = false;
  peer.turns = 0;
  peer.ready = peer.joined = true;
  peer.heard_at = now;
  peer.evaluated = *next - experiment_.settings.run.evaluate_every;
  observer_.take_in(join.sender, std::min(*next, experiment_.iterations));
  start(join.sender, now);
}

#define HEARSAY_OBSERVER_SESSION_JOINING(Scalar)                             \
  template void ObserverSession<Scalar>::welcome_joiner(const FrameHeader&); \
  template void ObserverSession<Scalar>::take_in(const FrameHeader&, Instant);
HEARSAY_OBSERVER_SESSION_JOINING(float)
HEARSAY_OBSERVER_SESSION_JOINING(double)
#undef HEARSAY_OBSERVER_SESSION_JOINING

}  // namespace hearsay
