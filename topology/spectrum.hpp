#pragma once

#include "topology/mixing.hpp"

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

Spectrum spectrum(const MixingMatrix& mixing);

}  // namespace hearsay
