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

/// Walks over everything a method owns, always in the same order. Digests, memory reports and checkpoints are
/// visitors. Of what outlives an iteration every item has a name of its own within its kind (of replicas:
/// with its owner).
template <class Scalar>
class StateVisitor {
 public:
  virtual ~StateVisitor() = default;
  /// A vector that outlives an iteration.
  virtual void state(std::string_view name, Vector<Scalar>& vector) = 0;
  /// A vector of this peer that others keep replicas of.
  virtual void published(std::string_view name, Vector<Scalar>& vector) = 0;
  /// This peer's copy of what `owner` published: equal, bit for bit, to what that was when `owner` last spoke
  /// to this peer; where W is fixed, to what it is, between any two iterations. Of several published vectors
  /// the copies are visited in the order in which those are.
  virtual void replica(std::string_view name, PeerId owner, Vector<Scalar>& vector) = 0;
  /// Like `state`, of a vector that is empty until the method first needs it.
  virtual void late_state(std::string_view name, Vector<Scalar>& vector) { state(name, vector); }
  /// Counts that outlive an iteration. Most visitors look at vectors only.
  virtual void numbers(std::string_view /*name*/, std::span<std::uint64_t> /*numbers*/) {}
  /// Bytes that outlive an iteration, as many as there happen to be.
  virtual void bytes(std::string_view /*name*/, std::vector<std::byte>& /*bytes*/) {}
  /// Scratch: its content means nothing between iterations.
  virtual void scratch(std::string_view name, Vector<Scalar>& vector) = 0;
};

/// What one peer says in one iteration, before any data is seen.
struct Traffic {
  std::uint64_t messages = 0;
  std::uint64_t payload_bytes = 0;
  bool exact =
      true;  ///< otherwise payload_bytes is an upper bound; so is messages, of an asynchronous method
};

/// One message of `payload_bytes` to every neighbor that hears this peer.
inline Traffic gossip_traffic(const MixingRow& row, std::uint64_t payload_bytes, bool exact = true) {
  return {row.heard_by.size(), row.heard_by.size() * payload_bytes, exact};
}

/// The same of what `compressor` makes of a vector in R^d, d = `dimension`.
template <class Scalar>
Traffic compressed_traffic(const MixingRow& row, const Compressor<Scalar>& compressor, Index dimension) {
  const Traits traits = compressor.traits(static_cast<std::size_t>(dimension));
  return gossip_traffic(row, traits.bytes, !traits.data_dependent_size);
}

/// Two messages like this in the place of one.
inline Traffic twice(const Traffic& once) { return {2 * once.messages, 2 * once.payload_bytes, once.exact}; }

/// What an asynchronous method does with messages. They are handed in when they come, and not where the
/// iteration awaits them: between any two steps of this peer's own iteration, *during a gradient*, too.
/// Nothing is awaited here, so these are plain functions, and atomic. A method therefore takes its gradients
/// at a vector that neither of them touches. Neither is called while a request of this peer is out, but for
/// its own reply; nor once the peer has ended.
template <class Scalar>
class Answering {
 public:
  /// Takes in a request of `from`, and returns the reply; nothing where the request does not fit the method.
  virtual PacketRef answer(Iteration<Scalar>& it, PeerId from, const PacketRef& request) = 0;
  /// Takes in the reply to this peer's own request. A peer that has ended answers nothing, which is not
  /// handed in.
  virtual void take_reply(Iteration<Scalar>& it, PeerId from, const PacketRef& reply) = 0;

 protected:
  ~Answering() = default;
};

/// A decentralized training method, as one peer runs it: one coroutine is one iteration of the paper's box.
/// It owns its vectors and nothing else: no graph, clock, thread, byte counter or logger.
template <class Scalar>
class Algorithm {
 public:
  virtual ~Algorithm() = default;
  /// One iteration. No message of the method is half used when it ends.
  virtual Task iterate(Iteration<Scalar>& it) = 0;
  /// Posts once more what it said in iteration `it`, one of the last algorithm.staleness ones before the
  /// next: all peers were made anew between two iterations, and its neighbors have yet to hear it.
  virtual void say_again(Iteration<Scalar>& /*it*/) {}
  /// x_i, this peer's model.
  virtual const Vector<Scalar>& model() const = 0;
  /// Names everything the method owns, each vector once: between two iterations that is all there is to it.
  virtual void visit_state(StateVisitor<Scalar>& visitor) = 0;
  /// Whether what a visitor wrote into it (whose vectors kept their sizes, but for late ones) is a state that
  /// it can go on from, at a peer with so many samples.
  virtual bool is_sound(Index /*samples*/) const { return true; }
  /// What this peer, whose rows of the schedule are `rows`, sends in iteration `number`.
  virtual Traffic traffic(std::uint64_t number, const PeerRows& rows) const = 0;
  /// `traffic` repeats after so many iterations, or their least common multiple with the schedule's period.
  virtual std::uint64_t traffic_period() const { return 1; }
  /// Whether neighbors that meet catch up on what they missed, so that `traffic` depends on the rounds
  /// before: it repeats from its second period on, and only where the rounds come in one order.
  virtual bool catches_up() const { return false; }
  /// What it sends in iterations 1 ... `last` together, where `traffic` does not repeat and yet need not be
  /// gone through.
  virtual std::optional<Traffic> traffic_up_to(std::uint64_t /*last*/, const PeerRows& /*rows*/) const {
    return std::nullopt;
  }
  /// The passive side of an asynchronous method; synchronous ones have none.
  virtual Answering<Scalar>* answering() { return nullptr; }
};

}  // namespace hearsay
