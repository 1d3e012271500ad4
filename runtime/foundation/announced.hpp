#pragma once

#include <cstdint>

namespace hearsay {

/// What the observer announces with a verdict, if the run file gives a time instead of a number of
/// iterations. 0: nothing is announced.
struct Announced {
  std::uint32_t checkpoint_every = 0;  ///< iterations between two checkpoints
  std::uint32_t to_next = 0;           ///< iterations from the evaluation that is judged to the next one
  std::uint32_t to_second = 0;         ///< iterations from that one to the one after it
  bool operator==(const Announced&) const = default;
};

}  // namespace hearsay
