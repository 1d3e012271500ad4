#pragma once

#include <optional>

#include "topology/mixing.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

/// Returns the spectrum of W if its structure has a closed form; nothing otherwise. The structure is
/// recognized in the matrix itself, however the matrix was made. The peers must be numbered as the family
/// numbers them:
///
/// * W looks the same from every peer up to a shift on Z_n, on Z_a x Z_b or on Z_2^k (ring, complete, torus,
///   hypercube, exponential, also directed rounds): the eigenvalues are the Fourier sums of row 0,
///   l_k = w_00 + sum_j w_0j exp(2 pi i <k, j>), and such a W is normal, so ||W - J||_2 = max_k |l_k|.
/// * W = I - c L on a path, grid or star: L has 4 sin^2(pi p / 2a) + 4 sin^2(pi q / 2b) on an a x b grid, and
///   0, 1, n on a star.
///
/// O(links) for each structure that is tried, then O(links) terms of the sums and at most n cosines.
std::optional<Spectrum> closed_spectrum(const MixingMatrix& mixing);

/// The Spectrum of a symmetric W with these two extreme eigenvalues.
Spectrum symmetric_spectrum(double second, double smallest, SpectrumMethod how);
/// The Spectrum of a W that is not symmetric: rho = ||W - J||_2.
Spectrum norm_spectrum(double rho, SpectrumMethod how);

}  // namespace hearsay
