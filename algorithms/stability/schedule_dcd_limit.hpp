#pragma once

#include <optional>

#include "topology/schedule.hpp"

namespace hearsay {

/// Returns the limit of DcdLimit for rounds W_1, W_2, ... that repeat after P: a relative variance omega of
/// compression noise, independent between peers. Consensus is stable in mean square below the limit and
/// unstable above.
///
/// Let d_t in R^n be the variance of the noise of round t at each peer. d_t is omega times the variance of
/// the differences that round t compresses. They come from the noise of all earlier rounds, mixed ever since:
///
///     d_t = omega sum_{s<t} K_ts d_s,     (K_ts)_ij = ((W_t - I) W_{t-1} ... W_{s+1})_ij^2
///
/// If d repeats after P rounds, this is the eigenvalue problem of one non-negative matrix, P n x P n, in
/// which K_ts is summed over all s of one phase. The limit is 1 over its largest eigenvalue. With P = 1 and W
/// symmetric it equals that of DcdLimit.
///
/// If each round is drawn anew (participation.hpp), the first 64 rounds stand for all.
///
/// Infinite for n = 1. Empty if the rounds do not repeat in order, or if the limit would cost seconds: for P
/// n > 1024, or if gossip is slow.
std::optional<double> dcd_omega_limit(const Schedule& schedule);

}  // namespace hearsay
