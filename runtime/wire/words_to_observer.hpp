#pragma once

#include <cstdint>
#include <optional>

#include "runtime/wire/beats.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/observer_contact.hpp"

// What a peer says to the observer in the headers of control frames (control_word.hpp).

namespace hearsay::to_observer {

/// Asks to take part in the run.
struct Hello {
  static constexpr FrameKind kind = FrameKind::hello;
  enum class State : std::uint8_t {
    begins,        ///< slot 0, or any that stands for no other state: the peer begins the run
    resumes,       ///< slot 1: the peer resumes from a checkpoint, and sends `holds` next
    is_under_way,  ///< slot 2: the peer is in the middle of the run
  };
  std::uint64_t iterations = 0;  ///< how many iterations the run has
  State state = State::begins;
  std::uint64_t challenge = 0;  ///< as in the `again` that this answers (from_observer::Again), else 0
  bool operator==(const Hello&) const = default;
};
void put(const Hello& hello, FrameHeader& header);
Hello as_hello(const FrameHeader& header);

/// The sender and all its neighbors have welcomed each other; or not yet, and the payload says for whom the
/// sender waits.
struct Ready {
  static constexpr FrameKind kind = FrameKind::ready;
  bool still_waits = false;                        ///< false for slot 0 only
  std::optional<std::uint64_t> last_verdict = {};  ///< the newest evaluation whose verdict the sender knows
  bool operator==(const Ready&) const = default;
};
void put(const Ready& ready, FrameHeader& header);
Ready as_ready(const FrameHeader& header);

/// A heartbeat. Frames on one connection come in the order in which they were sent. So once a heartbeat has
/// come, what was sent before it and has not come is lost; the payload says what that may be (questions that
/// the sender is answering).
struct Alive {
  static constexpr FrameKind kind = FrameKind::alive;
  ObserverContact contact = {};
  std::optional<std::uint64_t> last_verdict = {};  ///< as in Ready
  Beats beats = {};
  bool operator==(const Alive&) const = default;
};
void put(const Alive& alive, FrameHeader& header);
Alive as_alive(const FrameHeader& header);

}  // namespace hearsay::to_observer
