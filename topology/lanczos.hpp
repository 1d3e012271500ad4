#pragma once

#include <cstddef>
#include <functional>
#include <span>

namespace hearsay {

/// to = W from, for a symmetric W whose rows sum to 1.
using SymmetricProduct = std::function<void(std::span<const double> from, std::span<double> to)>;

/// Estimates of the largest and the smallest eigenvalue of W, that of the constant vector aside. Neither lies
/// beyond its end of the spectrum by more than rounding errors.
struct SpectrumEnds {
  double top;
  double bottom;
  double top_error;  ///< an eigenvalue is at most this far from `top`: nearly always the largest
  double bottom_error;

  double error() const;  ///< the larger of the two errors
  /// True if the errors are at most 1e-9, and a thousandth of the spectral gap or 1e-12.
  bool are_found() const;
};

/// Returns both ends of the spectrum of W by one run of Lanczos (1950): without restarts, and without keeping
/// its vectors, so memory is that of three. Rounding makes it find eigenvalues several times, which harms
/// neither end (Paige 1976). It begins with `guess`, which may be anything, and a random vector of a tenth of
/// its length: the nearer the guess is to the eigenvectors of the largest eigenvalues, the fewer steps `top`
/// takes. The run ends once both errors are small enough (SpectrumEnds::are_found), or after `most_steps`,
/// each a product.
SpectrumEnds lanczos_ends(const SymmetricProduct& product, std::span<const double> guess,
                          std::size_t most_steps);

}  // namespace hearsay
