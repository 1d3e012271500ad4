#include "topology/geography.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hearsay {

double metres_between(Place a, Place b) {
  constexpr double radius_m = 6'371'008.8;
  constexpr double radians = std::numbers::pi / 180.0;
  const double across = std::sin((b.latitude - a.latitude) * radians / 2.0);
  const double along = std::sin((b.longitude - a.longitude) * radians / 2.0);
  // The haversine formula, which is exact for near places, too.
  const double haversine =
      across * across + std::cos(a.latitude * radians) * std::cos(b.latitude * radians) * along * along;
  return 2.0 * radius_m * std::asin(std::sqrt(std::min(1.0, haversine)));
}

double seconds_in_fibre(Place a, Place b) {
  constexpr double light_m_per_s = 299'792'458.0;
  return metres_between(a, b) / (light_m_per_s * 2.0 / 3.0);
}

}  // namespace hearsay
