#pragma once

namespace hearsay {

/// A place on the Earth, in degrees.
struct Place {
  double latitude;
  double longitude;
};

/// Returns the great-circle distance on a sphere of the Earth's mean radius, 6,371,008.8 m.
double metres_between(Place a, Place b);

/// Returns how long a signal takes on the great circle in fibre, at two thirds of the speed of light.
double seconds_in_fibre(Place a, Place b);

}  // namespace hearsay
