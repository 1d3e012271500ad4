#pragma once

#include <cstdint>
#include <optional>

#include "runtime/foundation/announced.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/wire/beats.hpp"
#include "runtime/wire/frame.hpp"

// What the observer says to a peer in the headers of control frames (control_word.hpp).

namespace hearsay::from_observer {

/// The receiver cannot take part; the payload says why.
struct Refuse {
  static constexpr FrameKind kind = FrameKind::refuse;
  bool is_duplicate = false;  ///< another process has the receiver's id; true for slot 1 only
  bool operator==(const Refuse&) const = default;
};
void put(const Refuse& refuse, FrameHeader& header);
Refuse as_refuse(const FrameHeader& header);

/// The receiver is to resume from a checkpoint.
struct Resume {
  static constexpr FrameKind kind = FrameKind::resume;
  std::uint64_t common = 0;  ///< iteration of the checkpoint from which all peers resume
  /// The other peers are in the middle of the run, so the receiver resumes from its own newest checkpoint and
  /// its log, and `common` says nothing. False for slot 0 only.
  bool others_are_under_way = false;
  /// Returns `common`; empty if the receiver resumes from its own newest checkpoint and its log.
  std::optional<std::uint64_t> checkpoint() const {
    return others_are_under_way ? std::nullopt : std::optional(common);
  }
  bool operator==(const Resume&) const = default;
};
void put(const Resume& resume, FrameHeader& header);
Resume as_resume(const FrameHeader& header);

/// The receiver begins to train: all peers are ready, or it is ready and the others are training.
struct Start {
  static constexpr FrameKind kind = FrameKind::start;
  std::uint64_t iterations = 0;  ///< how many iterations the run has
  /// Of the run's time, for peers on the observer's machine. Sent as 0 if it is negative: a resumed run may
  /// be older than the time since its machine was started.
  Instant origin{};
  /// Time since the origin, for peers on other hosts; not negative, at most `due_limit_ns`.
  Duration age{};
  bool operator==(const Start&) const = default;
};
void put(const Start& start, FrameHeader& header);
Start as_start(const FrameHeader& header);

/// The verdict on an evaluation.
struct Verdict {
  static constexpr FrameKind kind = FrameKind::verdict;
  std::uint64_t evaluated = 0;  ///< iteration of the evaluation
  bool proceed = false;         ///< whether the run goes on; true for slot 1 only
  Announced announced = {};
  bool operator==(const Verdict&) const = default;
};
void put(const Verdict& verdict, FrameHeader& header);
Verdict as_verdict(const FrameHeader& header);

/// A heartbeat. Before the run the payload says for whom all peers wait.
struct Alive {
  static constexpr FrameKind kind = FrameKind::alive;
  enum class State : std::uint8_t {
    lacks_result,  ///< slot 0: the observer does not have the receiver's result
    has_result,    ///< slot 1, or any that stands for no other state: the observer has it
    is_busy,       ///< slot 2: the observer is busy with an evaluation; `newest_evaluation` says nothing
  };
  State state = State::lacks_result;
  std::uint64_t newest_evaluation = 0;  ///< iteration of the newest one that the observer has of the receiver
  Beats beats = {};
  bool operator==(const Alive&) const = default;
};
void put(const Alive& alive, FrameHeader& header);
Alive as_alive(const FrameHeader& header);

/// The receiver is to say hello again: two processes claim one id, or the observer does not know the process.
struct Again {
  static constexpr FrameKind kind = FrameKind::again;
  std::uint64_t challenge = 0;  ///< incarnation of the second claimant, or 0; the hello repeats it
  bool operator==(const Again&) const = default;
};
void put(const Again& again, FrameHeader& header);
Again as_again(const FrameHeader& header);

/// All peers have ended. The receiver answers with a frame of the same kind, so that the observer knows that
/// it may leave.
struct Bye {
  static constexpr FrameKind kind = FrameKind::bye;
  int exit_code = 0;  ///< of the run: 4 (diverged), 130 (interrupted); any other slot is read as 0
  bool operator==(const Bye&) const = default;
};
void put(const Bye& bye, FrameHeader& header);
Bye as_bye(const FrameHeader& header);

/// Policy "drop": a process has ended.
struct Departed {
  static constexpr FrameKind kind = FrameKind::departed;
  PeerId peer = 0;                ///< whose process it was
  std::uint32_t incarnation = 0;  ///< the lower half of `sequence`
  bool operator==(const Departed&) const = default;
};
void put(const Departed& departed, FrameHeader& header);
Departed as_departed(const FrameHeader& header);

}  // namespace hearsay::from_observer
