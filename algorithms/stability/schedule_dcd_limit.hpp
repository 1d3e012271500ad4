#pragma once

#include <optional>

#include "topology/schedule.hpp"

namespace hearsay {

/// DcdLimit for a W that changes, on rounds W_1, W_2, ... that repeat after P: the relative variance omega of
/// compression noise, independent between peers, below which consensus is stable in mean square and above
/// which it is unstable.
///
/// Let d_t in R^n be the variance of the noise of round t at each peer. It is omega times the variance of the
/// differences that round t compresses, which comes from the noise of all rounds before it, mixed ever since:
///
///     d_t = omega sum_{s<t} K_ts d_s,     (K_ts)_ij = ((W_t - I) W_{t-1} ... W_{s+1})_ij^2
///
/// If d repeats after P rounds, this is the eigenvalue problem of one non-negative matrix, Pn x Pn, in which
/// K_ts is summed over all s of one phase. The limit is 1 over its largest eigenvalue. With P = 1 and W
/// symmetric it is DcdLimit's.
///
/// Returns nothing if the rounds do not come in one order, or if the limit would cost seconds: for more than
/// 1,024 rows (P n), or if gossip is slow. Infinite for n = 1.
std::optional<double> dcd_omega_limit(const Schedule& schedule);

}  // namespace hearsay
