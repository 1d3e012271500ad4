#pragma once

#include <cstdint>
#include <optional>

#include "runtime/wire/frame.hpp"
#include "runtime/wire/observer_contact.hpp"

// What a peer says to the observer in the headers of control frames (control_word.hpp).

namespace hearsay::to_observer {

/// I want to take part.
struct Hello {
  static constexpr FrameKind kind = FrameKind::hello;
  enum class State : std::uint8_t {
    begins,        ///< slot 0, and every one that stands for no other state
    resumes,       ///< goes on from a checkpoint, and `holds` follows: slot 1
    is_under_way,  ///< is in the middle of the run: slot 2
  };
  std::uint64_t iterations = 0;  ///< how many the run has
  State state = State::begins;
  std::uint64_t challenge = 0;  ///< of the `again` that it answers (from_observer::Again), or 0
  bool operator==(const Hello&) const = default;
};
void put(const Hello& hello, FrameHeader& header);
Hello as_hello(const FrameHeader& header);

/// All my neighbors have welcomed me; or not yet, and the payload says for whom I wait.
struct Ready {
  static constexpr FrameKind kind = FrameKind::ready;
  bool still_waits = false;                        ///< any slot but 0
  std::optional<std::uint64_t> last_verdict = {};  ///< the newest evaluation whose verdict the sender knows
  bool operator==(const Ready&) const = default;
};
void put(const Ready& ready, FrameHeader& header);
Ready as_ready(const FrameHeader& header);

/// A sign of life.
struct Alive {
  static constexpr FrameKind kind = FrameKind::alive;
  ObserverContact contact = {};
  std::optional<std::uint64_t> last_verdict = {};  ///< as in Ready
  bool operator==(const Alive&) const = default;
};
void put(const Alive& alive, FrameHeader& header);
Alive as_alive(const FrameHeader& header);

/// I have a neighbor's model, and go on with the first iteration that I need.
struct Join {
  static constexpr FrameKind kind = FrameKind::join;
  std::optional<std::uint64_t> last_verdict = {};  ///< as in Ready
  bool operator==(const Join&) const = default;
};
void put(const Join& join, FrameHeader& header);
Join as_join(const FrameHeader& header);

}  // namespace hearsay::to_observer
