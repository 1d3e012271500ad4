#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/observer/claims.hpp"
#include "runtime/observer/members.hpp"
#include "runtime/observer/observer_frames.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// How a run comes to its start. Knows what it still needs: every peer, and, if it is resumed, a checkpoint
/// that all peers hold; and tells peers that resume which one that is.
///
///     gathering -> begun: all peers are here, and none was in the middle of the run
///     gathering -> under way -> begun: an earlier observer has begun the run; its peers go on as they are
class RunStart {
 public:
  /// The peers have the start patience from `now` on. `input`, `claims` and `words` must outlive this.
  RunStart(const ObserverInput& input, const IdClaims& claims, ObserverFrames& words, Instant now)
      : input_(input),
        claims_(claims),
        words_(words),
        deadline_(now + input.start_patience),
        peers_(input.peer_count) {}

  bool is_gathering() const { return progress_ == Progress::gathering; }
  /// True until this observer begins the run, if a peer is in the middle of it.
  bool is_under_way() const { return progress_ == Progress::under_way; }
  bool has_begun() const { return progress_ == Progress::begun; }
  bool is_overdue(Instant now) const { return !has_begun() && now > deadline_; }
  /// A peer is in the middle of the run. Tells those that resume to go on from their own checkpoints.
  void note_under_way();
  /// The run begins, or goes on. Its time has begun at `origin`.
  void begin(Instant origin);
  /// When the run's time began. Valid once it has begun.
  Instant origin() const { return origin_; }

  /// A process was welcomed as peer `id`. If `resumes`, it will report the checkpoints that it holds.
  void note_welcome(PeerId id, bool resumes);
  /// Welcomes peer `id`. If the run has not begun, tells it without whom it does.
  void welcome(PeerId id);
  /// The process of peer `id`, which resumes, holds a checkpoint of each of the iterations in `payload` (u64
  /// each). Tells it again from where to go on, if that is known.
  void note_checkpoints(PeerId id, std::span<const std::byte> payload);
  /// Peer `id` is not ready, since it waits for `whom` (in words).
  void note_waiting(PeerId id, const std::string& whom) { peers_[id].waits_for = whom; }

  /// The run begins without peer `id`, which is lost.
  void do_without(PeerId id) { peers_[id].is_lost = true; }
  std::vector<PeerId> lost() const;
  /// Returns a peer that the run need not wait for, since it has been silent for too long.
  std::optional<PeerId> silent_peer(const Members& members, Instant now) const;

  bool resumes(PeerId id) const { return peers_[id].resumes; }

  /// True if the checkpoint must be chosen now: a peer resumes, all peers have reported what they hold, none
  /// is in the middle of the run, and none was chosen yet.
  bool can_choose() const;
  /// Chooses the newest iteration of which all peers hold a checkpoint, and tells those that resume. That is
  /// iteration 0 only if nothing is lost by it: `record`, of the run so far, ends before the first checkpoint
  /// of all. Returns false, and chooses nothing, if there is no such iteration.
  bool choose(const RunRecord& record);
  /// Returns why there is no such iteration, and what to do, in a sentence.
  std::string why_none(const RunRecord& record) const;
  /// The iteration that all peers resume from, once it is chosen.
  const std::optional<std::uint64_t>& resumed_from() const { return resumed_from_; }
  /// The same in a sentence, which also says why it is no later iteration.
  const std::string& resume_text() const { return resume_text_; }

  /// True if a peer is missing or not ready.
  bool is_blocked() const;
  /// Returns a sentence that says why the run did not start in time.
  std::string missing_peers() const;
  /// Returns, in words, for which peers all others wait. Empty if no peer is missing.
  std::string start_blockers() const;

 private:
  enum class Progress { gathering, under_way, begun };
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
  void say_where_to_resume(PeerId id);
  /// Returns "peer 1 (tcp://10.0.0.2:7000)" if the addresses are known and the peers are few.
  std::string named_with_addresses(const std::vector<PeerId>& ids) const;
  std::string reasons(const std::vector<PeerId>& missing) const;
  bool can_begin_anew(const RunRecord& record) const;
  std::string describe_resume() const;
  bool comes_later(PeerId id) const;

  const ObserverInput& input_;
  const IdClaims& claims_;
  ObserverFrames& words_;
  Instant deadline_;
  Progress progress_ = Progress::gathering;
  Instant origin_{};
  std::vector<Peer> peers_;
  std::optional<std::uint64_t> resumed_from_;
  std::string resume_text_;
};

}  // namespace hearsay
