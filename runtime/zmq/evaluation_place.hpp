#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "runtime/foundation/shared_slots.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/wire/numbers.hpp"

namespace hearsay {

// An evaluation whose payload stands in a slot of its sender: the frame tells which slot, and how long it is.

/// Returns the payload of the frame that tells where `payload` is, and completes its header. Nothing if it is
/// in no slot of peer `self`, and so has to travel.
inline std::optional<std::vector<std::byte>> told_place(const SharedSlots* slots, PeerId self,
                                                        std::span<const std::byte> payload,
                                                        FrameHeader& header) {
  if (!slots || header.kind != FrameKind::evaluation) return std::nullopt;
  const auto slot = slots->slot_of(self, payload);
  if (!slot) return std::nullopt;
  header.slot = 1 + *slot;
  return encode_numbers(std::array{std::uint64_t{payload.size()}});
}

inline bool tells_place(const FrameHeader& header) {
  return header.kind == FrameKind::evaluation && header.slot != 0;
}

/// Returns what stands in the place that such a frame tells. Nothing if it does not any more: then a newer
/// one has been said, or nobody needs it.
inline std::optional<std::span<const std::byte>> at_told_place(const SharedSlots* slots,
                                                               const FrameHeader& header,
                                                               std::span<const std::byte> payload) {
  const std::vector<std::uint64_t> length = decode_numbers(payload);
  if (!slots || length.size() != 1) return std::nullopt;
  return slots->content(header.sender, header.slot - 1, header.iteration, length.front());
}

}  // namespace hearsay
