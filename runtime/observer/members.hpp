#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/observer/evaluation_schedule.hpp"
#include "runtime/observer/evaluator.hpp"
#include "runtime/observer/observer_input.hpp"
#include "runtime/record/outcome.hpp"
#include "runtime/session/attention.hpp"

namespace hearsay {

/// The part that each peer has in the run, as the observer knows it, and who is silent for too long.
class Members {
 public:
  enum class Standing {
    member,    ///< takes part, or is to take part from the start on
    killed,    ///< was killed, and the run ends before it is restored: it sends no result
    detached,  ///< shows life, but runs without the observer
    lost,      ///< the run goes on without it: it was lost, or is to join later
    finished,  ///< has sent its result
  };
  struct Member {
    Standing standing = Standing::member;
    bool joined = false;      ///< as a new peer, when the run had gone on without it
    std::uint32_t turns = 0;  ///< how often it has detached from the observer, or attached to it again
    Instant heard_at{};
    PeerOutcome outcome = {};  ///< of a peer that has finished
  };

  explicit Members(const ObserverInput& input);

  Member& operator[](PeerId id) { return members_[id]; }
  const Member& operator[](PeerId id) const { return members_[id]; }
  /// Whether the evaluations are without peer `id`.
  bool is_gone(PeerId id) const {
    return members_[id].standing == Standing::detached || members_[id].standing == Standing::lost;
  }
  bool is_lost(PeerId id) const { return members_[id].standing == Standing::lost; }
  bool has_finished(PeerId id) const { return members_[id].standing == Standing::finished; }
  /// Whether no result is expected any more.
  bool all_have_ended() const;
  bool all_are_lost() const;
  /// Peer `id`, which was lost, is a member again.
  void take_back(PeerId id);
  /// The result of a run that ends now, as far as the peers go.
  RunResult conclude(const EvaluationSchedule& schedule, const Evaluator& evaluator) const;

  /// To be called several times a second. Time in which this process was itself suspended is nobody's
  /// silence.
  void look(Instant now) { attention_.look(now); }
  void note_heard_all(Instant now);
  /// A peer that has been silent for longer than failure.lost_after.
  std::optional<PeerId> silent_peer(Instant now) const;
  Duration silence_of(PeerId id, Instant now) const;

 private:
  std::vector<PeerId> dropped() const;
  std::vector<PeerId> joined() const;

  Duration lost_after_;
  std::vector<PeerId> join_later_;
  std::vector<Member> members_;
  std::uint64_t returned_ = 0;  // how often a peer that was lost came back
  Attention attention_;
};

}  // namespace hearsay
