#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "algorithms/seam/iteration.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

// Replica safety, the second line behind the numbers of frames. Between two iterations a replica equals what
// its owner has published, bit for bit, where links are fixed. So, every `digest_every` iterations,
//
//   tell      every message of iteration t carries the digest of what its sender had published before t
//   compare   whoever hears it compares that with the digest of its replica before its own iteration t
//   ask       where they differ, the holder's next iteration begins with a question to the owner
//   copy      the owner's iteration after that question's begins with all that it has published so far, in
//             full precision
//   resync    which the holder takes over before it applies the owner's message of the same iteration
//
// Question and copy are messages like others, in slots of their own: numbered, kept and sent again if lost,
// logged and replayed. One that comes too late all the same, because what follows it overtook it, is dropped;
// then the next digest differs as well, and the holder asks again. Only replicas are overwritten: no model,
// tracker or dual is.
//
// A replica that went wrong in memory is right again in a peer that is restored from a checkpoint from before
// and replays its log. Then the messages that it makes anew are not those that it had sent in the meantime,
// and its hearers' replicas of it differ from what it has published: so these are resynced in their turn.
// Neither logs nor checkpoints keep the digests of messages: in a replay nothing is compared.

/// A peer in a ring digests three vectors each time: of 272,474 floats, 0.3 ms, where an iteration takes 2 ms
/// without gradient and network (both on the machine that this was written on): half a percent of such an
/// iteration.
inline constexpr std::uint64_t digest_every = 32;

/// Whether messages of `iteration` carry a digest.
constexpr bool digest_is_due(std::uint64_t iteration) {
  return iteration > 1 && (iteration - 1) % digest_every == 0;
}

/// The slots of questions and copies, which no method uses.
inline constexpr Slot question_slot = 0xffff'fffe;
inline constexpr Slot copy_slot = 0xffff'ffff;

/// The digests of one peer's replicas beside what their owners say. Either may be known first.
class ReplicaWatch {
 public:
  /// `owners`: those of whom this peer keeps replicas; what others say is ignored.
  explicit ReplicaWatch(std::vector<PeerId> owners);

  enum class Finding { nothing, equal, different };

  /// Before `iteration`, this peer's replica of `owner` has this digest.
  Finding holds(PeerId owner, std::uint64_t iteration, std::uint32_t digest);
  /// Before `iteration`, `owner` had published what has this digest.
  Finding said(PeerId owner, std::uint64_t iteration, std::uint32_t digest);
  /// The replica of `owner` was overwritten by the copy of `iteration`: earlier digests of it count no more.
  void overwritten(PeerId owner, std::uint64_t iteration);
  /// Whether the copy of `iteration` has overwritten the replica already.
  bool was_overwritten(PeerId owner, std::uint64_t iteration) const;
  /// The owners of replicas that were found to differ since the last call, each once.
  std::vector<PeerId> take_differing() { return std::exchange(differing_, {}); }

 private:
  struct Digest {
    std::uint64_t iteration = 0;
    std::uint32_t value = 0;
  };
  struct Replica {
    PeerId owner;
    Digest held = {};
    Digest told = {};
    std::uint64_t overwritten_in = 0;
  };
  Replica* find(PeerId owner);
  Finding compare(const Replica& replica);

  std::vector<Replica> replicas_;  // few
  std::vector<PeerId> differing_;
};

}  // namespace hearsay
