#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "runtime/foundation/announced.hpp"
#include "runtime/foundation/byte_parts.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/counters.hpp"
#include "runtime/peer/divergence.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/method_host.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/peer/peer_input.hpp"
#include "runtime/peer/peer_neighbors.hpp"
#include "runtime/peer/peer_state.hpp"
#include "runtime/peer/role.hpp"
#include "runtime/peer/state_copy.hpp"
#include "runtime/peer/work_trace.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

template <class Scalar>
ByteParts image_parts(Peer<Scalar>& peer);
template <class Scalar>
bool restore(Peer<Scalar>& peer, std::span<const std::byte> image, InboxOnRestore inbox);

/// One peer: a method, an inbox and a round policy. It does no I/O: events go in by calls, effects come out
/// as data (`state`, `outbox`). A driver (the simulator, or the ZeroMQ driver) carries the effects out.
///
/// With a synchronous method (inbox.hpp) the same events give the same bits, in whatever order messages come.
/// With an asynchronous method (exchanges.hpp) a message is taken in when it comes, in any state. A peer that
/// has ended refuses requests (with an empty packet), and its model does not change any more.
///
/// The driver must
///   1. act on `state`;
///   2. after every call, send the outbox and clear it;
///   3. hand in each data message once, with `deliver`;
///   4. hand in the verdict on every evaluation;
///   5. with an asynchronous method, deliver to the end: also during a gradient and after the peer has ended.
///
/// A peer that was restored from an image (peer_image.hpp) goes on, once started, as the saved one would,
/// beginning with the evaluation of the iteration after which it was saved, if one is due.
///
/// The verdict on an evaluation takes effect at the next one. So no peer has to wait for a verdict at once,
/// and all peers stop at the same iteration. Two peers are never more than two evaluations apart (2
/// evaluate_every iterations): the one ahead waits for the verdict on an evaluation that needs all peers. It
/// still answers requests, so a model may be newer than the evaluated one if a verdict ends the run.
template <class Scalar>
class Peer {
 public:
  explicit Peer(PeerInput<Scalar> input);

  /// Records what the method asks for in `trace`. Call this before `start`.
  void record_into(WorkTrace& trace) { method_.record_into(trace); }
  /// Shares with all others what all of them add up. Call this before `start`; `sum` must outlive the peer.
  void share(SharedSum<Scalar>& sum) { method_.share(sum); }
  /// Longer messages are copied as they leave (Iteration::lent_packet), in one thread, and not all at once.
  void lend_beyond(std::size_t bytes) { method_.lend_beyond(bytes); }
  /// Messages have left: gives up what was lent and is copied by now.
  void let_go_of_copied() { method_.let_go_of_copied(); }
  /// Long messages of neighbors come in pieces. Call this before `start`, if the method can take them in.
  void expect_pieces() { method_.expect_pieces(); }
  /// The bytes from the `from`th on. False if the method does not take them yet. When it has all, the message
  /// is delivered, with an empty packet. Another thread may compute the gradient meanwhile.
  bool hear_piece(const MessageKey& key, std::size_t from, std::span<const std::byte> bytes) {
    return method_.hear_piece(key, from, bytes);
  }
  /// From now on keeps copies of its states after the last two iterations, from which another peer can go on.
  void keep_states() { keeps_states_ = true; }
  /// Call this before `start`: goes on in the place of `before`, which has kept its states, is made from the
  /// same input but for the members of the run, and is used no more. Begins after iteration `completed`, the
  /// last that `before` has completed or the one before that, from its state then; knows what it knew.
  void succeed(Peer& before, std::uint64_t completed);
  /// Begins. There is no evaluation of x_0: all peers share it, so the observer evaluates it by itself.
  void start();
  void checkpoint_taken() {
    ensure(state_ == PeerState::checkpoint_due, "a checkpoint was taken that was not due");
    evaluate_or_advance();
  }
  void evaluation_taken();
  /// True if the peer has completed an iteration that is to be evaluated, and its model was not taken yet. If
  /// it is stopped then, it must still send the evaluation, since its result counts the iteration.
  bool owes_evaluation() const {
    return state_ == PeerState::evaluation_due ||
           (state_ == PeerState::checkpoint_due && evaluation_is_due());
  }
  /// Computes the gradient that the method asked for, perhaps in another thread; `state` stays. Meanwhile an
  /// asynchronous method may get messages and verdicts; nobody may read counters, or destroy the peer.
  void compute_gradient();
  /// How much work that gradient is, in gradients of a minibatch.
  double gradient_work() const { return method_.gradient_work(); }
  /// The iteration that is under way, or, if its gradient is computed ahead, the next.
  std::uint64_t gradient_iteration() const { return method_.gradient_iteration(); }
  void gradient_arrived();
  void deliver(MessageKey key, PacketRef packet, const MessageMetadata& metadata = {});

