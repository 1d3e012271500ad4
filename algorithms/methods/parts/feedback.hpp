#pragma once

#include <span>
#include <string>

#include "algorithms/compression/seam/traits.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// What a sender does with the error of compression (algorithm.feedback). g is its gradient, p the vector
/// that it compresses, and m in R^d its memory, 0 at first:
///
///   none            p = g                      nothing: for unbiased C
///   ef              p = g + m                  m <- p - C(p): all that was not sent
///   low-pass(beta)  p = g + m                  m <- (1 - beta) m + beta (p - C(p)): ScaleCom; beta = 1 is ef
///   dgd-def         p = grad f(x - eta m) + m  m <- p - C(p): ef, the gradient taken where x would be by now
///
/// m is a gradient, but the residue is a part of a step. So if the step size changes, m is first multiplied
/// by eta_{t-1} / eta_t. Then sum_j (eta/n) m_j always is what the common model still has to move.
/// (Karimireddy et al. 2019 keep the residue as a step from the start; for compressors with C(a z) = a C(z)
/// that is the same.)
///
/// Source     Karimireddy, Rebjock, Stich, Jaggi 2019 (arXiv:1901.09847), Algorithm 2; Chen et al. 2020
///            (ScaleCom, arXiv:2104.11125), Algorithm 1; Lin, Kostina, Hassibi 2020 (DQ-GD, arXiv:2002.02508)
///            and Saha, Pilanci, Goldsmith 2021 (DGD-DEF, arXiv:2103.07578), Algorithm 1, with e = -m.
struct FeedbackRule {
  double low_pass = 0.0;           ///< beta; 0: no memory
  bool gradient_at_ahead = false;  ///< dgd-def

  bool remembers() const { return low_pass > 0.0; }

  /// Throws Misuse (key algorithm.feedback).
  static FeedbackRule parse(const std::string& text);
  /// Returns a text that parses to this rule.
  std::string spelling() const;
};

/// The values of algorithm.feedback.
std::span<const Choice> feedback_choices();

/// Returns the spelling of the rule that `text` means with a compressor of these traits: "auto" is none if it
/// is unbiased, else ef. Throws Misuse (key algorithm.feedback).
std::string resolved_feedback(const std::string& text, const Traits& compressor);

}  // namespace hearsay
