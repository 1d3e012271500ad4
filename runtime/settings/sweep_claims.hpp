#pragma once

#include <string>
#include <utility>
#include <vector>

#include "runtime/toml/setting.hpp"

namespace hearsay {

/// A figure of a variant times a factor; without a variant the factor alone, a bound.
struct ClaimTerm {
  double factor = 1.0;
  std::string variant;
};

/// What [[sweep.claim]] says of the results of a sweep, at every place on the axes that it does not leave
/// out: that a figure of some variants ascends, or that variants diverge.
///
///     [[sweep.claim]]
///     says = "DCD with 8 bits is at the target in less than half of the time of all-reduce"
///     at."network.bandwidth" = "10 Mbit/s"
///     figure = "seconds_to_target"
///     ascending = ["2 * DCD, 8 bit", "all-reduce"]
struct SweepClaim {
  std::string says;
  std::string figure;                ///< a number of summary.json
  ClaimTerm minus = {0.0, {}};       ///< is taken from the figure: the least loss, which a variant has found
  std::vector<ClaimTerm> ascending;  ///< each is less than the next
  std::vector<std::string> diverge;  ///< variants
  std::vector<std::pair<std::string, std::vector<std::string>>> at;  ///< axes, and the values that count
};

/// Returns the claims of [[sweep.claim]].
///
/// Throws Misuse for: a claim that says nothing; neither or both of `ascending` and `diverge`; an unknown
/// figure; fewer than two terms, or terms without a variant.
std::vector<SweepClaim> read_claims(const Setting& array);

/// Throws Misuse, naming `label`, unless every variant of the claims is one of `variants`, and every key and
/// value of `at` is in `axes`.
void require_claims_are_of(const std::string& label, const std::vector<SweepClaim>& claims,
                           const std::vector<std::string>& variants,
                           const std::vector<std::pair<std::string, std::vector<std::string>>>& axes);

}  // namespace hearsay
