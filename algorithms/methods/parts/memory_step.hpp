#pragma once

#include <string>

#include "algorithms/compression/seam/traits.hpp"

namespace hearsay {

/// How far a memory follows what is sent (algorithm.memory_step, algorithm.down_memory_step): h <- h + alpha
/// C(z - h). With an unbiased C the memory tends to z if alpha <= 1 / (1 + omega); 0 keeps it at 0.
///
/// Source     Mishchenko et al. 2019 (DIANA, arXiv:1901.09269), Theorem 1.

/// Returns alpha. Misuse, naming `key`, unless the text is a number in [0, 1].
double parse_memory_step(const std::string& key, const std::string& text);

/// Returns the number that the text means with a compressor of these traits: "auto" is 1 / (2 (1 + omega)),
/// half of the largest alpha that the theorem permits, and 1 for a compressor that has no omega, as in EF21.
/// Misuse, naming `key`, for any other text that is no number in [0, 1].
std::string resolved_memory_step(const std::string& key, const std::string& text, const Traits& compressor);

}  // namespace hearsay
