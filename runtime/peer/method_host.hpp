#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "runtime/peer/awaited_packets.hpp"
#include "runtime/peer/counters.hpp"
#include "runtime/peer/divergence.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/local_gradients.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/peer/peer_input.hpp"
#include "runtime/peer/peer_neighbors.hpp"
#include "runtime/peer/replica_guard.hpp"
#include "runtime/peer/role.hpp"
#include "runtime/peer/work_trace.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// What the method of a peer waits for within an iteration.
enum class MethodPhase {
  over,            ///< nothing: no iteration is under way
  needs_gradient,  ///< `compute_gradient`, then `gradient_arrived`
  needs_messages,  ///< `hear`, as messages come
};

/// One peer's method, an iteration at a time: carries out what the method asks of its host, and resumes it
/// once the answer is there. What lies between two iterations is the peer's (peer.hpp).
///
/// Under policy "drop" an iteration begins with what edges bring that come back with it.
template <class Scalar>
class MethodHost final : private IterationHost<Scalar> {
 public:
  /// What the host shares with its peer. All of it must outlive the host.
  struct Surroundings {
    const PeerInput<Scalar>& input;
    PeerNeighbors<Scalar>& neighbors;
    Role<Scalar>& role;
    PeerCounters& counters;
    std::vector<Outgoing>& outbox;
  };
  explicit MethodHost(const Surroundings& surroundings);
  ~MethodHost() { take_back_lent(); }
  MethodHost(const MethodHost&) = delete;
  MethodHost& operator=(const MethodHost&) = delete;

  void record_into(WorkTrace& trace) { work_trace_ = &trace; }
  void share(SharedSum<Scalar>& sum) { shared_sum_ = &sum; }
  void lend_beyond(std::size_t bytes) { lends_beyond_ = bytes; }
  /// The messages of the neighbors come in pieces.
  void expect_pieces() { expects_pieces_ = true; }
  /// Messages may have left: those that are copied need not be taken back, and their storage is free as soon
  /// as nobody else needs them.
  void let_go_of_copied() {
    std::erase_if(lent_, [](const PacketRef& packet) { return !packet->is_lent(); });
  }

  MethodPhase phase() const { return phase_; }
  /// Begins an iteration. It is over at once if the peer sits it out.
  void begin(std::uint64_t number);
  /// The method posts its messages of an earlier iteration again.
  void say_again(std::uint64_t number);
  /// No step of the method follows any more.
  void stop() { end_iteration(); }

  void compute_gradient();
  double gradient_work() const { return gradients_.work(); }
  std::uint64_t gradient_iteration() const { return gradients_.iteration(); }
  void gradient_arrived();
  /// Hears a message of a synchronous method, after `completed` iterations. True if the method went on.
  bool hear(const MessageKey& key, PacketRef packet, const MessageMetadata& metadata,
            std::uint64_t completed);
  /// Hands a piece of a message to the method, the bytes from the `from`th on. False if it does not take it
  /// yet. May be called while the gradient is computed.
  bool hear_piece(const MessageKey& key, std::size_t from, std::span<const std::byte> bytes);
  /// Takes what has been put into the inbox. True if the method went on.
  bool take_from_inbox();
  /// Stops waiting for the messages of lost neighbors. True if the method went on.
  bool depart_lost();
  /// Goes on with the answers that have come to this hub.
  void close_round(HubRole& hub);
  /// The reply to the request of this peer was taken in.
  void reply_arrived() {
    ensure(phase_ == MethodPhase::needs_messages, "a reply comes to a peer that waits for it");
    resume();
  }

  Iteration<Scalar>& iteration() { return iteration_; }
  const Iteration<Scalar>& iteration() const { return iteration_; }
  Inbox& inbox() { return inbox_; }
  ReplicaGuard<Scalar>& guard() { return guard_; }
  /// The senders whose messages are missing; empty unless the method waits for messages.
  std::vector<PeerId> missing_senders() const {
    return phase_ == MethodPhase::needs_messages ? awaited_.missing_senders() : std::vector<PeerId>();
  }
  /// Why the method cannot go on; empty if it can. A peer that finds another reason writes it here.
  std::optional<Divergence>& divergence() { return divergence_; }
  const std::optional<Divergence>& divergence() const { return divergence_; }
  /// True if x is the point of a gradient that was asked for ahead: no infinity was found in it, and the
  /// method does not change it.
  bool has_found_finite(const Vector<Scalar>& x) const { return gradients_.is_ahead_at(x); }

 private:
  // IterationHost
  PacketBuffer new_packet() override { return input_.packets->acquire(); }
  PacketRef lent_packet(std::span<const std::byte> bytes) override;
  void send(Slot slot, PeerId to, const PacketRef& packet) override;
  std::span<const Index> minibatch() override { return gradients_.minibatch(iteration_); }
  void next_minibatch() override { gradients_.next_minibatch(iteration_); }
  std::span<const Index> all_samples() override { return gradients_.all_samples(); }
  bool request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) override;
  const Vector<Scalar>& gradient() const override { return gradients_.gradient(); }
  void swap_gradient(Vector<Scalar>& other) override { gradients_.swap_gradient(other); }
  bool request_gradient_ahead(const Vector<Scalar>& x) override;
  bool request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) override;
  std::span<const PacketRef> packets() const override { return awaited_.packets(); }
  bool takes_pieces() const override { return expects_pieces_; }
  void take_pieces(Slot slot, PieceTaker& taker) override;
  void report(CodecStatus status) override;
  SharedSum<Scalar>* shared_sum() override { return shared_sum_; }

  void take_gradient();
  void begin_method();
  bool sits_out() const;
  void end_attaching();
  void end_iteration() {
    take_back_lent();
    phase_ = MethodPhase::over;
    awaited_.forget_packets();
    pieces_ = {};
  }
  void resume();
  void take_back_lent();
  bool resume_if_complete();
  void file(const MessageKey& key, const PacketRef& packet);

  const PeerInput<Scalar>& input_;
  PeerNeighbors<Scalar>& neighbors_;
  Role<Scalar>& role_;
  PeerCounters& counters_;
  std::vector<Outgoing>& outbox_;

  MethodPhase phase_ = MethodPhase::over;
  Iteration<Scalar> iteration_;
  Task task_;
  LocalGradients<Scalar> gradients_;
  Inbox inbox_;
  AwaitedPackets awaited_;
  ReplicaGuard<Scalar> guard_;
  WorkTrace* work_trace_ = nullptr;
  SharedSum<Scalar>* shared_sum_ = nullptr;
  bool expects_pieces_ = false;
  struct {
    PieceTaker* taker = nullptr;
    Slot slot = 0;
    bool take(const MessageKey& key, std::uint64_t number) const {
      return taker && key.slot == slot && key.iteration == number;
    }
  } pieces_;  // what the method takes in piece by piece now
  std::size_t lends_beyond_ = std::numeric_limits<std::size_t>::max();
  std::vector<PacketRef> lent_;  // since the method was resumed last
  std::optional<Divergence> divergence_;
};

}  // namespace hearsay
