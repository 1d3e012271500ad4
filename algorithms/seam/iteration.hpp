#pragma once

#include <algorithm>
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
#include "algorithms/seam/piece_taker.hpp"
#include "algorithms/seam/shared_sum.hpp"
#include "algorithms/seam/step_size.hpp"
#include "topology/foundation/peer_id.hpp"
#include "topology/mixing_row.hpp"

namespace hearsay {

/// The place of a message within an iteration: 0, 1, 2, ... A message is known by (iteration, slot, sender).
using Slot = std::uint32_t;

/// The two messages of an asynchronous exchange. Both carry the iteration of the peer that asks.
inline constexpr Slot request_slot = 0;
inline constexpr Slot reply_slot = 1;

/// What an iteration runs on: a peer of the runtime, or a test. The `request_...` functions return true if
/// the result is there already. Otherwise the coroutine suspends, and the host resumes it once the result is
/// there.
template <class Scalar>
class IterationHost {
 public:
  virtual PacketBuffer new_packet() = 0;
  /// Returns a packet of these bytes, which stay as they are until the method is resumed, or given something
  /// that it has requested, or the iteration is over.
  virtual PacketRef lent_packet(std::span<const std::byte> bytes) {
    PacketBuffer buffer = new_packet();
    std::ranges::copy(bytes, buffer.resize(bytes.size()).begin());
    return std::move(buffer).seal();
  }
  virtual void send(Slot slot, PeerId to, const PacketRef& packet) = 0;
  /// The samples of the iteration's current minibatch: the first minibatch, until `next_minibatch` is called.
  virtual std::span<const Index> minibatch() = 0;
  virtual void next_minibatch() = 0;
  /// All local samples.
  virtual std::span<const Index> all_samples() = 0;
  /// Requests the gradient at x on `samples`. The method keeps `x` and `samples` unchanged until the gradient
  /// is there.
  virtual bool request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) = 0;
  virtual const Vector<Scalar>& gradient() const = 0;
  /// Swaps the gradient computed last with `other`, the storage of the next one.
  virtual void swap_gradient(Vector<Scalar>& other) = 0;
  /// Requests the gradient that the next iteration asks for first, at x on its first minibatch. True if none
  /// is computed ahead: then it is when it is asked for.
  virtual bool request_gradient_ahead(const Vector<Scalar>& /*x*/) { return true; }
  /// Requests the message in `slot` of iteration `number` from each of `senders`.
  virtual bool request_packets(std::uint64_t number, Slot slot, std::span<const PeerId> senders) = 0;
  /// The packets requested last, in the order of the senders. A sender whose edge left W during the wait is
  /// left out.
  virtual std::span<const PacketRef> packets() const = 0;
  /// True if messages may come in pieces: then `take_pieces` has them handed to `taker`.
  virtual bool takes_pieces() const { return false; }
  virtual void take_pieces(Slot /*slot*/, PieceTaker& /*taker*/) {}
  virtual void report(CodecStatus status) = 0;
  /// The sum that this peer shares with all other peers, which are in the same process; null if they are not.
  virtual SharedSum<Scalar>* shared_sum() { return nullptr; }

 protected:
  ~IterationHost() = default;
};

/// Everything a method may see during one iteration t = 1, 2, 3, ... of one peer. A method is *handed*
/// gradients, weights, randomness and messages. It does no I/O and knows no clock. The mixing row of
/// iteration t is that of round t - 1 of the schedule, unless the method counts its gossip rounds itself
/// (`turn_to`).
template <class Scalar>
class Iteration {
 public:
  /// `draws_as` keys the random streams of this peer: its id in the run, while `rows.self()` is its place
  /// among those that are left of it (PeerInput).
  Iteration(IterationHost<Scalar>& host, PeerRows rows, std::uint64_t seed, PeerId draws_as)
      : host_(&host), rows_(rows), seed_(seed), draws_as_(draws_as) {}
  Iteration(IterationHost<Scalar>& host, PeerRows rows, std::uint64_t seed)
      : Iteration(host, rows, seed, rows.self()) {}
  Iteration(const Iteration&) = delete;
  Iteration& operator=(const Iteration&) = delete;

