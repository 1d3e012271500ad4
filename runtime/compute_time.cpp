#include "runtime/compute_time.hpp"

#include <cmath>

#include "algorithms/random.hpp"

namespace hearsay {

Duration compute_time(const ComputeTime& emulated, std::uint64_t seed, PeerId peer, std::uint64_t request,
                      Duration measured) {
  switch (emulated.kind) {
    case ComputeTime::Kind::measured:
      return measured;
    case ComputeTime::Kind::constant:
      return emulated.median;
    case ComputeTime::Kind::lognormal:
      break;
  }
  RandomStream random(seed, peer, request, Purpose::compute);
  const double factor = std::exp(emulated.sigma * random.normal());
  return Duration(std::llround(static_cast<double>(emulated.median.count()) * factor));
}

}  // namespace hearsay
