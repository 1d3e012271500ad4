#pragma once

#include <cstdint>
#include <utility>

#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "topology/foundation/ensure.hpp"

// How a peer begins: at the start of a run, from an image, with a neighbor's model, in the place of another
// one. Defines members of Peer, for peer.cpp alone.

namespace hearsay {

template <class Scalar>
Peer<Scalar>::Peer(PeerInput<Scalar> input)
    : input_(std::move(input)),
      verdicts_{.evaluations = {input_.evaluate_every, input_.evaluates_as_announced}},
      neighbors_(input_),
      role_(input_, counters_, neighbors_.neighborhood()),
      method_({input_, neighbors_, role_, counters_, outbox_}) {
  ensure(!role_.asynchronous() || !input_.checkpoints.any(),
         "what is under way between asynchronous peers is in no image");
  if (!input_.joins_at) return;
  completed_ = input_.joins_at->iteration;
  verdicts_.last = input_.joins_at->last_verdict;
}

template <class Scalar>
void Peer<Scalar>::start() {
  ensure(state_ == PeerState::idle, "a peer is started once");
  if (standby_hub()) standby_hub()->start();
  if (completed_ == 0) return advance_or_wait();
  if (says_again_) say_again();
  evaluate_or_advance();
}

template <class Scalar>
void Peer<Scalar>::succeed(Peer& before, std::uint64_t completed) {
  ensure(state_ == PeerState::idle && completed_ == 0, "a peer succeeds another before it does anything");
  ensure(before.keeps_states_ && completed <= before.completed_ && before.completed_ <= completed + 1,
         "a peer goes back by one iteration at most");
  keep_states();
  completed_ = completed;
  verdicts_ = before.verdicts_;
  counters_ = before.counters_;
  evaluated_ = before.evaluated_;
  if (completed == 0) return;
  before.kept_after(completed).give(*input_.algorithm, completed);
  kept_after(completed).take(*input_.algorithm, completed);
}

template <class Scalar>
void Peer<Scalar>::say_again() {
  for (std::uint64_t number = first_needed_in(completed_ + 1, input_.staleness); number <= completed_;
       ++number)
    method_.say_again(number);
}

}  // namespace hearsay
