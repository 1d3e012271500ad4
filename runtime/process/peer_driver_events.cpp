#include <algorithm>
#include <cstdio>
#include <iterator>

#include "runtime/session/long_wait.hpp"
#include "runtime/process/peer_driver.hpp"
#include "runtime/checkpoint/replay.hpp"
#include "runtime/zmq/clock.hpp"
#include "topology/foundation/misuse.hpp"

// What the sockets and the user tell a peer.

namespace hearsay {

template <class Scalar>
void PeerDriver<Scalar>::receive_and_answer() {
  receive();
  if (peer_->has_ended()) send_outbox();
}

template <class Scalar>
void PeerDriver<Scalar>::receive(int also) {
  watch_.look(monotonic_now());
  if (take_in()) return;
  leave_if_interrupted();
  serve(std::min(look_again_, monotonic_now() + look_around_every), also);
  if (!take_in()) look_at_the_clock();
}

template <class Scalar>
bool PeerDriver<Scalar>::take_in() {
  listen();
  if (heard_.empty()) return false;
  heard_.swap(handled_);
  for (SocketEvent& event : handled_) {
    handle(event);
    serve_now_and_then();
  }
  handled_.clear();
  return true;
}

template <class Scalar>
void PeerDriver<Scalar>::look_around() {
  if (!drops()) return serve_now_and_then();
  serve(monotonic_now());
  take_in();
}

template <class Scalar>
void PeerDriver<Scalar>::serve_now_and_then() {
  if (const Instant now = monotonic_now(); now - served_at_ > longest_absence) serve(now);
}

template <class Scalar>
void PeerDriver<Scalar>::serve(Instant until, int also) {
  sockets_.serve(until, also);
  served_at_ = monotonic_now();
  listen();
}

template <class Scalar>
void PeerDriver<Scalar>::listen() {
  std::ranges::move(sockets_.events(), std::back_inserter(heard_));
  sockets_.events().clear();
}

template <class Scalar>
void PeerDriver<Scalar>::handle(SocketEvent& event) {
  if (auto* data = std::get_if<DataArrived>(&event)) {
    // Nothing is taken in before the log of it is begun.
    if (started_ || came_back_)
      hear(*data);
    else
      early_.push_back(std::move(*data));
  } else if (const auto* verdict = std::get_if<VerdictArrived>(&event)) {
    safe_.hear_verdict(verdict->evaluated, verdict->go_on, verdict->checkpoint_every);
    peer_->verdict(verdict->evaluated, verdict->go_on, verdict->checkpoint_every);
  } else if (const auto* start = std::get_if<RunStarts>(&event)) {
    origin_ = start->origin;
    begin();
  } else if (auto* stop = std::get_if<RunStops>(&event)) {
    stopped_ = true;
    if (!stop->reason.empty() || !started_) end_with({stop->exit_code, std::move(stop->reason)});
  } else if (std::holds_alternative<EveryPeerEnded>(event)) {
    all_ended_ = true;
    if (!started_) end_with({3, "the run ended before peer " + std::to_string(id_) + " could join it"});
    run_code_ = std::get<EveryPeerEnded>(event).exit_code;
  } else if (const auto* departed = std::get_if<PeerDeparted>(&event)) {
    part_from(departed->id, departed->how);
  } else if (const auto* returned = std::get_if<NeighborReturned>(&event)) {
    if (const auto wanted = respond(*peer_, *returned)) wish(*wanted);
  } else if (const auto* offered = std::get_if<AttachmentOffered>(&event)) {
    if (const auto wanted = respond(*peer_, *offered)) wish(*wanted);
  } else if (const auto* answered = std::get_if<OfferAnswered>(&event)) {
    if (const auto wanted = respond(*peer_, *answered)) wish(*wanted);
  } else if (const auto* asked = std::get_if<ModelAsked>(&event)) {
    peer_->ask_for_model(asked->by);
    give_copies();
  } else if (const auto* arrived = std::get_if<ModelArrived>(&event)) {
    join(*arrived);
  } else if (const auto* resume = std::get_if<ResumeFrom>(&event)) {
    come_back(resume->iteration);
  } else if (const auto* waits = std::get_if<StillWaits>(&event)) {
    std::fprintf(stderr, "hearsay: peer %u waits for %s, for %s now\n", id_, waits->whom.c_str(),
                 spoken(waits->so_far).c_str());
  } else if (auto* refusal = std::get_if<TakesNoPart>(&event)) {
    end_with({refusal->exit_code, std::move(refusal->reason)});
  }
}

template <class Scalar>
void PeerDriver<Scalar>::begin() {
  started_ = true;
  if (came_back_) return;
  safe_.begin();
  peer_->start();
  for (const DataArrived& data : std::exchange(early_, {})) hear(data);
}

template <class Scalar>
void PeerDriver<Scalar>::come_back(std::optional<std::uint64_t> iteration) {
  try {
    SessionState state{};
    compute(
        [&] {
          RevivedPeer<Scalar> revived = safe_.revive(iteration, packets_);
          peer_ = std::move(revived.peer);
          meters_ = earlier_ = revived.meters;
          state = replay(experiment_, *peer_, std::move(revived.session), revived.log, meters_);
        },
        Meanwhile::serves);
    sockets_.session().go_on(std::move(state));
    gradients_ = peer_->iteration();
    came_back_ = true;
  } catch (const Misuse& misuse) {
    end_with({2, misuse.what()});
  }
}

template <class Scalar>
void PeerDriver<Scalar>::hear(const DataArrived& data) {
  meters_.bytes_received += header_bytes + data.packet->size();
  safe_.hear(data.key, data.packet);
  const std::uint64_t rounds = peer_->counters().gossip_rounds;
  const Instant came = monotonic_now();
  peer_->deliver(data.key, data.packet, data.marks);
  if (peer_->counters().gossip_rounds != rounds)
    meters_.waits.ended_by(data.key.sender, came, peer_->state() == PeerState::needs_messages);
}

#define HEARSAY_PEER_DRIVER(Scalar)                       \
  template void PeerDriver<Scalar>::receive_and_answer(); \
  template void PeerDriver<Scalar>::receive(int);         \
  template bool PeerDriver<Scalar>::take_in();            \
  template void PeerDriver<Scalar>::look_around();        \
  template void PeerDriver<Scalar>::serve(Instant, int);
HEARSAY_PEER_DRIVER(float)
HEARSAY_PEER_DRIVER(double)
#undef HEARSAY_PEER_DRIVER

}  // namespace hearsay
