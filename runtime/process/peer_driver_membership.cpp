#include <algorithm>
#include <cstdio>

#include "runtime/data/npy.hpp"
#include "runtime/process/peer_driver.hpp"
#include "runtime/zmq/clock.hpp"
#include "topology/foundation/misuse.hpp"

// Who is silent for too long, and what becomes of the run without them.

namespace hearsay {

template <class Scalar>
PeerEnd PeerDriver<Scalar>::leave_unobserved() {
  tell_progress();
  const std::filesystem::path& output = experiment_.settings.run.output;
  std::error_code ignored;
  std::filesystem::create_directories(output, ignored);
  const std::filesystem::path file = output / ("model-" + std::to_string(id_) + ".npy");
  try {
    compute([&] { write_npy<Scalar>(file, peer_->model()); }, Meanwhile::serves);
  } catch (const Misuse& misuse) {
    return {2, misuse.what()};
  }
  while (!end_ && !interrupted_ && sockets_.session().retains()) {
    for (const PeerId destination : partners_of(experiment_, id_).destinations)
      if (monotonic_now() - std::max(waits_since_, sockets_.last_heard_from(destination)) > lost_after_)
        part_from(destination, "it has said nothing for " + to_text(lost_after_));
    receive();
  }
  return {0, "it has ended without an observer, and its model is in " + file.string()};
}

template <class Scalar>
void PeerDriver<Scalar>::look_at_the_clock() {
  look_again_ = Instant::max();
  if (!started_) {  // the session watches over the start
    if (control_.observer_is_gone()) end_with({3, "the observer was gone before the run began"});
    return;
  }
  const Instant now = monotonic_now();
  watch_.look(now);
  const std::vector<PeerId> awaited = peer_->waiting_for();
  for (const PeerId source : awaited) watch_.heard(source, sockets_.last_heard_from(source));
  const SilenceWatch::Judgement judgement = watch_.judge(now, waits_since_, peer_->iteration() + 1, awaited);
  look_again_ = judgement.look_again;
  if (judgement.word) std::fprintf(stderr, "hearsay: %s\n", judgement.word->c_str());
  for (const SilenceWatch::Lost& lost : judgement.lost) {
    if (drops())
      part_from(lost.id, lost.how);
    else
      end_with({3, "peer " + std::to_string(lost.id) + " was lost: " + lost.how + " (iteration " +
                       std::to_string(peer_->iteration() + 1) + ")"});
  }
  // Whoever does not answer an offer was not back after all.
  if (peer_->state() == PeerState::needs_agreement && now - waits_since_ > lost_after_)
    for (const PeerId neighbor : peer_->offered()) part_from(neighbor, "it does not answer");
  if (awaited.empty()) judge_observer(now);
}

template <class Scalar>
void PeerDriver<Scalar>::judge_observer(Instant now) {
  const Duration silence = watch_.silence(now, waits_since_, sockets_.last_heard_from_observer());
  if (unobserved_ || (silence <= lost_after_ && !control_.observer_is_gone())) return;
  const std::string how =
      control_.observer_is_gone()
          ? "the observer, with the process that began the run, is gone"
          : "the observer, at peer 0, was lost: it has said nothing for " + spoken(silence);
  if (!drops()) return end_with({3, how});
  std::fprintf(stderr, "hearsay: peer %u: %s; the peers go on, each keeps its own model\n", id_, how.c_str());
  unobserved_ = true;
  sockets_.session().turn_from_observer(peer_->iteration());
  peer_->go_on_unobserved();
}

template <class Scalar>
void PeerDriver<Scalar>::look_for_the_observer() {
  if (control_.observer_is_gone() || monotonic_now() - sockets_.last_heard_from_observer() > lost_after_)
    return;
  std::fprintf(stderr, "hearsay: peer %u hears the observer again\n", id_);
  unobserved_ = false;
  sockets_.session().turn_from_observer(peer_->iteration());
  peer_->go_on_observed();
}

template <class Scalar>
void PeerDriver<Scalar>::part_from(PeerId neighbor, const std::string& why) {
  if (!drops() || !peer_->neighborhood()->knows(neighbor)) return;
  if (!started_)
    return end_with({3, "peer " + std::to_string(neighbor) + " has gone on without peer " +
                            std::to_string(id_) +
                            (id_ == 0 ? ", which kept the record of the run, and cannot join it anew"
                                      : ", and " + experiment_.method->name + " cannot be joined")});
  if (!peer_->neighborhood()->is_lost(neighbor))
    std::fprintf(stderr, "hearsay: peer %u goes on without peer %u (iteration %llu): %s\n", id_, neighbor,
                 static_cast<unsigned long long>(peer_->iteration() + 1), why.c_str());
  const std::uint64_t rounds = peer_->counters().gossip_rounds;
  if (const auto wanted = respond(*peer_, PeerDeparted{neighbor, why})) wish(*wanted);
  if (peer_->counters().gossip_rounds != rounds)  // it was the one that was waited for
    meters_.waits.ended_by(neighbor, monotonic_now(), peer_->state() == PeerState::needs_messages);
}

template <class Scalar>
void PeerDriver<Scalar>::wish(const EdgeWish& wish) {
  sockets_.session().obey(wish);
  if (wish.what != EdgeWish::What::take && wish.what != EdgeWish::What::agree) return;
  std::fprintf(stderr, "hearsay: peer %u is back at peer %u, from iteration %llu on\n", wish.neighbor, id_,
               static_cast<unsigned long long>(wish.iteration));
}

template <class Scalar>
void PeerDriver<Scalar>::join(const ModelArrived& arrived) {
  const auto model = model_of<Scalar>(arrived.model, experiment_.problem.dimension());
  if (!model)
    return end_with({3, "peer " + std::to_string(arrived.from) + " told a model that is not finite"});
  peer_ = make_joining_peer(experiment_, id_, packets_, arrived.entry, *model);
  gradients_ = arrived.entry.iteration;
  std::fprintf(stderr, "hearsay: peer %u joins at iteration %llu, with the model of peer %u\n", id_,
               static_cast<unsigned long long>(arrived.entry.iteration), arrived.from);
}

template <class Scalar>
void PeerDriver<Scalar>::give_copies() {
  for (const ModelCopy& copy : peer_->copies()) sockets_.session().give(copy);
  peer_->copies().clear();
}

#define HEARSAY_PEER_DRIVER(Scalar)                            \
  template void PeerDriver<Scalar>::join(const ModelArrived&); \
  template void PeerDriver<Scalar>::give_copies();             \
  template PeerEnd PeerDriver<Scalar>::leave_unobserved();     \
  template void PeerDriver<Scalar>::look_at_the_clock();       \
  template void PeerDriver<Scalar>::look_for_the_observer();   \
  template void PeerDriver<Scalar>::wish(const EdgeWish&);     \
  template void PeerDriver<Scalar>::part_from(PeerId, const std::string&);
HEARSAY_PEER_DRIVER(float)
HEARSAY_PEER_DRIVER(double)
#undef HEARSAY_PEER_DRIVER

}  // namespace hearsay
