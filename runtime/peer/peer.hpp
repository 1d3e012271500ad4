#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/awaited_packets.hpp"
#include "runtime/peer/counters.hpp"
#include "runtime/peer/divergence.hpp"
#include "runtime/peer/exchanges.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/local_gradients.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/peer/peer_input.hpp"
#include "runtime/peer/peer_neighbors.hpp"
#include "runtime/peer/replica_guard.hpp"
#include "runtime/peer/script.hpp"

namespace hearsay {

/// What a peer waits for.
enum class PeerState {
  idle,             ///< start()
  checkpoint_due,   ///< save the peer, if it is to be saved (peer_image.hpp), then checkpoint_taken()
  evaluation_due,   ///< take a snapshot of model(), then evaluation_taken()
  needs_gradient,   ///< compute_gradient(), then, when its time is over, gradient_arrived()
  needs_messages,   ///< deliver(...)
  needs_verdict,    ///< verdict(...)
  needs_agreement,  ///< attach(...) or withdraw(...), for an edge that was offered
  finished,
  diverged,
};

/// What the observer has said, as far as it matters to a peer.
struct KnownVerdicts {
  std::optional<std::uint64_t> last;        ///< the newest evaluation that was answered
  std::optional<std::uint64_t> stop_after;  ///< so many completed iterations
  std::uint64_t checkpoint_every = 0;       ///< so many iterations, as announced; 0: not announced
  bool awaited = true;                      ///< otherwise nobody says one, and the peer goes on without
};

/// What becomes of the messages that a saved peer had received for iterations to come.
enum class Waiting {
  kept,  ///< this peer alone is restored: its neighbors have sent them
  /// All peers are restored, at one iteration. The neighbors will send these messages again; so does this
  /// peer, once started, with those of the last `staleness` iterations that its neighbors may lack.
  dropped,
};

template <class Scalar>
class Peer;
template <class Scalar>
std::vector<std::byte> image_of(Peer<Scalar>& peer);
template <class Scalar>
bool restore(Peer<Scalar>& peer, std::span<const std::byte> image, Waiting waiting);

/// One peer: a method, an inbox and a round policy. It contains no I/O: events go in by calls, effects come
/// out as data (`state`, `outbox`), and whoever drives it (the simulator, the ZeroMQ driver) owns the
/// effects.
///
/// Synchronous methods (inbox.hpp): same events, same bits, whatever the order in which messages come.
/// Asynchronous methods (exchanges.hpp): a message is taken in when it comes, in any state. A peer that has
/// ended still answers, that there is no more to be had (an empty packet); its model stays what it was.
///
/// The driver's duties: (1) act on `state`; (2) after every call, send what is in the outbox and clear it;
/// (3) hand in each data message once, with `deliver`; (4) hand in the verdict of every evaluation; (5) of an
/// asynchronous method, deliver to the very end, also during a gradient and after the peer has ended.
///
/// A peer that was restored from an image (peer_image.hpp) goes on, once started, as the saved one would
/// have: with the evaluation of the iteration after which it was saved, where one is due.
///
/// The verdict on the evaluation at iteration e takes effect at e + evaluate_every, so that no peer ever
/// waits for an answer at once, and all peers stop at the same iteration. Between the iterations of two peers
/// there are never more than 2 evaluate_every: whoever is ahead waits for the verdict on an evaluation that
/// needs all. One that waits for a verdict answers, so where a verdict ends an asynchronous run early, its
/// model may be later than the one that was evaluated.
template <class Scalar>
class Peer final : private IterationHost<Scalar> {
 public:
  explicit Peer(PeerInput<Scalar> input);

  /// Writes down what the method asks for; before the start.
  void record_into(PeerScript& script) { script_ = &script; }
  /// Begins. The evaluation of x_0, which all peers share, is the observer's own affair.
  void start();
  void checkpoint_taken();
  void evaluation_taken();
  /// Whether the peer has completed an iteration that is to be evaluated, and nobody has taken its model yet.
  /// A peer that is stopped there still has to send that evaluation, since its result counts the iteration.
  bool owes_evaluation() const {
    return state_ == PeerState::evaluation_due ||
           (state_ == PeerState::checkpoint_due && evaluation_is_due());
  }
  /// Evaluates the gradient that was asked for: all the arithmetic, no change of state. Another thread may
  /// call this. If the method is asynchronous, this thread may deliver messages and verdicts meanwhile, but
  /// neither read counters nor destroy the peer.
  void compute_gradient();
  /// How much work that gradient is, in gradients of a minibatch: more than 1 if the method asks for a full
  /// gradient.
  double gradient_work() const { return gradients_.work(); }
  void gradient_arrived();
  void deliver(const MessageKey& key, const PacketRef& packet, const MessageMarks& marks = {});

  // Policy "drop" (neighborhood.hpp).

