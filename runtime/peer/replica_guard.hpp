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

/// A peer's part in replica safety (replica_watch.hpp): digests and copies, of the replicas that others keep
/// of it and of those that it keeps. Does nothing for a method without replicas.
template <class Scalar>
class ReplicaGuard {
 public:
  /// `input` and `counters` must outlive this object.
  ReplicaGuard(const PeerInput<Scalar>& input, PeerCounters& counters);

  /// Begins an iteration, before the method does: its questions and copies leave before the method's
  /// messages.
  void begin_iteration(const Iteration<Scalar>& iteration, Inbox& inbox, std::vector<Outgoing>& outbox);
  /// The digest that every message of this iteration carries, of what was published before it; 0: none.
  std::uint32_t digest_to_send() const { return digest_to_send_; }
  /// If links change from round to round: notes the digest of what is published now, when a message is sent
  /// to `to`. The receiver's replica has that digest until the next message to it, so it can be checked
  /// whenever the run ends.
  void note_sent(std::uint64_t iteration, Slot slot, PeerId to);
  /// By hearer, the digest of what was published when the last message was sent to it. Empty if links are
  /// fixed.
  std::vector<std::pair<PeerId, std::uint64_t>>& last_sent_digests() { return last_sent_digests_; }

  /// True if replicas are compared with the digests of their owners.
  bool watches() const { return watch_.has_value(); }
  /// A message has carried its sender's digest. `completed`: iterations that this peer has completed.
  void hear_digest(const MessageKey& key, std::uint32_t digest, std::uint64_t completed);
  /// A copy of the current iteration has come: of what its sender had published before that iteration.
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
  bool digest_is_of_answer_ = false;   // it was taken for an answer to the hub
  std::optional<ReplicaWatch> watch_;  // if links are fixed and the method has replicas
  std::uint32_t digest_to_send_ = 0;
  std::uint64_t rounds_at_begin_ = 0;  // counters_.gossip_rounds when this iteration began
};

}  // namespace hearsay
