#pragma once

#include <cstdint>
#include <optional>

#include "runtime/foundation/units.hpp"
#include "runtime/wire/frame.hpp"

// What the observer says to a peer in the headers of control frames (control_word.hpp).

namespace hearsay::from_observer {

/// You take no part; the payload says why.
struct Refuse {
  static constexpr FrameKind kind = FrameKind::refuse;
  bool is_duplicate = false;  ///< another process already is that peer; slot 1, and not of any other
  bool operator==(const Refuse&) const = default;
};
void put(const Refuse& refuse, FrameHeader& header);
Refuse as_refuse(const FrameHeader& header);

/// Go on from a checkpoint.
struct Resume {
  static constexpr FrameKind kind = FrameKind::resume;
  std::uint64_t common = 0;  ///< the checkpoint from which all go on, if one was chosen
  /// They are in the middle of the run: go on from your newest checkpoint and your log. Any slot but 0.
  bool others_are_under_way = false;
  /// Nothing: from the newest one, and the log.
  std::optional<std::uint64_t> checkpoint() const {
    return others_are_under_way ? std::nullopt : std::optional(common);
  }
  bool operator==(const Resume&) const = default;
};
void put(const Resume& resume, FrameHeader& header);
Resume as_resume(const FrameHeader& header);

/// All peers are ready, or you are and the others run.
struct Start {
  static constexpr FrameKind kind = FrameKind::start;
  std::uint64_t iterations = 0;  ///< how many to run
  Instant origin{};              ///< of the run's time, for peers on the observer's machine; not negative
  /// How long ago that was, for peers elsewhere; not negative. Above `due_limit_ns`: that much.
  Duration age{};
  bool operator==(const Start&) const = default;
};
void put(const Start& start, FrameHeader& header);
Start as_start(const FrameHeader& header);

/// On an evaluation.
struct Verdict {
  static constexpr FrameKind kind = FrameKind::verdict;
  std::uint64_t evaluated = 0;         ///< the evaluation's iteration
  bool proceed = false;                ///< slot 1, and not of any other
  std::uint64_t checkpoint_every = 0;  ///< unless 0: so many iterations (checkpoint_period.hpp)
  bool operator==(const Verdict&) const = default;
};
void put(const Verdict& verdict, FrameHeader& header);
Verdict as_verdict(const FrameHeader& header);

/// A sign of life; before the run the payload says for whom all wait.
struct Alive {
  static constexpr FrameKind kind = FrameKind::alive;
  enum class State : std::uint8_t {
    lacks_result,  ///< of the peer: slot 0
    has_result,    ///< slot 1, and every one that stands for no other state
    is_busy,       ///< with an evaluation: it says nothing of what it has. Slot 2
  };
  State state = State::lacks_result;
  std::uint64_t newest_evaluation = 0;  ///< that it has of the peer
  bool operator==(const Alive&) const = default;
};
void put(const Alive& alive, FrameHeader& header);
Alive as_alive(const FrameHeader& header);

/// Say hello again. Two processes claim one id, or the observer is a new one.
struct Again {
  static constexpr FrameKind kind = FrameKind::again;
  std::uint64_t challenge = 0;  ///< incarnation of the other claimant, or 0; the hello is to repeat it
  bool operator==(const Again&) const = default;
};
void put(const Again& again, FrameHeader& header);
Again as_again(const FrameHeader& header);

/// Every peer has ended.
struct Bye {
  static constexpr FrameKind kind = FrameKind::bye;
  int exit_code = 0;  ///< of the run: 4 (diverged), 130 (interrupted), and 0 for every other slot
  bool operator==(const Bye&) const = default;
};
void put(const Bye& bye, FrameHeader& header);
Bye as_bye(const FrameHeader& header);

/// Policy "drop": a process has ended.
struct Departed {
  static constexpr FrameKind kind = FrameKind::departed;
  PeerId peer = 0;
  std::uint32_t incarnation = 0;  ///< the lower half of `sequence`
  bool operator==(const Departed&) const = default;
};
void put(const Departed& departed, FrameHeader& header);
Departed as_departed(const FrameHeader& header);

}  // namespace hearsay::from_observer
