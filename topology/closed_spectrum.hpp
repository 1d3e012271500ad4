#pragma once

#include <optional>

#include "topology/mixing.hpp"
#include "topology/spectrum.hpp"

namespace hearsay {

/// The spectrum of W if its structure has a closed form; nothing otherwise. The structure is recognized in
/// the matrix itself, whatever it was made from. Only the numbering of the peers must be the family's:
///
/// * W looks the same from every peer up to a shift on Z_n, on Z_a x Z_b or on Z_2^k (ring, complete, torus,
///   hypercube, exponential, also directed rounds): the eigenvalues are the Fourier sums of row 0,
///   l_k = w_00 + sum_j w_0j exp(2 pi i <k, j>), and such a W is normal, so ||W - J||_2 = max_k |l_k|.
/// * W = I - c L on a path, grid or star: L has 4 sin^2(pi p / 2a) + 4 sin^2(pi q / 2b) on an a x b grid, and
///   0, 1, n on a star.
///
/// O(links) per structure tried, then O(links) cosines.
std::optional<Spectrum> closed_spectrum(const MixingMatrix& mixing);

/// The record of two extreme eigenvalues of a symmetric W.
Spectrum symmetric_spectrum(double second, double smallest, SpectrumMethod how);
/// The record of ||W - J||_2 of any W.
Spectrum norm_spectrum(double rho, SpectrumMethod how);

}  // namespace hearsay
