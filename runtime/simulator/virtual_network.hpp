#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "runtime/foundation/units.hpp"
#include "runtime/wire/frame.hpp"

namespace hearsay {

/// A frame that leaves its sender now. The observer has the id `observer_id` (network/link.hpp).
struct VirtualFrame {
  PeerId from;
  PeerId to;
  const FrameHeader& header;
  std::span<const std::byte> payload;
  bool is_message = false;     ///< a message of the method; else of the session or the observer
  bool has_connection = true;  ///< false: no process is there to which the observer sends it
};

/// The network between the processes of a run and its observer, in virtual time.
class VirtualNetwork {
 public:
  /// A frame has come. Its receiver holds it until it is due at the receiver's port; if empty, not at all.
  using Arrival = std::function<void(std::optional<Instant> due)>;

  virtual ~VirtualNetwork() = default;
  /// A frame leaves its sender. `arrives` is called when it comes: never, once, or several times.
  virtual void carry(const VirtualFrame& frame, Arrival arrives) = 0;
  /// A message of `from` is due now at the port of `to`. Returns when `to` has it.
  virtual Instant release(PeerId from, PeerId to, std::uint64_t frame_bytes) = 0;
};

}  // namespace hearsay
