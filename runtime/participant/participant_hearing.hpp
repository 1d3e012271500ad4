#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "runtime/participant/participant.hpp"
#include "runtime/session/long_wait.hpp"

// What a participant hears. Defines members of Participant, for participant.cpp alone.

namespace hearsay {

template <class Scalar>
void Participant<Scalar>::on(const ResumeFrom& resume) {
  if (resume.iteration != 0) {
    to_restore_ = resume;
    return;
  }
  // All begin, this peer as if it had not been told to resume. What it holds is removed before it greets
  // anybody: if it dies before its start, its next process must not go on from there.
  note_heard(BeginsAnew{});
  part_.session.resume({first_needed_in(1, staleness_of(part_.experiment().settings)), {}, {}, {}, {}});
}

template <class Scalar>
void Participant<Scalar>::on(const RunStarts& start) {
  part_.meter.begin(start.origin);
  if (views_) views_->begin();
  if (std::exchange(part_.phase, Phase::trains) == Phase::restored) return;
  note_heard(BeginsLog{});
  part_.peer->start();
  for (DataArrived& data : std::exchange(early_, {})) hear(std::move(data));
}

/// This peer joins the run: a new peer with a neighbor's model replaces the one that was made.
template <class Scalar>
void Participant<Scalar>::on(const ModelArrived& arrived) {
  const auto model = model_of<Scalar>(arrived.model, part_.experiment().problem.dimension());
  if (!model)
    return part_.end_with({3, "peer " + std::to_string(arrived.from) + " told a model that is not finite"});
  part_.replace_peer(make_joining_peer(part_.experiment(), id(), part_.input.packets, arrived.entry, *model));
  part_.tell_user(PeerNews::Kind::joins, arrived.from,
                  part_.self() + " joins at iteration " + std::to_string(arrived.entry.iteration) +
                      ", with the model of peer " + std::to_string(arrived.from));
}

template <class Scalar>
void Participant<Scalar>::on(const StillWaits& waits) {
  part_.tell_user(PeerNews::Kind::waits, id(),
                  part_.self() + " waits for " + waits.whom + ", for " + spoken(waits.so_far) + " now");
}

template <class Scalar>
void Participant<Scalar>::hear(DataArrived data) {
  part_.meter.receives(data, part_.now);
  take_in(std::move(data));
}

template <class Scalar>
void Participant<Scalar>::take_in(DataArrived data) {
  const PeerId sender = data.key.sender;
  if (views_ && !views_->take(data)) return;
  const std::uint64_t rounds = part_.peer->counters().gossip_rounds;
  const bool is_logged = part_.input.checkpoints.any();  // else nobody but the peer needs the packet
  part_.peer->deliver(data.key, is_logged ? data.packet : std::move(data.packet), data.metadata);
  if (part_.peer->counters().gossip_rounds != rounds)
    part_.meter.round_ended_by(sender, part_.now, part_.peer->state() == PeerState::needs_messages);
  note_heard(std::move(data));
}

}  // namespace hearsay
