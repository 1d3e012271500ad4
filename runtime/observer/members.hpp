#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/observer/chronicle.hpp"
#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/session/stall_detector.hpp"

namespace hearsay {

/// Knows the standing of each peer in the run, and which peer has been silent for too long.
class Members {
 public:
  enum class Standing {
    member,    ///< takes part, or will when the run starts
    killed,    ///< has ended, and the run ends before it is restored: no result is expected
    detached,  ///< sends heartbeats, but runs without the observer, or is lost to it alone
    lost,      ///< the run goes on without it: it was lost, or joins later
    finished,  ///< has sent its result
  };
  struct Member {
    Standing standing = Standing::member;
    bool joined = false;       ///< in the middle of the run, as a new peer
    bool has_left = false;     ///< its process has ended, after its result
    bool misses_hub = false;   ///< a worker that has left since it had lost the hub
    std::uint32_t turns = 0;   ///< how often it has detached from the observer or attached again
    Instant heard_at{};        ///< when its last frame came
    std::uint32_t beat = 0;    ///< the number of its newest heartbeat
    PeerOutcome outcome = {};  ///< valid if it has finished
  };

  /// `chronicle` hears who comes and goes. It must outlive this.
  Members(const ObserverInput& input, Chronicle& chronicle);

  const Member& operator[](PeerId id) const { return members_[id]; }
  /// True if evaluations are made without peer `id`.
  bool is_gone(PeerId id) const {
    return members_[id].standing == Standing::detached || members_[id].standing == Standing::lost;
  }
  bool is_lost(PeerId id) const { return members_[id].standing == Standing::lost; }
  bool has_finished(PeerId id) const { return members_[id].standing == Standing::finished; }
  /// True if no result is expected any more. Who has detached is not waited for where others have ended. But
  /// if nobody has, the run goes on without the observer, and has not ended: the peers may hear it again.
  bool all_have_ended() const;
  bool all_are_lost() const;
  /// True if peer `id` is there, and all others are lost.
  bool only_one_left(PeerId id) const;

  // What changes a standing. A peer that has finished stays so.

  /// The run goes on without peer `id`.
  void lose(PeerId id);
  /// Peer `id` runs on without the observer.
  void detach(PeerId id);
  /// Peer `id`, which was gone, is a member again, from `iteration` on.
  void take_back(PeerId id, std::uint64_t iteration);
  /// A new process joins the run as peer `id`, from `iteration` on.
  void take_in(PeerId id, Instant now, std::uint64_t iteration);
  /// Peer `id` has sent its result.
  void finish(PeerId id, const PeerOutcome& outcome);
  /// Peer `id`, a member, has ended without one, and so does the run.
  void expect_no_result(PeerId id);

  // What is noted of one in any standing.

  void note_heard(PeerId id, Instant now) { members_[id].heard_at = now; }
  void note_beat(PeerId id, std::uint32_t beat) { members_[id].beat = beat; }
  void note_turns(PeerId id, std::uint32_t turns) { members_[id].turns = turns; }
  /// Peer `id` leaves. `misses_hub`: a worker, since it has lost the hub.
  void note_leaving(PeerId id, bool misses_hub) { members_[id].misses_hub = misses_hub; }
  /// The process of peer `id`, which has finished, has ended.
  void note_end(PeerId id);
  /// Returns the result of a run that ends now. The caller overrides the status if the run was interrupted or
  /// lost.
  RunResult conclude(const EvaluationSchedule& schedule, const Evaluator& evaluator) const;

  /// Must be called several times a second. If the calls pause, this process was itself suspended, and the
  /// pause counts as silence of no peer.
  void look(Instant now) { stalls_.look(now); }
  /// Restarts the silence of all peers at `now`.
  void note_heard_all(Instant now);
  /// Returns a peer that has been silent for longer than failure.lost_after; nothing if there is none.
  std::optional<PeerId> silent_peer(Instant now) const;
  Duration silence_of(PeerId id, Instant now) const;

 private:
  std::vector<PeerId> dropped() const;
  std::vector<PeerId> joined() const;
  std::vector<RunEvent> events() const;

  Chronicle& chronicle_;
  Duration lost_after_;
  std::vector<PeerId> join_later_;
  std::vector<Member> members_;
  std::uint64_t returned_ = 0;  // how often a lost peer came back
  StallDetector stalls_;
};

}  // namespace hearsay
