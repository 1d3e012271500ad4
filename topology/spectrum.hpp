#pragma once

#include <optional>

#include "topology/foundation/peer_id.hpp"
#include "topology/mixing.hpp"
#include "topology/schedule.hpp"

namespace hearsay {

/// How the numbers of a Spectrum were found.
enum class SpectrumMethod { closed_form, dense, lanczos, shift_invert };

/// The eigenvalues of a mixing matrix that decide how fast gossip agrees.
///
/// For symmetric W with eigenvalues 1 = l_1 >= l_2 >= ... >= l_n these are l_2, l_n and rho = max(|l_2|,
/// |l_n|); a round of gossip multiplies the consensus distance by at most rho. A disconnected W has l_2 = 1,
/// and negative weights can make rho larger than 1.
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

/// The spectrum of W: in closed form if there is one (closed_spectrum.hpp: ring, path, complete, star, torus,
/// hypercube, exponential, uniform grid); else dense up to 300 peers; else by Lanczos. If Lanczos does not
/// settle, as on long thin graphs, it runs on the inverse of W shifted next to the end in question. 10,000
/// peers take well below a second in every family; errors are at most about 1e-12.
Spectrum spectrum(const MixingMatrix& mixing);

/// With more peers than this `period_contraction` is too slow to be worth it.
constexpr PeerId period_contraction_peers = 512;

/// The largest factor by which the first period of a schedule multiplies the consensus distance: || W_(p-1)
/// ... W_0 - J ||_2. It is 0 if a period averages exactly, and below 1 if the union of a period's links is
/// connected. Dense, O(period n^2 + n^3); nothing beyond period_contraction_peers.
std::optional<double> period_contraction(const Schedule& schedule);

}  // namespace hearsay
