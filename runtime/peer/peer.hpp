#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/seam/algorithm.hpp"
#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/objectives/objective.hpp"
#include "algorithms/seam/step_size.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/exchanges.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/joining.hpp"
#include "runtime/peer/neighborhood.hpp"
#include "runtime/peer/script.hpp"
#include "runtime/peer/replica_watch.hpp"
#include "runtime/settings/staleness.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// A message that a peer wants sent. Frames leave in the order in which they stand in the outbox.
struct Outgoing {
  PeerId to;
  MessageKey key;
  PacketRef packet;
  MessageMarks marks = {};
};

/// The slot of what the ends of an edge tell each other when it comes back: what each has published, in full precision. It is the
/// first message of the iteration from which on the edge is in.
inline constexpr Slot attach_slot = 0xffff'fffd;

/// When and why a run left the finite range.
struct Divergence {
  std::uint64_t iteration;
  std::string what;        ///< "the model left the finite range"
  bool malformed = false;  ///< it did not: a message did not fit the method
};

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

/// What a peer counts about itself.
struct PeerCounters {
  std::uint64_t gradient_evaluations = 0;  ///< samples whose gradient was taken
  std::uint64_t gossip_rounds = 0;         ///< completed waits for messages, one after the other
  std::uint64_t late = 0;  ///< messages of an iteration that is over, or that nobody asked for
  std::uint64_t duplicate = 0;
  std::uint64_t overflow = 0;  ///< messages beyond the inbox's bound
  // Of asynchronous methods. No update is lost: over all peers of a run that ended well, the two are equal.
  std::uint64_t exchanges_asked = 0;     ///< requests of this peer that were answered
  std::uint64_t exchanges_answered = 0;  ///< requests of others that this peer answered
  // Of methods that keep replicas, where links are fixed (replica_watch.hpp).
  std::uint64_t digests_compared = 0;  ///< of replicas, with what their owners say
  std::uint64_t digests_differed = 0;  ///< among those
  std::uint64_t resyncs = 0;       ///< replicas that were replaced by a copy of what their owner published
  std::uint64_t unfit_copies = 0;  ///< copies that no replica can become
};

template <class Scalar>
struct PeerInput {
  PeerId id;
  std::unique_ptr<Algorithm<Scalar>> algorithm;
  const Objective<Scalar>* objective;  ///< outlives the peer
  std::shared_ptr<const Schedule> schedule;
  std::vector<PeerId> hearers;  ///< who hears it in any round, ascending; where these change only
  StepSize step_size;
  std::uint64_t seed;
  bool
      may_sit_out;  ///< skips the iterations in which its row of the schedule says so: no gradient, no message
  std::optional<std::uint64_t>
      batch;  ///< samples per gradient, drawn with replacement; empty: all local samples
  std::uint64_t iterations;
  std::uint64_t evaluate_every;
  PacketPool* packets;                         ///< outlives the peer
  std::vector<PeerId> patient_neighbors = {};  ///< see Exchanges; asynchronous methods only
  /// A checkpoint is due after so many iterations each, and after the last of `iterations`; 0: never. Synchronous methods only.
  /// As announced: after as many each as a verdict says, beyond the iteration that nobody passes without it.
  std::uint64_t checkpoint_every = 0;
  std::uint64_t staleness = 0;  ///< s: iteration t asks for messages of iteration t - s (staleness.hpp)
  /// Policy "drop": edges may leave W and come back, and this is how the weights follow. Empty: they do not. Static symmetric
  /// schedules, methods whose membership is exact, no staleness.
  std::optional<WeightsFollow> weights_follow = {};
  bool edges_return = true;         ///< or else those that have left stay out
  std::vector<PeerId> absent = {};  ///< who is not there when the run begins, ascending
  std::optional<EntryPoint> joins_at =
      {};  ///< of a peer that joins: `algorithm` begins with a neighbor's model
};

/// What becomes of the messages that a saved peer had received for iterations to come.
enum class Waiting {
  kept,  ///< this peer alone is restored: its neighbors have said them
  /// All peers are restored, at one iteration: its neighbors will say them again, as it does, once started, with what theirs may
  /// lack of the last `staleness` iterations.
  dropped,
};

template <class Scalar>
class Peer;
template <class Scalar>
std::vector<std::byte> image_of(Peer<Scalar>& peer);
template <class Scalar>
bool restore(Peer<Scalar>& peer, std::span<const std::byte> image, Waiting waiting);

