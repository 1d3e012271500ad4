#pragma once

#include <span>

namespace hearsay {

// The passes of kashin.hpp over the coefficients of a block, with the widest vectors that the machine has
// (chosen at run time). Every instruction set gives the bits of the plain loops for double (tested).

/// c = factor c clipped to +-limit, then a += c. NaN is not clipped.
void clip_and_add(std::span<float> c, float factor, float limit, std::span<float> a);
void clip_and_add(std::span<double> c, double factor, double limit, std::span<double> a);

/// v = factor first + factor second; or, if `subtract`, v -= this.
void combine_halves(std::span<const float> first, std::span<const float> second, float factor, bool subtract,
                    std::span<float> v);
void combine_halves(std::span<const double> first, std::span<const double> second, double factor,
                    bool subtract, std::span<double> v);

}  // namespace hearsay