  /// For the host, when neighbors left or came back: from the next `turn_to` on, `row` is the mixing row of
  /// every round. `row` outlives this iteration. After a change of `row` the host calls `turn_to` again.
  void mix_by(const MixingRow& row) { instead_ = &row; }
  /// For the host: undoes `mix_by`, from the next `begin` on.
  void mix_as_scheduled() { instead_ = nullptr; }
  /// For the host: begins iteration `number`. `step_sizes` outlives this iteration.
  void begin(std::uint64_t number, const StepSize& step_sizes);

  PeerId self() const { return rows_.self(); }
  /// The seed of the run, for what depends on more than one iteration.
  std::uint64_t seed() const { return seed_; }
  /// The id that keys the random streams of this peer.
  PeerId draws_as() const { return draws_as_; }
  /// t, counted from 1
  std::uint64_t number() const { return number_; }
  /// eta_t
  Scalar step_size() const { return step_size_; }
  /// eta_{t-1}, for what is left over from an earlier iteration. eta_1 in the first iteration.
  Scalar previous_step_size() const { return step_size_of(number_ > 1 ? number_ - 1 : 1); }
  /// eta of iteration `number`, for messages of earlier iterations that come late
  Scalar step_size_of(std::uint64_t number) const { return static_cast<Scalar>(step_sizes_->at(number)); }
  /// The row of W: w_ii, and w_ij for every neighbor j that this peer hears, in ascending id.
  const MixingRow& mixing() const { return *row_; }
  /// For methods that gossip several times in an iteration: from now on the mixing row is that of round
  /// `round` = 0, 1, 2, ...
  void turn_to(std::uint64_t round);
  /// A stream of its own for every (seed, peer, iteration, purpose).
  RandomStream random(Purpose purpose) const { return {seed_, draws_as_, number_, purpose}; }
  /// The same stream at every peer, for decisions that all must take alike.
  RandomStream common_random(Purpose purpose) const { return {seed_, everybody, number_, purpose}; }
  PacketBuffer new_packet() { return host_->new_packet(); }
  /// Returns a packet with the vector in full precision. The method keeps it, and does not change it before
  /// its next wait for what it asks for is over, or its iteration: a long one is copied as it leaves.
  PacketRef lent_packet(std::span<const Scalar> vector) { return host_->lent_packet(std::as_bytes(vector)); }
  PacketRef lent_packet(const Vector<Scalar>& vector) { return lent_packet(view(vector)); }
  /// Reports how an encode or decode went. Any status but ok ends the run, with a reason.
  void report(CodecStatus status) { host_->report(status); }

  /// The samples of `gradient`: `algorithm.batch` of them (data.order), or all local samples. They stay the
  /// same until `next_minibatch`.
  std::span<const Index> minibatch() { return host_->minibatch(); }
  /// Turns to a further minibatch of this iteration, for methods that take several local steps.
  void next_minibatch() { host_->next_minibatch(); }
  /// m_i
  Index sample_count() { return static_cast<Index>(host_->all_samples().size()); }

  /// co_await it.gradient(x): the gradient of the local objective at x on the minibatch. In R^d, valid until
  /// the next gradient is asked for.
  auto gradient(const Vector<Scalar>& x) { return GradientAwaiter{*host_, x, host_->minibatch()}; }
  /// The same on `samples`, which the method keeps unchanged until the gradient is there.
  auto gradient(const Vector<Scalar>& x, std::span<const Index> samples) {
    return GradientAwaiter{*host_, x, samples};
  }
  /// kept <- the gradient that came last, without a copy: both change their storage. `kept` is in R^d, too.
  /// Ends the use of what `gradient` returned.
  void keep_gradient(Vector<Scalar>& kept) { host_->swap_gradient(kept); }
  /// co_await it.gradient_ahead(x): computes the gradient that the next iteration asks for first, while the
  /// messages of this one travel. Ends the use of this iteration's gradients. The next iteration asks for it
  /// as for any other, by `gradient(x)` on its first minibatch, with x unchanged since: then it is there. It
  /// is no state: a peer that was restored computes it when it is asked for, with the same bits.
  auto gradient_ahead(const Vector<Scalar>& x) {
    struct Awaiter {
      IterationHost<Scalar>& host;
      const Vector<Scalar>& x;
      bool await_ready() { return host.request_gradient_ahead(x); }
      void await_suspend(std::coroutine_handle<>) {}
      void await_resume() {}
    };
    return Awaiter{*host_, x};
  }
  /// The full local gradient, grad f_i(x).
  auto full_gradient(const Vector<Scalar>& x) { return GradientAwaiter{*host_, x, host_->all_samples()}; }

