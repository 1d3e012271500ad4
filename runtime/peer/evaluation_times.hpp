#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "runtime/foundation/announced.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

/// After which iterations a peer is evaluated, the last one of the run apart: every `every` iterations, or as
/// the verdicts announce. The verdict on an evaluation announces the two evaluations that follow it. A peer
/// does not pass an evaluation without the verdict on the one before, so all peers are evaluated after the
/// same iterations.
///
/// A peer that waits at an evaluation may miss the verdict on the one before, and hear the one on that
/// evaluation instead. It never misses two, since the later one would need an evaluation of this peer.
class EvaluationTimes {
 public:
  /// `as_announced`: the first two evaluations are at `every` and 2 `every`; verdicts announce the others.
  EvaluationTimes(std::uint64_t every, bool as_announced)
      : every_(every), as_announced_(as_announced), next_(every) {
    ensure(every > 0, "a run is evaluated every so many iterations");
  }

  bool is_at(std::uint64_t completed) const {
    return as_announced_ ? completed == next_ : completed != 0 && completed % every_ == 0;
  }
  /// The evaluation before the one at `evaluated`, at which the peer is. To go on, its verdict is needed.
  std::uint64_t before(std::uint64_t evaluated) const {
    return as_announced_ ? previous_ : evaluated - every_;
  }
  /// The evaluation after the one at `evaluated`, whose verdict has been heard last.
  std::uint64_t after(std::uint64_t evaluated) const {
    if (!as_announced_) return evaluated + every_;
    return evaluated == next_ ? second_ : next_;
  }

  /// The verdict on the evaluation at `evaluated` has come.
  void hear(std::uint64_t evaluated, const Announced& announced) {
    if (!as_announced_) return;
    const std::uint64_t next = evaluated + announced.to_next;
    const std::uint64_t second = next + announced.to_second;
    if (evaluated == previous_) {
      second_ = second;
    } else if (evaluated == next_) {
      second_ = next;
      third_ = second;
    }
  }
  /// The peer goes on beyond the evaluation at which it is.
  void pass() {
    if (!as_announced_) return;
    ensure(second_ > next_, "the verdict that a peer waited for announces an evaluation");
    previous_ = next_;
    next_ = second_;
    second_ = third_;
    third_ = 0;
  }

  /// The part that changes, for the image of a peer. Nothing unless verdicts announce evaluations.
  using Progress = std::array<std::uint64_t, 4>;
  std::optional<Progress> progress() const {
    return as_announced_ ? std::optional(Progress{previous_, next_, second_, third_}) : std::nullopt;
  }
  /// False if there is no such progress.
  bool restore(const Progress& progress) {
    previous_ = progress[0];
    next_ = progress[1];
    second_ = progress[2];
    third_ = progress[3];
    const bool second_follows = second_ == 0 || second_ > next_;
    const bool third_follows = third_ == 0 || (second_ != 0 && third_ > second_);
    return as_announced_ && next_ > previous_ && second_follows && third_follows;
  }

 private:
  std::uint64_t every_;
  bool as_announced_;
  std::uint64_t previous_ = 0;  ///< the last evaluation that was passed; 0 is that of x_0
  std::uint64_t next_;
  std::uint64_t second_ = 0;  ///< the one after the next; 0: not announced yet
  std::uint64_t third_ = 0;   ///< the one after the second; 0: not announced yet
};

}  // namespace hearsay
