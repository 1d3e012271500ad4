#include "runtime/network/compute_time.hpp"

#include <algorithm>
#include <cmath>

#include "algorithms/arithmetic/random.hpp"
#include "runtime/foundation/longest_time.hpp"

namespace hearsay {

Duration compute_time(const ComputeTime& emulated, std::uint64_t seed, PeerId peer, std::uint64_t request,
                      double work, Duration measured) {
  double factor = work;
  if (emulated.kind == ComputeTime::Kind::lognormal)
    factor *= std::exp(emulated.sigma * RandomStream(seed, peer, request, Purpose::compute).normal());
  const Duration usual = emulated.kind == ComputeTime::Kind::measured ? measured : emulated.median;
  constexpr auto longest_ns = static_cast<double>(longest_time.count());
  return Duration(std::llround(std::min(static_cast<double>(usual.count()) * factor, longest_ns)));
}

}  // namespace hearsay
