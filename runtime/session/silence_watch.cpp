#include "runtime/session/silence_watch.hpp"

#include <algorithm>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

SilenceWatch::SilenceWatch(PeerId self, Duration lost_after, Duration heartbeat, AfterSilence then,
                           std::vector<WatchedPeer> watched)
    : self_(self), heartbeat_(heartbeat), then_(then), stalls_(lost_after) {
  for (WatchedPeer& peer : watched) watched_.push_back({std::move(peer), ArrivalDeadline(lost_after)});
  ensure(std::ranges::is_sorted(watched_, {}, id_of), "watched peers are ascending");
}

SilenceWatch::Watched& SilenceWatch::of(PeerId id) {
  const auto found = std::ranges::lower_bound(watched_, id, {}, id_of);
  ensure(found != watched_.end() && found->peer.id == id, "a peer waits for those only that it watches");
  return *found;
}

/// A break in this process's own listening is no silence of the peer: it does not raise the peer's limit.
void SilenceWatch::heard(PeerId id, Instant at) {
  Watched& watched = of(id);
  if (at <= watched.last) return;
  const bool listened = watched.last >= stalls_.last_end();
  watched.last = at;
  listened ? watched.deadline.heard(at) : watched.deadline.heard_anew(at);
}

Duration SilenceWatch::silence(Instant now, Instant since, Instant last) const {
  return now - std::max({since, stalls_.last_end(), last});
}

SilenceWatch::Judgement SilenceWatch::judge(Instant now, Instant since, std::uint64_t iteration,
                                            const std::vector<PeerId>& awaited, const AwayFor& away_for) {
  ensure(since <= now, "a wait is judged after it has begun");
  Judgement judgement;
  LongWait wait{self_, iteration, now - std::max(since, stalls_.last_end()), heartbeat_, then_, {}};
  for (const PeerId id : awaited) {
    Watched& watched = of(id);
    const Duration silent = silence(now, since, watched.last);
    const Duration limit = watched.deadline.limit();
    if (silent > limit) {
      judgement.lost.push_back({id, "it has said nothing for " + spoken(silent)});
    } else {
      judgement.look_again = std::min(judgement.look_again, now + (limit - silent));
      wait.awaited.push_back({id, watched.peer.address, silent, watched.deadline.text()});
    }
  }
  if (spoken_since_ != since) {
    spoken_since_ = since;
    next_word_ = first_word_after;
  }
  if (wait.awaited.empty() || wait.waited < next_word_) return judgement;
  while (next_word_ <= wait.waited) next_word_ *= 2;
  for (AwaitedPeer& peer : wait.awaited) peer.away = away_for(peer.id);
  wait.away = away_for(self_);
  judgement.word = sentence(wait);
  return judgement;
}

}  // namespace hearsay
