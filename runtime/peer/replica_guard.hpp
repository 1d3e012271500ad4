#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/foundation/digest.hpp"
#include "runtime/peer/counters.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/peer/peer_input.hpp"
#include "runtime/peer/replica_watch.hpp"

namespace hearsay {

/// What a peer knows of the replicas that others keep of it, and of those that it keeps. Of a method without
/// replicas, nothing.
template <class Scalar>
class ReplicaGuard {
 public:
  /// Both outlive this.
  ReplicaGuard(const PeerInput<Scalar>& input, PeerCounters& counters);

  /// Before an iteration's own work: what it says here leaves before the method's messages.
  void begin_iteration(const Iteration<Scalar>& iteration, Inbox& inbox, std::vector<Outgoing>& outbox);
  /// What every message of this iteration says of what was published before it; 0: nothing.
  std::uint32_t digest_to_send() const { return digest_to_send_; }
  /// Where links change: a replica that is told of is, from then on and until it is told again, what is
  /// published now. So it can be checked whenever the run ends.
  void note_sent(std::uint64_t iteration, Slot slot, PeerId to);
  /// By hearer, the digest of what was published when it was sent a message last; of nobody where links are
  /// fixed.
  std::vector<std::pair<PeerId, std::uint64_t>>& last_sent_digests() { return last_sent_digests_; }

  /// Whether replicas are compared with what their owners say.
  bool watches() const { return watch_.has_value(); }
  /// A message said what its sender had published; `completed`: iterations of this peer.
  void hear_digest(const MessageKey& key, std::uint32_t digest, std::uint64_t completed);
  /// A copy of what its sender had published before the iteration that is under way.
  void hear_copy(const MessageKey& key, const PacketRef& copy);

 private:
  void answer_questions(const Iteration<Scalar>& iteration, Inbox& inbox, std::vector<Outgoing>& outbox);
  void take_digests(const Iteration<Scalar>& iteration);
  void resync(const MessageKey& key, const PacketRef& copy);
  void count(ReplicaWatch::Finding finding);

  const PeerInput<Scalar>& input_;
  PeerCounters& counters_;
  std::vector<std::pair<PeerId, std::uint64_t>> last_sent_digests_;  // ascending
  std::uint64_t published_digest_ = 0;
  MessageKey digest_taken_at_{};
  std::optional<ReplicaWatch> watch_;  // where links are fixed
  std::uint32_t digest_to_send_ = 0;
  std::uint64_t rounds_at_begin_ = 0;  // of this iteration
};

}  // namespace hearsay
