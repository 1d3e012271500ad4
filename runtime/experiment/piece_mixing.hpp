#pragma once

#include "runtime/network/link.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// True if peers may mix long messages piece by piece, as they come, if their method can (Algorithm::
/// takes_pieces). They cannot where a message has to be whole: for the log that checkpoints need, until its
/// sender is known to stay, or over an emulated network, which says when the whole message is due.
inline bool permits_piece_mixing(const RunSettings& settings) {
  return !settings.failure.keeps_checkpoints() && !settings.failure.drops() && !is_emulated(settings);
}

}  // namespace hearsay
