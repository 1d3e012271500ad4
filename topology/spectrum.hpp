#pragma once

#include <optional>

#include "topology/mixing.hpp"
#include "topology/foundation/peer_id.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// How the numbers of a Spectrum were found.
enum class SpectrumMethod { closed_form, dense, lanczos, shift_invert };

/// The eigenvalues of a mixing matrix that decide how fast gossip agrees.
///
/// For symmetric W with eigenvalues 1 = l_1 >= l_2 >= ... >= l_n these are l_2, l_n and
/// rho = max(|l_2|, |l_n|); a round of gossip shrinks the consensus distance to at most rho times what it
/// was. A disconnected W has l_2 = 1, and negative weights can make rho larger than 1.
///
/// For a W that is not symmetric, rho = ||W - J||_2 (J = all entries 1/n), which bounds a round in the same
/// way; `second` and `smallest` are then rho and -rho. For one peer all three are 0.
struct Spectrum {
  double second = 0.0;
  double smallest = 0.0;
  double rho = 0.0;
  double spectral_gap = 1.0;  ///< 1 - rho
  SpectrumMethod how = SpectrumMethod::closed_form;
};

/// Closed form where there is one (closed_spectrum.hpp: ring, path, complete, star, torus, hypercube,
/// exponential, uniform grid); else dense up to 300 peers; else Lanczos, and where that does not settle, as on
/// long thin graphs, on the inverse of W shifted next to the end in question. 10,000 peers take well below a
/// second in every family; errors are at most about 1e-12.
Spectrum spectrum(const MixingMatrix& mixing);

/// More peers than this make `period_contraction` too slow to be worth it.
constexpr PeerId period_contraction_peers = 512;

/// What the first period of a schedule leaves of the consensus distance at most: || W_(p-1) ... W_0 - J ||_2.
/// 0 where a period averages exactly; below 1 where the union of a period's links is connected. Dense,
/// O(period n^2 + n^3); none beyond period_contraction_peers.
std::optional<double> period_contraction(const Schedule& schedule);

}  // namespace hearsay
