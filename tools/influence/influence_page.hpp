#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "algorithms/objectives/sample_objective.hpp"
#include "tools/influence/influence_record.hpp"

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

/// The addresses of the pictures of training samples (a row of data.source) and of test samples. Both are
/// empty functions if samples are no pictures.
struct Pictures {
  std::function<std::string(Index row)> of_training = {};
  std::function<std::string(Index row)> of_test = {};
};

/// Returns a page of HTML that loads nothing: the findings, with `top` samples each, as pictures if there are
/// any.
std::string influence_page(const InfluenceFindings& found, std::size_t top, const Pictures& pictures);

}  // namespace hearsay
