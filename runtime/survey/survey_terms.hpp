#pragma once

#include "runtime/foundation/units.hpp"

namespace hearsay {

// What nobody sets in a survey. The times are short beside the patience of a link meter, so that of a peer
// that is gone it is told which it is, not only that it did not answer another.

/// The observer and each peer repeat their newest word so often.
inline constexpr Duration survey_beat = std::chrono::seconds(1);
/// Who has said nothing for so long counts as lost.
inline constexpr Duration survey_silence = std::chrono::seconds(8);
/// How long the end of a survey may take until all know of it.
inline constexpr Duration survey_farewell = std::chrono::seconds(3);

/// The exit codes of a survey without a result: something is wrong, or the user has ended it.
inline constexpr int survey_failed = 2, survey_interrupted = 130;

}  // namespace hearsay
