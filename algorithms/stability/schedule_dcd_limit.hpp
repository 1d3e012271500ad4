#pragma once

#include <optional>

#include "topology/schedule.hpp"

namespace hearsay {

/// DcdLimit where W changes: on rounds W_1, W_2, ... that repeat after P, with compression noise of relative variance
/// omega, independent between peers, consensus is stable in mean square below the limit and unstable above it.
///
/// The noise of round t, d_t in R^n by peer, is omega times what the noise of all rounds before it, mixed ever since, makes of
/// the differences that round t compresses:
///
///     d_t = omega sum_{s<t} K_ts d_s,     (K_ts)_ij = ((W_t - I) W_{t-1} ... W_{s+1})_ij^2
///
/// With d repeating after P rounds this is the eigenvalue problem of one non-negative matrix, Pn x Pn, K_ts summed over all s
/// of one phase; the limit is 1 over its largest eigenvalue. With P = 1 and W symmetric it is DcdLimit's.
///
/// Nothing where the rounds do not come in one order, and where it would cost seconds: for more than 1,024 rows (P n), and where
/// gossip is slow. Infinite for n = 1.
std::optional<double> dcd_omega_limit(const Schedule& schedule);

}  // namespace hearsay
