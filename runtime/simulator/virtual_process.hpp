#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/participant/participant.hpp"
#include "runtime/simulator/virtual_archive.hpp"

namespace hearsay {

/// A process of a peer in virtual time, or the place where one was.
template <class Scalar>
struct VirtualProcess {
  std::unique_ptr<Participant<Scalar>> participant = {};  ///< null: killed, or not begun
  std::optional<VirtualArchive<Scalar>> archive = {};     ///< if the run takes checkpoints
  std::uint32_t life = 0;                                 ///< how often a process was started
  Instant wakes_at{};
  std::uint64_t gradients = 0;  ///< how many it has computed, or its predecessors
  bool is_frozen = false;
  std::vector<std::function<void()>> held_up = {};  ///< what happens to it once it is not frozen any more

  /// True if the process runs.
  bool is_up() const { return participant && !participant->end(); }
  /// Tells it from earlier processes, and from those of other peers.
  std::uint32_t incarnation() const { return 1000 * participant->id() + life; }
};

/// Does what the participant of a process asks for, at `now`. Returns how long that takes if it is a gradient
/// that takes time: the caller calls `gradient_arrived` then. All else takes no virtual time.
template <class Scalar>
std::optional<Duration> do_work(VirtualProcess<Scalar>& process, const Work& work,
                                const Experiment<Scalar>& experiment, Duration measured_gradient,
                                PacketPool& packets, Instant now);

}  // namespace hearsay