  /// Sends one packet to every neighbor that hears this peer, in the next free slot. Returns the slot at
  /// once: the message travels while the method continues. The sends leave in cyclic id order, beginning
  /// after this peer's id. So the peers of a regular graph do not all load the same port first.
  Slot post(const PacketRef& packet);
  /// The same with packets[k] for mixing().heard_by[k].
  Slot post(std::span<const PacketRef> packets);

  /// co_await it.collect(slot): the packets of the neighbors in mixing().hears, in that order. Valid until
  /// the next wait for messages. Read mixing() after the wait: a neighbor that was lost during the wait is in
  /// neither of the two, and its weight is part of w_ii.
  auto collect(Slot slot) { return collect(slot, number_); }
  /// The same for what the neighbors sent in `slot` of the earlier iteration `number` (algorithm.staleness).
  /// Each message can be collected once.
  auto collect(Slot slot, std::uint64_t number) { return PacketsAwaiter{*host_, number, slot, heard_ids_}; }

  /// The same from `senders`, a span that outlives the wait.
  auto collect(Slot slot, std::uint64_t number, std::span<const PeerId> senders) {
    return PacketsAwaiter{*host_, number, slot, senders};
  }

  /// True if the messages of this iteration may come in pieces, since they are long.
  bool takes_pieces() const { return host_->takes_pieces(); }
  /// Hands the pieces of the messages that `collect(slot)` waits for to `taker`, from now on and until that
  /// is over. A message that `taker` has taken in comes as an empty packet.
  void take_pieces(Slot slot, PieceTaker& taker) { host_->take_pieces(slot, taker); }

  /// co_await it.exchange(packet): post and collect.
  auto exchange(const PacketRef& packet) { return collect(post(packet)); }

  /// Sends to one peer, for patterns other than the mixing graph (a ring). Sender and receiver name the slot.
  void send(Slot slot, PeerId to, const PacketRef& packet) { host_->send(slot, to, packet); }

  /// co_await it.receive(slot, from): one packet. In an asynchronous method this waits until the request of
  /// this iteration is answered or refused. Its result is an empty packet, since Answering::take_reply gets
  /// the reply.
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

  /// Returns the sum of packets of which there is one for each peer, and which all peers add up, once in an
  /// iteration. `add_up(sum)` computes it, unless another peer of this process has done so (SharedSum). It
  /// returns true if all packets could be decoded. The sum is in `own`, or with the other peers of this
  /// process, until this peer takes the next one.
  template <class AddUp>
  const Vector<Scalar>& sum_once(std::span<const PacketRef> packets, Vector<Scalar>& own, AddUp add_up) {
    if (SharedSum<Scalar>* const shared = host_->shared_sum())
      return shared->take(packets, own.size(), add_up);
    add_up(own);
    return own;
  }

  // For a wait of several steps (StepwiseWait): what `gradient` and `collect` request. True if the result is
  // there already. Otherwise the host resumes the task once it is.

  bool request_gradient(const Vector<Scalar>& x) { return host_->request_gradient(x, host_->minibatch()); }
  bool request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) {
    return host_->request_gradient(x, samples);
  }
  const Vector<Scalar>& requested_gradient() const { return host_->gradient(); }
  /// From `senders`, a span that outlives the wait, or from the neighbors in mixing().hears.
  bool request_packets(Slot slot, std::span<const PeerId> senders) {
    return host_->request_packets(number_, slot, senders);
  }
  bool request_packets(Slot slot) { return request_packets(slot, heard_ids_); }
  std::span<const PacketRef> requested_packets() const { return host_->packets(); }

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
  PeerId draws_as_;
  std::uint64_t number_ = 0;
  Scalar step_size_ = 0;
  const StepSize* step_sizes_ = nullptr;
  const MixingRow* instead_ = nullptr;  // if set, replaces the schedule's rows
  MixingRow scheduled_;                 // the schedule's row of this iteration
  const MixingRow* row_ = nullptr;      // one of the two
  std::vector<PeerId> heard_ids_;
  Slot next_slot_ = 0;
};

}  // namespace hearsay
