#pragma once

#include <optional>
#include <span>
#include <string>

#include "algorithms/arithmetic/vector.hpp"

namespace hearsay {

/// How samples of a source are drawn: square, channel by channel, as idx: and cifar10: data have them.
struct PictureShape {
  Index channels;  ///< 1 or 3
  Index side;      ///< pixels
};

/// Returns the shape of the pictures of a data source; empty if its samples are no pictures.
std::optional<PictureShape> picture_shape(const std::string& source, Index features);

/// Returns a picture as a data: address (BMP). The least value becomes black, the largest white.
std::string picture_address(const PictureShape& shape, std::span<const double> values);

}  // namespace hearsay