  /// True if this is a hub that waits for answers, and may go on without the missing ones.
  bool may_close_round() const {
    const HubRole* hub = role_.as_hub();
    return hub && hub->closes_rounds() && state_ == PeerState::needs_messages && !neighbors_.attaching();
  }
  /// The round is over: goes on with the answers that have come. Call this if `may_close_round`.
  void close_round();

  // Policy "drop" (neighborhood.hpp).

  /// The neighbor is lost. Its messages that have come still count; no others will come.
  void lose(PeerId neighbor);
  /// The observer is lost: the peer trains to its last iteration without verdicts.
  void detach_from_observer() {
    verdicts_.awaited = false;
    if (standby_hub()) standby_hub()->observe(false);
    if (state_ == PeerState::needs_verdict) advance_or_wait();
    go_on_with_second_hub();
  }
  /// The observer is back: verdicts come again.
  void attach_to_observer() {
    verdicts_.awaited = true;
    if (standby_hub()) standby_hub()->observe(true);
  }
  /// The first iteration from which on an edge can be in again: its degree has to be announced one iteration
  /// earlier, and that iteration must not have begun.
  std::uint64_t earliest_attachment() const { return std::max(begun(), completed_) + 2; }
  /// Offers that the edge to a lost neighbor, which is heard again, be in again. Returns the first possible
  /// iteration; empty if none is left. Until the offer is answered, this peer does not begin the iteration
  /// before that one (needs_agreement).
  std::optional<std::uint64_t> offer(PeerId neighbor) {
    ensure(neighborhood()->is_lost(neighbor), "an edge is offered to a neighbor that was lost");
    return has_ended() ? std::nullopt : neighbors_.offer(neighbor, earliest_attachment());
  }
  /// The other end wants the edge in from `iteration` on. True if it will be; false if this peer cannot do
  /// that any more, and the edge stays out. Withdraws an offer to the neighbor in both cases.
  bool attach(PeerId neighbor, std::uint64_t iteration) {
    const bool possible = !has_ended() && neighbors_.attach(neighbor, iteration, earliest_attachment());
    withdraw(neighbor);
    return possible;
  }
  /// The offer to the neighbor, if there is one, is void.
  void withdraw(PeerId neighbor) {
    neighbors_.withdraw(neighbor);
    if (state_ == PeerState::needs_agreement && completed_ + 1 < neighbors_.holds_before()) begin_iteration();
  }
  /// Neighbor `joiner`, which joins, asks for this peer's model. The copy is in `copies` as soon as no
  /// iteration is under way.
  void ask_for_model(PeerId joiner) {
    neighbors_.ask_for_model(joiner);
    if (begun() <= completed_) answer_joiners();
  }
  /// Copies of the model for neighbors that join. The driver sends and clears them after every call.
  std::vector<ModelCopy>& copies() { return neighbors_.copies(); }
  /// The edges of this peer, and what was offered to which neighbor.
  const PeerNeighbors<Scalar>& neighbors() const { return neighbors_; }
  /// Null under policy "wait".
  const Neighborhood* neighborhood() const { return neighbors_.neighborhood(); }

