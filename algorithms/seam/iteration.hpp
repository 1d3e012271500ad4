#pragma once

#include <coroutine>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/peer_rows.hpp"
#include "topology/foundation/peer_id.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// The place of a message within an iteration: 0, 1, 2, ... A message is known by (iteration, slot, sender).
using Slot = std::uint32_t;

/// The two messages of an asynchronous exchange. Both carry the asker's iteration, whatever the answerer's
/// is.
inline constexpr Slot request_slot = 0;
inline constexpr Slot reply_slot = 1;

/// What stands behind an iteration: a peer of the runtime, or a test. Says whether an awaited thing is there
/// already; if not, the coroutine suspends and the host resumes it once it is.
template <class Scalar>
class IterationHost {
 public:
  virtual PacketBuffer new_packet() = 0;
  virtual void send(Slot slot, PeerId to, const PacketRef& packet) = 0;
  /// The samples of the iteration's current minibatch; the first one unless `next_minibatch` was called.
  virtual std::span<const Index> minibatch() = 0;
  virtual void next_minibatch() = 0;
  /// All local samples.
  virtual std::span<const Index> all_samples() = 0;
  /// Asks for the gradient at x on these samples; true if it is there at once. `x` and `samples` stay
  /// unchanged until the answer.
  virtual bool request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) = 0;
  virtual const Vector<Scalar>& gradient() const = 0;
  /// Asks for the message in `slot` of iteration `number` of each of `senders`; true if all are there.
  virtual bool request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) = 0;
  /// In the order of the senders asked for, without those whose edge has left W meanwhile.
  virtual std::span<const PacketRef> packets() const = 0;
  virtual void report(CodecStatus status) = 0;

 protected:
  ~IterationHost() = default;
};

/// Everything a method may see during one iteration t = 1, 2, 3, ... of one peer. It is *handed* gradients,
/// weights, randomness and messages; it does no I/O and knows no clock. The mixing row of iteration t is that
/// of round t - 1 of the schedule, and stays so, unless the method counts its gossip rounds itself
/// (`turn_to`).
template <class Scalar>
class Iteration {
 public:
  Iteration(IterationHost<Scalar>& host, PeerRows rows, std::uint64_t seed)
      : host_(&host), rows_(rows), seed_(seed) {}

  /// For the host: from the next turn on the mixing row is this one in every round, since neighbors went or
  /// came. It outlives this, and may change between iterations.
  void mix_by(const MixingRow& row) { instead_ = &row; }
  /// For the host: turns to iteration `number`.
  void begin(std::uint64_t number, double step_size, double previous_step_size);

  PeerId self() const { return rows_.self(); }
  PeerId peer_count() const { return rows_.peer_count(); }
  /// t, counted from 1
  std::uint64_t number() const { return number_; }
  /// eta_t
  Scalar step_size() const { return step_size_; }
  /// eta_{t-1}, for what an earlier iteration left over; eta_1 in the first.
  Scalar previous_step_size() const { return previous_step_size_; }
  /// w_ii, and w_ij for the neighbors j that are heard, in ascending id
  const MixingRow& mixing() const { return *row_; }
  /// For methods that gossip more often than once in an iteration: the mixing row is that of round `round` =
  /// 0, 1, 2, ... from now on.
  void turn_to(std::uint64_t round);
  /// A stream of its own for every (seed, peer, iteration, purpose).
  RandomStream random(Purpose purpose) const { return {seed_, self(), number_, purpose}; }
  /// The same stream at every peer, for decisions that all must take alike.
  RandomStream common_random(Purpose purpose) const { return {seed_, everybody, number_, purpose}; }
  PacketBuffer new_packet() { return host_->new_packet(); }
  /// How an encode or decode went; anything but ok ends the run with a reason.
  void report(CodecStatus status) { host_->report(status); }

  /// The samples behind `gradient`: batch draws with replacement, or all local samples. The same for the
  /// whole iteration, unless the method asks for more.
  std::span<const Index> minibatch() { return host_->minibatch(); }
  /// Turns to a further minibatch of this iteration, for methods that take several local steps.
  void next_minibatch() { host_->next_minibatch(); }
  /// m_i
  Index sample_count() { return static_cast<Index>(host_->all_samples().size()); }

