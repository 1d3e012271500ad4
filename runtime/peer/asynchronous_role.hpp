#pragma once

#include <memory>
#include <vector>

#include "algorithms/compression/seam/packet.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "runtime/peer/counters.hpp"
#include "runtime/peer/exchanges.hpp"
#include "runtime/peer/gossip_role.hpp"
#include "runtime/peer/peer_input.hpp"

namespace hearsay {

/// A peer of an asynchronous method: it takes a message in when it comes (exchanges.hpp), and answers at
/// once.
template <class Scalar>
class AsynchronousRole : public GossipRole {
 public:
  /// `input` and `counters` must outlive this object.
  AsynchronousRole(const PeerInput<Scalar>& input, PeerCounters& counters, const Neighborhood* edges)
      : GossipRole(edges),
        input_(input),
        counters_(counters),
        method_(*input.algorithm->answering()),
        exchanges_(std::make_unique<Exchanges>(input.patient_neighbors)) {}

  /// Sends a request: no other is out.
  void post(Outgoing message, std::vector<Outgoing>& outbox) {
    exchanges_->ask(message.key.iteration, message.to);
    outbox.push_back(std::move(message));
  }
  /// True if a request of this peer is out.
  bool asks() const { return exchanges_->asking(); }
  /// Takes a message in, and answers what is to be answered. True if it was the reply to this peer's request.
  /// A peer that `has_ended` refuses requests.
  bool take_in(Iteration<Scalar>& iteration, const MessageKey& key, const PacketRef& packet, bool has_ended,
               std::vector<Outgoing>& outbox);

 private:
  PacketRef answer_to(const Exchanges::Request& request, Iteration<Scalar>& iteration);
  PacketRef refusal() const { return input_.packets->acquire().seal(); }
  void reply(const MessageKey& request, PacketRef packet, std::vector<Outgoing>& outbox) const {
    outbox.push_back({request.sender, {request.iteration, reply_slot, input_.id}, std::move(packet)});
  }

  const PeerInput<Scalar>& input_;
  PeerCounters& counters_;
  Answering<Scalar>& method_;
  std::unique_ptr<Exchanges> exchanges_;  // peers with other roles need no room for it
};

}  // namespace hearsay
