#include <algorithm>

#include "runtime/observer/observer_session.hpp"

// Peers that are lost and come back, and such as took the observer for lost.

namespace hearsay {

template <class Scalar>
void ObserverSession<Scalar>::lose_peer(PeerId id, const std::string& how) {
  const bool is_news = !over_ && (!peers_[id].gone || peers_[id].alone);
  if (is_news && started_ && experiment_.settings.failure.drops())
    for (PeerId other = 0; other < peers_.size(); ++other) {
      if (other == id || peers_[other].gone) continue;
      say(other, FrameKind::departed, {}, id);
      outbox_.back().header.sequence = peers_[id].incarnation;  // its successor may be there already
    }
  do_without(id, how);
}

template <class Scalar>
void ObserverSession<Scalar>::do_without(PeerId id, const std::string& how) {
  const bool drops = experiment_.settings.failure.drops();
  PeerSeen& peer = peers_[id];
  if ((peer.gone && !peer.alone) || over_) return;
  if (!drops || !started_) return lose(how);
  peer.alone = false;
  if (peer.outcome) return;  // it had done what it was to do
  peer.gone = true;
  for (const Verdict& verdict : observer_.drop(id)) take_verdict(verdict);
  if (std::ranges::all_of(peers_, [](const PeerSeen& each) { return each.gone && !each.alone; }))
    return lose("all peers were lost");
  end_when_all_have();
}

/// The first evaluation that wants the model of one that comes in, and goes on with `next_iteration`: one that it has not ended yet,
/// and the others neither. (The last one may be due earlier than that says.) Nothing where there is none.
template <class Scalar>
std::optional<std::uint64_t> ObserverSession<Scalar>::next_evaluation_of(std::uint64_t next_iteration) const {
  const std::uint64_t every = experiment_.settings.run.evaluate_every;
  if (next_iteration > experiment_.iterations || verdicts_.back().evaluated >= experiment_.iterations)
    return std::nullopt;
  return std::max((next_iteration + every - 1) / every * every, verdicts_.back().evaluated + every);
}

/// A peer that was lost shows life: the way to it was broken, or it stood still.
template <class Scalar>
bool ObserverSession<Scalar>::take_back(const FrameHeader& alive, Instant now) {
  PeerSeen& peer = peers_[alive.sender];
  const std::optional<std::uint64_t> next = next_evaluation_of(alive.iteration);
  const bool is_alone = alive.slot != 0 && alive.slot % 2 == 0;
  const bool is_another = !peer.ready || peer.incarnation != alive.incarnation;  // it may join
  if (is_alone || is_another || stopped_ || !next) return false;
  peer.gone = false;
  peer.evaluated = *next - experiment_.settings.run.evaluate_every;
  observer_.take_back(alive.sender, std::min(*next, experiment_.iterations));
  ++returned_;
  start(alive.sender, now);
  return true;
}

/// It took the observer for lost (which stood still, or could not be reached), and told it no evaluation since. That counts as
/// having been away, also where it has come back before the observer learned of it.
template <class Scalar>
void ObserverSession<Scalar>::note_whether_it_is_alone(const FrameHeader& alive, Instant now) {
  PeerSeen& peer = peers_[alive.sender];
  const Slot turns = alive.slot == 0 ? 0 : alive.slot - 1;
  if (peer.alone) peer.heard_at = now;
  if (!started_ || peer.turns == turns || !experiment_.settings.failure.drops()) return;
  peer.turns = turns;
  if (peer.outcome || (peer.gone && !peer.alone)) return;
  peer.alone = turns % 2 == 1;
  if (peer.gone) return;
  peer.gone = true;
  for (const Verdict& verdict : observer_.drop(alive.sender)) take_verdict(verdict);
}

template <class Scalar>
std::optional<PeerId> ObserverSession<Scalar>::silent_peer(Instant now) {
  if (over_ || !started_) return std::nullopt;
  attention_.look(now);
  for (PeerId id = 0; id < peers_.size(); ++id)
    if ((!peers_[id].gone || peers_[id].alone) && !peers_[id].outcome && silence_of(id, now) > lost_after_)
      return id;
  return std::nullopt;
}

/// Its neighbors judge for themselves: one that the observer cannot hear may train with them all the same.
template <class Scalar>
void ObserverSession<Scalar>::judge_silence(Instant now) {
  const std::optional<PeerId> id = silent_peer(now);
  if (!id) return;
  const auto whole = std::chrono::duration_cast<std::chrono::seconds>(silence_of(*id, now)).count();
  do_without(*id, "peer " + std::to_string(*id) + " was lost: it has said nothing for " +
                      std::to_string(whole) + " s");
}

#define HEARSAY_OBSERVER_SESSION_MEMBERSHIP(Scalar)                                                       \
  template void ObserverSession<Scalar>::lose_peer(PeerId, const std::string&);                           \
  template void ObserverSession<Scalar>::do_without(PeerId, const std::string&);                          \
  template std::optional<std::uint64_t> ObserverSession<Scalar>::next_evaluation_of(std::uint64_t) const; \
  template bool ObserverSession<Scalar>::take_back(const FrameHeader&, Instant);                          \
  template void ObserverSession<Scalar>::note_whether_it_is_alone(const FrameHeader&, Instant);           \
  template std::optional<PeerId> ObserverSession<Scalar>::silent_peer(Instant);                           \
  template void ObserverSession<Scalar>::judge_silence(Instant);
HEARSAY_OBSERVER_SESSION_MEMBERSHIP(float)
HEARSAY_OBSERVER_SESSION_MEMBERSHIP(double)
#undef HEARSAY_OBSERVER_SESSION_MEMBERSHIP

}  // namespace hearsay
