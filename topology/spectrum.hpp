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
/// For a symmetric W with eigenvalues 1 = l_1 >= l_2 >= ... >= l_n: `second` is l_2, `smallest` is l_n, and
/// rho = max(|l_2|, |l_n|). A round of gossip multiplies the consensus distance by at most rho. A
/// disconnected W has l_2 = 1; negative weights can make rho larger than 1.
///
/// For any other W, rho = ||W - J||_2 (J = all entries 1/n), which bounds a round in the same way; `second`
/// and `smallest` are then rho and -rho. For one peer all three are 0.
struct Spectrum {
  double second = 0.0;
  double smallest = 0.0;
  double rho = 0.0;
  double spectral_gap = 1.0;  ///< 1 - rho
  SpectrumMethod how = SpectrumMethod::closed_form;
  /// 0 if `second` and `smallest` are right up to 1e-9, and a thousandth of the gap or 1e-12. Else each is a
  /// bound that the eigenvalue may lie beyond, nearly always by no more than this: rho is at least, and the
  /// spectral gap at most, what is said.
  double error = 0.0;
};

/// Returns the spectrum of W: in closed form if there is one (closed_spectrum.hpp: ring, path, complete,
/// star, torus, hypercube, exponential, uniform grid); else by a dense solver up to 300 peers; else by
/// Lanczos. Below 50,000 peers errors are at most about 1e-12: if Lanczos does not converge, as on long thin
/// graphs, it runs on the inverse of W, shifted to just beyond the wanted end of the spectrum. 10,000 peers
/// take well below a second in every family. From 50,000 peers on Lanczos takes at most some seconds, and
/// stops there or with bounds (Spectrum::error).
Spectrum spectrum(const MixingMatrix& mixing);

/// The most peers for which `contraction` is computed; with more it would be too slow.
constexpr PeerId contraction_peers = 512;

/// Returns the largest factor by which the first `rounds` rounds of a schedule multiply the consensus
/// distance: || W_(rounds-1) ... W_0 - J ||_2. It is 0 if they average exactly. It is below 1 if all weights
/// and self weights are above 0 and the union of the rounds' links is connected. Dense, O(rounds n (n +
/// links) + n^3). Nothing beyond contraction_peers.
std::optional<double> contraction(const Schedule& schedule, std::uint64_t rounds);

}  // namespace hearsay
