#pragma once

#include <optional>
#include <string>

#include "runtime/participant/objective_failure.hpp"
#include "runtime/participant/part.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// How a participant ends: by itself with all others, or before, and in which words.
template <class Scalar>
class Ending {
 public:
  /// `part` must outlive this object.
  explicit Ending(Part<Scalar>& part) : part_(part) {}

  /// The user wants the run to end, at all peers.
  void interrupt();
  /// This process has to end. The run goes on without it, or waits for its successor, if it can; else it
  /// ends.
  void leave();
  /// The objective has failed in `when`.
  void fail(const ObjectiveFailure& failure, const std::string& when);
  void hear(RunStops& stops);
  void hear(const EveryPeerEnded& ended);

  /// The result is told: this peer stays until all have ended.
  void linger();
  Instant lingers_until() const { return lingers_until_; }
  /// The peer's model is in a file of its own. `where`: a clause.
  void hand_over(const std::string& where) {
    ensure(part_.phase == Phase::keeps_model, "a model is handed over after it was kept");
    kept_ = where;
    part_.phase = Phase::hands_over;
  }
  /// Goes on towards the end. Returns the end, once it is there.
  std::optional<PeerEnd> settle();

 private:
  void leave_others(PeerEnd end, const std::string& why);
  bool run_ends_without_this() const;
  bool drops_failed_program() const;
  bool has_waited_enough() const;
  PeerEnd last_word();

  using Phase = typename Part<Scalar>::Phase;
  using Leaving = typename Part<Scalar>::Leaving;
  static constexpr Duration patience_of_the_interrupted = std::chrono::seconds(5);

  Part<Scalar>& part_;
  Instant lingers_until_ = Instant::max();
  std::string kept_;             // where the model is; of a peer without an observer
  std::optional<int> run_code_;  // the run's exit code, once all peers have ended
};

}  // namespace hearsay
