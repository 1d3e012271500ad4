#pragma once

#include <coroutine>
#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/compression/compressor.hpp"
#include "algorithms/compression/packet.hpp"
#include "algorithms/random.hpp"
#include "algorithms/vector.hpp"
#include "topology/mixing_row.hpp"
#include "topology/peer_id.hpp"

namespace hearsay {

/// The place of a message within an iteration: 0, 1, 2, ... A message is known by (iteration, slot, sender).
using Slot = std::uint32_t;

/// What stands behind an iteration: a peer of the runtime, or a test. Says whether an awaited thing is there
/// already; if not, the coroutine suspends and the host resumes it once it is.
template <class Scalar>
class IterationHost {
 public:
  virtual PacketBuffer new_packet() = 0;
  virtual void send(Slot slot, PeerId to, const PacketRef& packet) = 0;
  /// Asks for the gradient at x; true if it is there at once. `x` stays unchanged until the answer.
  virtual bool request_gradient(const Vector<Scalar>& x) = 0;
  virtual const Vector<Scalar>& gradient() const = 0;
  /// Asks for the message in `slot` of each of `senders`; true if all are there.
  virtual bool request_packets(Slot slot, std::span<const PeerId> senders) = 0;
  /// In the order of the senders asked for; an empty reference for a sender that was lost.
  virtual std::span<const PacketRef> packets() const = 0;
  virtual void report(CodecStatus status) = 0;

 protected:
  ~IterationHost() = default;
};

/// Everything a method may see during one iteration t = 1, 2, 3, ... of one peer. It is *handed* gradients,
/// weights, randomness and messages; it does no I/O and knows no clock. The mixing row is fixed for the iteration.
template <class Scalar>
class Iteration {
 public:
  Iteration(IterationHost<Scalar>& host, PeerId self, PeerId peer_count, std::uint64_t seed)
      : host_(&host), self_(self), peer_count_(peer_count), seed_(seed) {}

  /// For the host: turns to iteration `number`.
  void begin(std::uint64_t number, double step_size, double previous_step_size, const MixingRow& row);

  PeerId self() const { return self_; }
  PeerId peer_count() const { return peer_count_; }
  /// t, counted from 1
  std::uint64_t number() const { return number_; }
  /// eta_t
  Scalar step_size() const { return step_size_; }
  /// eta_{t-1}, for what an earlier iteration left over; eta_1 in the first.
  Scalar previous_step_size() const { return previous_step_size_; }
  /// w_ii, and w_ij for the neighbors j that are heard, in ascending id
  const MixingRow& mixing() const { return *row_; }
  /// A stream of its own for every (seed, peer, iteration, purpose).
  RandomStream random(Purpose purpose) const { return {seed_, self_, number_, purpose}; }
  PacketBuffer new_packet() { return host_->new_packet(); }
  /// How an encode or decode went; anything but ok ends the run with a reason.
  void report(CodecStatus status) { host_->report(status); }

  /// co_await it.gradient(x): the gradient of the local objective at x on this iteration's minibatch, the same
  /// minibatch for every x of the iteration. In R^d, valid until the next gradient is asked for.
  auto gradient(const Vector<Scalar>& x) {
    struct Awaiter {
      IterationHost<Scalar>& host;
      const Vector<Scalar>& x;
      bool await_ready() { return host.request_gradient(x); }
      void await_suspend(std::coroutine_handle<>) {}
      const Vector<Scalar>& await_resume() { return host.gradient(); }
    };
    return Awaiter{*host_, x};
  }

  /// Sends one packet to every neighbor that hears this peer, in the next free slot, and returns at once: the
  /// message travels while the method goes on. The sends leave in cyclic id order beginning after the own id, so
  /// that the peers of a regular graph do not all burden the same port first.
  Slot post(const PacketRef& packet);

  /// co_await it.collect(slot): the packets of the neighbors in mixing().hears, in that order; an empty reference
  /// for a neighbor that was lost, whose weight then stays with this peer. Valid until the next wait for messages.
  auto collect(Slot slot) { return PacketsAwaiter{*host_, slot, heard_ids_}; }

  /// co_await it.exchange(packet): post and collect.
  auto exchange(const PacketRef& packet) { return collect(post(packet)); }

  /// One peer to another, for rings and other patterns than the mixing graph; both name the slot.
  void send(Slot slot, PeerId to, const PacketRef& packet) { host_->send(slot, to, packet); }

  /// co_await it.receive(slot, from): one packet.
  auto receive(Slot slot, PeerId from) {
    struct Awaiter {
      IterationHost<Scalar>& host;
      Slot slot;
      PeerId from;
      bool await_ready() { return host.request_packets(slot, {&from, 1}); }
      void await_suspend(std::coroutine_handle<>) {}
      PacketRef await_resume() { return host.packets().front(); }
    };
    return Awaiter{*host_, slot, from};
  }

 private:
  struct PacketsAwaiter {
    IterationHost<Scalar>& host;
    Slot slot;
    std::span<const PeerId> senders;
    bool await_ready() { return host.request_packets(slot, senders); }
    void await_suspend(std::coroutine_handle<>) {}
    std::span<const PacketRef> await_resume() { return host.packets(); }
  };

  IterationHost<Scalar>* host_;
  PeerId self_;
  PeerId peer_count_;
  std::uint64_t seed_;
  std::uint64_t number_ = 0;
  Scalar step_size_ = 0;
  Scalar previous_step_size_ = 0;
  const MixingRow* row_ = nullptr;
  std::vector<PeerId> heard_ids_;
  Slot next_slot_ = 0;
};

}  // namespace hearsay