  /// The neighbor is gone. Its messages that have come still count; no others will come.
  void lose(PeerId neighbor);
  /// No verdict will come any more; the peer trains on to its last iteration.
  void go_on_unobserved();
  /// Verdicts come again.
  void go_on_observed() { verdicts_.awaited = true; }
  /// The first iteration from which on an edge can be in again, where the other end knows of it at once.
  std::uint64_t earliest_attachment() const { return std::max(iteration_.number(), completed_) + 2; }
  /// The iteration from which on the edge to a lost neighbor, which has shown life, can be in again; nothing
  /// if no such iteration is left. Until both ends have agreed, this peer does not begin the iteration before
  /// that one (needs_agreement).
  std::optional<std::uint64_t> offer(PeerId neighbor);
  /// Both ends have agreed that the edge is in from `iteration` on. False if it is too late for that here.
  bool attach(PeerId neighbor, std::uint64_t iteration);
  /// The neighbors to which an edge is offered, and nothing is agreed on yet.
  std::vector<PeerId> offered() const { return neighbors_.offered(); }
  /// No agreement was reached with the neighbor: the offer is void.
  void withdraw(PeerId neighbor);
  /// Whether the peer waits for what is published at neighbors whose edges come back in this iteration. Its
  /// row of W is known after that.
  bool attaching() const { return neighbors_.attaching(); }
  /// A neighbor that joins asks for this peer's model. The model is among the copies as soon as no iteration
  /// is under way.
  void ask_for_model(PeerId joiner);
  /// Copies of the model for neighbors that join: to be sent, and cleared, after every call.
  std::vector<ModelCopy>& copies() { return neighbors_.copies(); }
  const Neighborhood* neighborhood() const { return neighbors_.neighborhood(); }

  /// The verdict on the evaluation at iteration `evaluated`: whether to go on beyond evaluated +
  /// evaluate_every. `checkpoint_every`, unless 0: see PeerInput.
  void verdict(std::uint64_t evaluated, bool go_on, std::uint64_t checkpoint_every = 0);

  PeerState state() const { return state_; }
  bool has_ended() const { return state_ == PeerState::finished || state_ == PeerState::diverged; }
  std::vector<Outgoing>& outbox() { return outbox_; }

  PeerId id() const { return input_.id; }
  /// The iteration that was begun last; 0: none.
  std::uint64_t begun() const { return iteration_.number(); }
  /// Completed iterations.
  std::uint64_t iteration() const { return completed_; }
  const Vector<Scalar>& model() const { return input_.algorithm->model(); }
  Algorithm<Scalar>& algorithm() { return *input_.algorithm; }
  /// After so many iterations each a checkpoint is due; 0: never, or not announced yet.
  std::uint64_t checkpoint_every() const {
    return input_.checkpoints.as_announced ? verdicts_.checkpoint_every : input_.checkpoints.every;
  }
  /// The newest evaluation whose verdict is in.
  std::optional<std::uint64_t> last_verdict() const { return verdicts_.last; }
  const PeerCounters& counters() const { return counters_; }
  const std::optional<Divergence>& divergence() const { return divergence_; }
  /// Digests of the method's state, and of what the neighbors were sent of it.
  StateDigests digests();
  /// The neighbors whose messages are still missing, for a message to the user.
  std::vector<PeerId> waiting_for() const;

 private:
  friend std::vector<std::byte> image_of<Scalar>(Peer& peer);
  friend bool restore<Scalar>(Peer& peer, std::span<const std::byte> image, Waiting waiting);

  // IterationHost
  PacketBuffer new_packet() override { return input_.packets->acquire(); }
  void send(Slot slot, PeerId to, const PacketRef& packet) override;
  std::span<const Index> minibatch() override { return gradients_.minibatch(iteration_); }
  void next_minibatch() override { gradients_.next_minibatch(iteration_); }
  std::span<const Index> all_samples() override { return gradients_.all_samples(); }
  bool request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) override;
  const Vector<Scalar>& gradient() const override { return gradients_.gradient(); }
  bool request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) override;
  std::span<const PacketRef> packets() const override { return awaited_.packets(); }
  void report(CodecStatus status) override;

  void hear(const MessageKey& key, const PacketRef& packet);
  void answer(const Exchanges::Request& request);
  void reply(const MessageKey& request, PacketRef packet);

  void file(const MessageKey& key, const PacketRef& packet);
  bool checkpoint_is_due() const;
  bool evaluation_is_due() const {
    return completed_ % input_.evaluate_every == 0 || completed_ == input_.iterations;
  }
  void evaluate_or_go_on();
  void say_again();
  void go_on_or_wait();
  void begin_iteration();
  bool begin_method();
  bool exchange_attachments();
  void take_attachments();
  void answer_joiners();
  void resume();
  bool complete_iteration();

  PeerInput<Scalar> input_;
  PeerScript* script_ = nullptr;
  Iteration<Scalar> iteration_;
  Task task_;
  PeerState state_ = PeerState::idle;
  Answering<Scalar>* answering_;  // of the algorithm; null where it is synchronous
  std::uint64_t completed_ = 0;
  KnownVerdicts verdicts_;
  LocalGradients<Scalar> gradients_;
  Inbox inbox_;
  AwaitedPackets awaited_;
  Exchanges exchanges_;      // instead of the inbox, where the method is asynchronous
  bool says_again_ = false;  // once started: it was restored, and so were all others
  PeerCounters counters_;
  PeerNeighbors<Scalar> neighbors_;
  ReplicaGuard<Scalar> guard_;
  std::vector<Outgoing> outbox_;
  std::optional<Divergence> divergence_;
};

}  // namespace hearsay
