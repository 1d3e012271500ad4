#include "runtime/network/compute_time.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

Duration compute_time(const ComputeTime& emulated, std::uint64_t seed, PeerId peer, std::uint64_t request,
                      double work, Duration measured) {
  double factor = work;
  if (emulated.kind == ComputeTime::Kind::lognormal)
    factor *= std::exp(emulated.sigma * RandomStream(seed, peer, request, Purpose::compute).normal());
  const Duration usual = emulated.kind == ComputeTime::Kind::measured ? measured : emulated.median;
  constexpr double longest_ns = 1e18;
  return Duration(std::llround(std::min(static_cast<double>(usual.count()) * factor, longest_ns)));
}

}  // namespace hearsay
