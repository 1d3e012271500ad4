#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/seam/iteration.hpp"
#include "algorithms/seam/task.hpp"

namespace hearsay {

/// Visits everything that a method owns, always in the same order. Digests, memory reports and checkpoints
/// are visitors. Within one kind (one function below, scratch excepted) every name occurs once. A replica is
/// identified by its name and its owner.
template <class Scalar>
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  /// A vector that outlives an iteration.
  virtual void state(std::string_view name, Vector<Scalar>& vector) = 0;
  /// A vector of this peer of which its neighbors keep replicas.
  virtual void published(std::string_view name, Vector<Scalar>& vector) = 0;
  /// This peer's replica of the published vector of `owner`. Between two iterations, if W is fixed, it equals
  /// the owner's vector, bit for bit. If W changes, it equals the owner's vector as of the owner's last
  /// message to this peer. If a method publishes several vectors, their replicas are visited in the order of
  /// the vectors.
  virtual void replica(std::string_view name, PeerId owner, Vector<Scalar>& vector) = 0;
  /// Like `state`, but the vector is empty until the method first needs it.
  virtual void late_state(std::string_view name, Vector<Scalar>& vector) { state(name, vector); }
  /// Counts that outlive an iteration. Most visitors ignore them.
  virtual void numbers(std::string_view /*name*/, std::span<std::uint64_t> /*numbers*/) {}
  /// Bytes that outlive an iteration. Their number may change.
  virtual void bytes(std::string_view /*name*/, std::vector<std::byte>& /*bytes*/) {}
  /// Scratch: its content means nothing between iterations.
  virtual void scratch(std::string_view name, Vector<Scalar>& vector) = 0;
};

/// What one peer sends in one iteration, known before the run.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t payload_bytes = 0;
  /// If false, payload_bytes is an upper bound. In an asynchronous method `messages` then is one, too.
  bool exact = true;
};

/// One message of `payload_bytes` to every neighbor that hears this peer.
inline Traffic gossip_traffic(const MixingRow& row, std::uint64_t payload_bytes, bool exact = true) {
  return {row.heard_by.size(), row.heard_by.size() * payload_bytes, exact};
}

/// The same, each message being what `compressor` makes of a vector in R^d, d = `dimension`.
template <class Scalar>
Traffic compressed_traffic(const MixingRow& row, const Compressor<Scalar>& compressor, Index dimension) {
  const Traits traits = compressor.traits(static_cast<std::size_t>(dimension));
  return gossip_traffic(row, traits.bytes, !traits.data_dependent_size);
}

/// Two such messages instead of one.
inline Traffic twice(const Traffic& once) { return {2 * once.messages, 2 * once.payload_bytes, once.exact}; }

/// The passive side of an asynchronous method: what it does with a message of another peer.
///
/// These functions are called as soon as a message arrives, between any two steps of this peer's own
/// iteration, *during a gradient*, too. They await nothing, so they are plain functions, and atomic. A method
/// therefore takes its gradients at a vector that neither function changes. While a request of this peer is
/// out, only its reply is handed in. Nothing is handed in once the peer has ended.
template <class Scalar>
class Answering {
 public:
  /// Returns the reply to a request of `from`, and takes the request in. Empty if the request does not fit
  /// the method.
  virtual PacketRef answer(Iteration<Scalar>& it, PeerId from, const PacketRef& request) = 0;
  /// Takes in the reply to this peer's own request. Not called if the request was refused.
  virtual void take_reply(Iteration<Scalar>& it, PeerId from, const PacketRef& reply) = 0;

 protected:
  ~Answering() = default;
};

/// A decentralized training method, as one peer runs it: one coroutine is one iteration of the paper's box. A
/// method owns its vectors and nothing else: no graph, clock, thread, byte counter or logger.
template <class Scalar>
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// One iteration. When it ends, no message is half used, so a checkpoint can be taken.
  virtual Task iterate(Iteration<Scalar>& it) = 0;
  /// Posts the message of iteration `it` again. Called after all peers were restored from a checkpoint: with
  /// staleness s the neighbors still need the messages of the last s iterations.
  virtual void say_again(Iteration<Scalar>& /*it*/) {}
  /// x_i, this peer's model.
  virtual const Vector<Scalar>& model() const = 0;
  /// Visits everything that the method owns, each vector once. Between two iterations this is the method's
  /// whole state.
  virtual void visit_state(StateVisitor<Scalar>& visitor) = 0;
  /// True if the method can continue from the state that a visitor has written into it, at a peer with this
  /// many samples. Vectors have kept their sizes, except late ones.
  virtual bool is_sound(Index /*samples*/) const { return true; }
  /// Returns what this peer sends in iteration `number`. `rows` are its rows of the schedule.
  virtual Traffic traffic(std::uint64_t number, const PeerRows& rows) const = 0;
  /// Returns the method's own period in iterations. `traffic` repeats after the least common multiple of this
  /// period and the schedule's.
  virtual std::uint64_t traffic_period() const { return 1; }
  /// True if neighbors that meet catch up on what they missed. `traffic` then depends on earlier rounds. So
  /// it repeats from its second period on, and only if the schedule repeats in order.
  virtual bool catches_up() const { return false; }
  /// Returns what this peer sends in iterations 1 ... `last` together, if there is a formula. Empty if the
  /// iterations have to be added up one by one.
  virtual std::optional<Traffic> traffic_up_to(std::uint64_t /*last*/, const PeerRows& /*rows*/) const {
    return std::nullopt;
  }
  /// True if every message of a neighbor that it waits for may come in pieces (Iteration::take_pieces).
  virtual bool takes_pieces() const { return false; }
  /// The passive side of an asynchronous method. Null for a synchronous one.
  virtual Answering<Scalar>* answering() { return nullptr; }
};

}  // namespace hearsay
