#include <algorithm>

#include "runtime/checkpoint/checkpoint.hpp"
#include "runtime/observer/observer_session.hpp"

// From where a run that is resumed goes on; what is said of that, and of peers that keep a run from beginning.

namespace hearsay {

namespace {

constexpr int most_examples = 3;

/// "peer 1", "peers 1, 2"
std::string names_of(const std::vector<PeerId>& ids) {
  std::string names = ids.size() == 1 ? "peer " : "peers ";
  for (std::size_t k = 0; k < ids.size(); ++k) names += (k == 0 ? "" : ", ") + std::to_string(ids[k]);
  return names;
}

}  // namespace

/// Once all are here, and none is in the middle of the run: the newest iteration that all hold.
template <class Scalar>
void ObserverSession<Scalar>::choose_checkpoint() {
  if (under_way_ || resumed_from_ || std::ranges::none_of(peers_, &PeerSeen::resumes) ||
      !std::ranges::all_of(peers_, &PeerSeen::said_what_it_holds))
    return;
  std::vector<std::vector<std::uint64_t>> lists;
  for (const PeerSeen& peer : peers_) lists.push_back(peer.holds);
  resumed_from_ = newest_common(lists);
  if (!resumed_from_)
    return lose(
        "there is no iteration of which every peer holds a checkpoint; without --resume the run begins anew",
        2);
  how_all_go_on_ = words_on_resume();
  if (!record_.empty()) take_up(*resumed_from_);
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (peers_[id].resumes) say_resume(id);
}

template <class Scalar>
std::string ObserverSession<Scalar>::words_on_resume() const {
  const std::uint64_t from = resumed_from_.value_or(0);
  const std::string sentence = from == 0 ? "all peers begin anew, at iteration 0"
                                         : "all peers go on from iteration " + std::to_string(from);
  std::uint64_t latest = from;
  std::vector<PeerId> lacking;
  for (PeerId id = 0; id < peers_.size(); ++id) {
    const std::uint64_t newest = std::ranges::max(peers_[id].holds);
    latest = std::max(latest, newest);
    if (newest == from) lacking.push_back(id);
  }
  if (latest == from) return from == 0 ? sentence + ": none holds a checkpoint" : sentence;
  if (lacking.empty()) return sentence + ": there is no later one of which all hold a checkpoint";
  return sentence + ": " + names_of(lacking) + (lacking.size() == 1 ? " holds" : " hold") +
         " no later checkpoint, others up to " + std::to_string(latest);
}

/// Of some of them, for an example, why they are missing.
template <class Scalar>
std::string ObserverSession<Scalar>::what_is_known_of(const std::vector<PeerId>& missing) const {
  std::string known;
  int told = 0;
  for (const PeerId id : missing) {
    const PeerSeen& peer = peers_[id];
    const std::string why = !peer.welcomed
                                ? (peer.refusal.empty() ? "" : "was refused, since " + peer.refusal)
                            : peer.waits_for.empty() ? ""
                                                     : "waits for " + peer.waits_for;
    if (why.empty() || told++ == most_examples) continue;
    known += (known.empty() ? "" : "; ") + names_of({id}) + " " + why;
  }
  return known;
}

/// Those that never called; if all did, those that lack a neighbor.
template <class Scalar>
typename ObserverSession<Scalar>::Missing ObserverSession<Scalar>::missing() const {
  Missing missing{{}, true};
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (!peers_[id].gone && !peers_[id].welcomed) missing.peers.push_back(id);
  if (!missing.peers.empty()) return missing;
  missing.never_called = false;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (!peers_[id].gone && !peers_[id].ready) missing.peers.push_back(id);
  return missing;
}

/// Who kept the run from starting.
template <class Scalar>
std::string ObserverSession<Scalar>::missing_peers() const {
  const Missing all = missing();
  const std::string known = what_is_known_of(all.peers);
  return names_of(all.peers) +
         (all.never_called ? " did not come up in time" : " did not reach all neighbors in time") +
         (known.empty() ? "" : ": " + known);
}

/// Empty where it is for nobody.
template <class Scalar>
std::string ObserverSession<Scalar>::for_whom_all_wait() const {
  const Missing all = missing();
  if (all.peers.empty()) return {};
  const std::string known = what_is_known_of(all.peers);
  if (!all.never_called && !known.empty()) return known;
  const std::string verb = all.peers.size() == 1 ? " has not " : " have not ";
  return names_of(all.peers) + verb + (all.never_called ? "come up" : "reached all neighbors") +
         (known.empty() ? "" : " (" + known + ")");
}

#define HEARSAY_OBSERVER_SESSION_START(Scalar)                           \
  template void ObserverSession<Scalar>::choose_checkpoint();            \
  template std::string ObserverSession<Scalar>::words_on_resume() const; \
  template std::string ObserverSession<Scalar>::missing_peers() const;   \
  template std::string ObserverSession<Scalar>::for_whom_all_wait() const;
HEARSAY_OBSERVER_SESSION_START(float)
HEARSAY_OBSERVER_SESSION_START(double)
#undef HEARSAY_OBSERVER_SESSION_START

}  // namespace hearsay