/// One peer: a method, an inbox and a round policy. It contains no I/O: events go in by calls, effects
/// come out as data (`state`, `outbox`), and whoever drives it (the simulator, the ZeroMQ driver) owns the effects.
///
/// Synchronous methods (inbox.hpp): same events, same bits, whatever the order in which messages come. Asynchronous methods
/// (exchanges.hpp): a message is taken in when it comes, in any state. A peer that has ended still answers, that there is
/// no more to be had (an empty packet); its model stays what it was.
///
/// The driver's duties: (1) act on `state`; (2) after every call, send what is in the outbox and clear it; (3) hand in
/// each data message once, with `deliver`; (4) hand in the verdict of every evaluation; (5) of an asynchronous method, deliver
/// to the very end, also during a gradient and after the peer has ended.
///
/// A peer that was restored from an image (peer_image.hpp) goes on, once started, as the saved one would have: with the evaluation
/// of the iteration after which it was saved, where one is due.
///
/// The verdict on the evaluation at iteration e takes effect at e + evaluate_every, so that no peer ever waits for an
/// answer at once, and all peers stop at the same iteration. Between the iterations of two peers there are never more than
/// 2 evaluate_every: whoever is ahead waits for the verdict on an evaluation that needs all. One that waits for a verdict
/// answers, so where a verdict ends an asynchronous run early, its model may be later than the one that was evaluated.
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
  /// It has completed an iteration that is to be evaluated, and nobody has taken its model yet: what a peer that is stopped there
  /// still has to tell, since its result counts that iteration.
  bool owes_evaluation() const;
  /// Evaluates the gradient that was asked for: all the arithmetic, no change of state. Another thread may do it; of an asynchronous
  /// method while this one delivers and takes verdicts (but neither reads counters nor destroys the peer).
  void compute_gradient();
  /// How much work that is, in gradients of a minibatch: more than 1 where a method asks for a full gradient.
  double gradient_work() const;
  void gradient_arrived();
  void deliver(const MessageKey& key, const PacketRef& packet, const MessageMarks& marks = {});

  // Policy "drop" (neighborhood.hpp).

  /// This neighbor is gone. What it said still counts; what lacks, lacks for ever.
  void lose(PeerId neighbor);
  /// Nobody will say a verdict any more; the peer goes on to its last iteration.
  void go_on_unobserved();
  /// Somebody does again.
  void go_on_observed() { unobserved_ = false; }
  /// The first iteration from which on an edge can be in again, where the other end knows of it at once.
  std::uint64_t earliest_attachment() const { return std::max(iteration_.number(), completed_) + 2; }
  /// To a lost neighbor that shows life: its edge can be in from the returned iteration on, or later. Until that is agreed on, this
  /// peer does not begin the iteration before it (needs_agreement). Nothing where there is no such iteration.
  std::optional<std::uint64_t> offer(PeerId neighbor);
  /// Both ends have agreed. False where it is too late here.
  bool attach(PeerId neighbor, std::uint64_t iteration);
  /// To whom, as long as nothing is agreed on.
  std::vector<PeerId> offered() const;
  /// No agreement was reached.
  void withdraw(PeerId neighbor);
  /// Waits for what is published at neighbors whose edges come back now; its row of W is known after that.
  bool attaching() const { return attaching_; }
  /// A neighbor joins, and asks for this peer's model: it is among the copies as soon as no iteration is under way.
  void ask_for_model(PeerId joiner);
  /// To be sent, and cleared, after every call.
  std::vector<ModelCopy>& copies() { return copies_; }
  const Neighborhood* neighborhood() const { return neighborhood_ ? &*neighborhood_ : nullptr; }

  /// The verdict on the evaluation at iteration `evaluated`: whether to go on beyond evaluated + evaluate_every.
  /// `checkpoint_every`, unless 0: see PeerInput.
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
  /// 0 where it is not announced yet.
  std::uint64_t checkpoint_every() const {
    return input_.checkpoint_every == as_announced ? announced_checkpoints_ : input_.checkpoint_every;
  }
  /// The newest evaluation whose verdict is in.
  std::optional<std::uint64_t> last_verdict() const { return last_verdict_; }
  const PeerCounters& counters() const { return counters_; }
  const std::optional<Divergence>& divergence() const { return divergence_; }
  /// Of the method's state, and of what the neighbors were told of it.
  StateDigests digests();
  /// The neighbors whose messages are still missing, for a message to the user.
  std::vector<PeerId> waiting_for() const;

 private:
  friend std::vector<std::byte> image_of<Scalar>(Peer& peer);
  friend bool restore<Scalar>(Peer& peer, std::span<const std::byte> image, Waiting waiting);

  // IterationHost
  PacketBuffer new_packet() override { return input_.packets->acquire(); }
  void send(Slot slot, PeerId to, const PacketRef& packet) override;
  std::span<const Index> minibatch() override;
  void next_minibatch() override;
  std::span<const Index> all_samples() override;
  bool request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) override;
  const Vector<Scalar>& gradient() const override { return gradient_; }
  bool request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) override;
  std::span<const PacketRef> packets() const override { return packets_; }
  void report(CodecStatus status) override;

  void hear(const MessageKey& key, const PacketRef& packet);
  void answer(const Exchanges::Request& request);
  void reply(const MessageKey& request, PacketRef packet);

  void begin_replica_safety();
  void note_told(Slot slot, PeerId to);
  void guard_replicas();
  void answer_questions(const MixingRow& row);
  void take_digests(const MixingRow& row);
  void hear_digest(const MessageKey& key, std::uint32_t replica_digest);
  void hear_copy(const MessageKey& key, const PacketRef& copy);
  void resync(PeerId owner, const PacketRef& copy);
  void count(ReplicaWatch::Finding finding);
  void file(const MessageKey& key, const PacketRef& packet);
  bool checkpoint_is_due() const;
  bool evaluation_is_due() const;
  void evaluate_or_go_on();
  void say_again();
  void go_on_or_wait();
  void begin_iteration();
  bool begin_method();
  bool exchange_attachments();
  void take_attachments();
  void read_attachments();
  void depart_lost();
  void meet_neighbors();
  void answer_joiners();
  void mix_with_neighborhood();
  std::uint64_t holds_before() const;
  void resume();
  bool complete_iteration();
  void diverge(std::string what);

  PeerInput<Scalar> input_;
  PeerScript* script_ = nullptr;
  Iteration<Scalar> iteration_;
  Task task_;
  PeerState state_ = PeerState::idle;
  Answering<Scalar>* answering_;  // of the algorithm; null where it is synchronous
  std::uint64_t completed_ = 0;
  std::optional<std::uint64_t> last_verdict_;  // the newest evaluation that was answered
  std::optional<std::uint64_t> stop_after_;    // completed iterations
  std::uint64_t announced_checkpoints_ = 0;    // every so many iterations

  const Vector<Scalar>* gradient_point_ = nullptr;
  Vector<Scalar> gradient_;
  std::span<const Index> gradient_samples_;
  std::vector<Index> all_samples_;           // once they are asked for
  std::optional<RandomStream> minibatches_;  // this iteration's draws, once there is one
  std::vector<Index> minibatch_;

  Inbox inbox_;
  bool says_again_ = false;  // once started
  std::uint64_t wanted_iteration_ = 0;
  Slot wanted_slot_ = 0;
  std::vector<PeerId> wanted_senders_;  // ascending, or a single one
  std::vector<PacketRef> packets_;
  std::size_t missing_ = 0;

  // Where links change and replicas are kept: what every hearer was told last, and in which slot that was worked out.
  std::vector<std::pair<PeerId, std::uint64_t>> told_;
  std::uint64_t published_digest_ = 0;
  MessageKey digest_taken_at_{};

  std::optional<Neighborhood> neighborhood_;
  MixingRow changed_row_;    // once W is not what it was
  bool attaching_ = false;   // waits for attachments, and has not begun its method
  bool unobserved_ = false;  // goes on without verdicts
  std::vector<std::pair<PeerId, std::uint64_t>>
      offers_;  // of edges, from an iteration on, that are not agreed on

  // Where links are fixed and replicas are kept: whether these are what they should be.
  std::optional<ReplicaWatch> replica_watch_;
  std::uint32_t replica_digest_ = 0;   // of what was published before this iteration, where that is due
  std::uint64_t rounds_at_begin_ = 0;  // of this iteration

  std::vector<PeerId> joiners_;  // that wait for a copy
  std::vector<ModelCopy> copies_;
  std::vector<Outgoing> outbox_;
  PeerCounters counters_;
  std::optional<Divergence> divergence_;
  Exchanges exchanges_;  // instead of the inbox, where the method is asynchronous
};

}  // namespace hearsay