  /// What this peer is in the run, and, if there is a hub, who that is now.
  const Role<Scalar>& role() const { return role_; }
  /// Null if this peer is no standby.
  StandbyHub<Scalar>* standby_hub() const {
    return role_.as_standby() ? &role_.as_standby()->second_hub() : nullptr;
  }
  /// True if this peer took over by mistake: the hub is alive, and the other workers follow it.
  bool was_mistaken() const { return standby_hub() && standby_hub()->was_mistaken(); }
  /// The model that this peer tells of: its own, or that of the hub that it keeps ready.
  const Vector<Scalar>& told_model() const {
    return standby_hub() && !standby_hub()->is_dismissed() ? standby_hub()->model() : model();
  }

  /// The verdict on the evaluation at iteration `evaluated`. `proceed`: whether the run continues beyond
  /// the next evaluation. What is announced: see CheckpointRule and EvaluationTimes.
  void verdict(std::uint64_t evaluated, bool proceed, const Announced& announced = {});

  PeerState state() const { return state_; }
  bool has_ended() const { return state_ == PeerState::finished || state_ == PeerState::diverged; }
  std::vector<Outgoing>& outbox() { return outbox_; }

  PeerId id() const { return input_.id; }
  /// The row of W in the iteration that was begun last.
  const MixingRow& row() const { return method_.iteration().mixing(); }
  /// The iteration that was begun last; 0: none.
  std::uint64_t begun() const { return method_.iteration().number(); }
  /// Number of completed iterations.
  std::uint64_t iteration() const { return completed_; }
  /// The first iteration whose messages this peer still needs, apart from staleness.
  std::uint64_t needed_from() const {
    return state_ == PeerState::needs_copies ? completed_ : completed_ + 1;
  }
  const Vector<Scalar>& model() const { return input_.algorithm->model(); }
  Algorithm<Scalar>& algorithm() { return *input_.algorithm; }
  /// Iterations between two checkpoints; 0: none are due, or the number is not announced yet.
  std::uint64_t checkpoint_every() const {
    return input_.checkpoints.as_announced ? verdicts_.checkpoint_every : input_.checkpoints.every;
  }
  /// The newest evaluation whose verdict has come; empty if none has.
  std::optional<std::uint64_t> last_verdict() const { return verdicts_.last; }
  const PeerCounters& counters() const { return counters_; }
  /// Why the peer diverged; empty if it has not.
  const std::optional<Divergence>& divergence() const { return method_.divergence(); }
  /// Digests of the method's state, and of what each hearer was told last. Replicas of neighbors whose edges
  /// are out are left out: nothing updates them.
  StateDigests digests();
  /// The neighbors whose messages are missing; empty unless the peer waits for messages.
  std::vector<PeerId> waiting_for() const;

 private:
  friend ByteParts image_parts<Scalar>(Peer& peer);
  friend bool restore<Scalar>(Peer& peer, std::span<const std::byte> image, InboxOnRestore inbox);

  bool checkpoint_is_due() const;
  bool evaluation_is_due() const {
    return verdicts_.evaluations.is_at(completed_) || completed_ == input_.iterations;
  }
  void evaluate_or_advance();
  StateCopy<Scalar>& kept_after(std::uint64_t completed) { return kept_[completed % kept_.size()]; }
  void say_again();
  void advance_or_wait();
  bool may_begin();
  void begin_iteration();
  void follow_method();
  bool complete_iteration();
  bool end_iteration();
  void contradict(std::uint64_t iteration);
  void answer_joiners();
  void go_on_with_second_hub();

  PeerInput<Scalar> input_;
  PeerState state_ = PeerState::idle;
  std::uint64_t completed_ = 0;
  KnownVerdicts verdicts_;
  std::uint64_t evaluated_ = 0;  // the last evaluation that was taken
  bool keeps_states_ = false;
  std::array<StateCopy<Scalar>, 2> kept_;  // by iteration, in turn
  bool says_again_ = false;                // all peers were restored: `start` sends the last messages again
  PeerCounters counters_;
  std::vector<Outgoing> outbox_;
  PeerNeighbors<Scalar> neighbors_;
  Role<Scalar> role_;
  MethodHost<Scalar> method_;
};

}  // namespace hearsay
