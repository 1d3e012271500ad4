#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/observer/claims.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Knows what a run still needs before it can start: every peer, and, if it is resumed, a checkpoint that all
/// peers hold.
class RunStart {
 public:
  /// `input` and `claims` must outlive this.
  RunStart(const ObserverInput& input, const IdClaims& claims)
      : input_(input), claims_(claims), peers_(input.peer_count) {}

  /// A process was welcomed as peer `id`. If `resumes`, it will report the checkpoints that it holds.
  void note_welcome(PeerId id, bool resumes);
  /// The process of peer `id` holds a checkpoint of each of the iterations in `payload` (u64 each).
  void note_checkpoints(PeerId id, std::span<const std::byte> payload);
  /// Peer `id` is not ready, since it waits for `whom` (in words).
  void note_waiting(PeerId id, const std::string& whom) { peers_[id].waits_for = whom; }

  /// The run begins without peer `id`, which is lost.
  void do_without(PeerId id) { peers_[id].is_lost = true; }
  std::vector<PeerId> lost() const;
  /// Returns a peer that the run need not wait for, since it has been silent for too long.
  std::optional<PeerId> silent_peer(const Members& members, Instant now) const;

  bool resumes(PeerId id) const { return peers_[id].resumes; }
  bool has_reported(PeerId id) const { return peers_[id].has_reported; }

  /// True if the checkpoint must be chosen now: a peer resumes, all peers have reported what they hold, and
  /// none was chosen yet.
  bool can_choose() const;
  /// Chooses the newest iteration of which all peers hold a checkpoint. That is iteration 0 only if nothing
  /// is lost by it: `record`, of the run so far, ends before the first checkpoint of all. Returns false, and
  /// chooses nothing, if there is no such iteration.
  bool choose(const RunRecord& record);
  /// Returns why there is no such iteration, and what to do, in a sentence.
  std::string why_none(const RunRecord& record) const;
  /// The iteration that all peers resume from, once it is chosen.
  const std::optional<std::uint64_t>& resumed_from() const { return resumed_from_; }
  /// The same in a sentence, which also says why it is no later iteration.
  const std::string& resume_text() const { return resume_text_; }

  /// True if a peer is missing or not ready.
  bool is_blocked() const { return !blockers().peers.empty(); }
  /// Returns a sentence that says why the run did not start in time.
  std::string missing_peers() const;
  /// Returns, in words, for which peers all others wait. Empty if no peer is missing.
  std::string start_blockers() const;

 private:
  struct Peer {
    bool resumes = false;
    bool has_reported = false;
    std::vector<std::uint64_t> holds = {0};  // it can resume from these iterations
    std::string waits_for = {};
    bool is_lost = false;
  };
  struct Blockers {
    std::vector<PeerId> peers;
    bool never_called;
  };
  Blockers blockers() const;
  /// Returns "peer 1 (tcp://10.0.0.2:7000)" if the addresses are known and the peers are few.
  std::string named_with_addresses(const std::vector<PeerId>& ids) const;
  std::string reasons(const std::vector<PeerId>& missing) const;
  bool can_begin_anew(const RunRecord& record) const;
  std::string describe_resume() const;
  bool comes_later(PeerId id) const;

  const ObserverInput& input_;
  const IdClaims& claims_;
  std::vector<Peer> peers_;
  std::optional<std::uint64_t> resumed_from_;
  std::string resume_text_;
};

}  // namespace hearsay