  /// co_await it.gradient(x): the gradient of the local objective at x on the minibatch. In R^d, valid until
  /// the next gradient is asked for.
  auto gradient(const Vector<Scalar>& x) { return GradientAwaiter{*host_, x, host_->minibatch()}; }
  /// The same on samples of the method's choice, which it keeps until the answer.
  auto gradient(const Vector<Scalar>& x, std::span<const Index> samples) {
    return GradientAwaiter{*host_, x, samples};
  }
  /// The full local gradient, grad f_i(x).
  auto full_gradient(const Vector<Scalar>& x) { return GradientAwaiter{*host_, x, host_->all_samples()}; }

  /// Sends one packet to every neighbor that hears this peer, in the next free slot, and returns at once: the
  /// message travels while the method goes on. The sends leave in cyclic id order beginning after the own id,
  /// so that the peers of a regular graph do not all burden the same port first.
  Slot post(const PacketRef& packet);
  /// The same, packets[k] to mixing().heard_by[k].
  Slot post(std::span<const PacketRef> packets);

  /// co_await it.collect(slot): the packets of the neighbors in mixing().hears, in that order. Of a neighbor
  /// that was lost meanwhile mixing() knows no more: its weight stays with this peer. Valid until the next
  /// wait for messages.
  auto collect(Slot slot) { return collect(slot, number_); }
  /// The same of what they said in that slot in an earlier iteration, which no other wait has asked for
  /// (algorithm.staleness).
  auto collect(Slot slot, std::uint64_t number) { return PacketsAwaiter{*host_, number, slot, heard_ids_}; }

  /// The same of these senders, who outlive the wait.
  auto collect(Slot slot, std::uint64_t number, std::span<const PeerId> senders) {
    return PacketsAwaiter{*host_, number, slot, senders};
  }

  /// co_await it.exchange(packet): post and collect.
  auto exchange(const PacketRef& packet) { return collect(post(packet)); }

  /// One peer to another, for rings and other patterns than the mixing graph; both name the slot.
  void send(Slot slot, PeerId to, const PacketRef& packet) { host_->send(slot, to, packet); }

  /// co_await it.receive(slot, from): one packet. In an asynchronous method: until the reply to this
  /// iteration's request, which the method may already have taken in (Answering), is taken in; what is
  /// awaited is then empty.
  auto receive(Slot slot, PeerId from) {
    struct Awaiter {
      IterationHost<Scalar>& host;
      std::uint64_t number;
      Slot slot;
      PeerId from;
      bool await_ready() { return host.request_packets(number, slot, {&from, 1}); }
      void await_suspend(std::coroutine_handle<>) {}
      PacketRef await_resume() { return host.packets().front(); }
    };
    return Awaiter{*host_, number_, slot, from};
  }

 private:
  static constexpr PeerId everybody = std::numeric_limits<PeerId>::max();

  struct GradientAwaiter {
    IterationHost<Scalar>& host;
    const Vector<Scalar>& x;
    std::span<const Index> samples;
    bool await_ready() { return host.request_gradient(x, samples); }
    void await_suspend(std::coroutine_handle<>) {}
    const Vector<Scalar>& await_resume() { return host.gradient(); }
  };
  struct PacketsAwaiter {
    IterationHost<Scalar>& host;
    std::uint64_t number;
    Slot slot;
    std::span<const PeerId> senders;
    bool await_ready() { return host.request_packets(number, slot, senders); }
    void await_suspend(std::coroutine_handle<>) {}
    std::span<const PacketRef> await_resume() { return host.packets(); }
  };

  IterationHost<Scalar>* host_;
  PeerRows rows_;
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
  Scalar step_size_ = 0;
  Scalar previous_step_size_ = 0;
  const MixingRow* instead_ = nullptr;  // of the schedule's
  const MixingRow* row_ = nullptr;
  std::vector<PeerId> heard_ids_;
  Slot next_slot_ = 0;
};

}  // namespace hearsay
