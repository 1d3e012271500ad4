#pragma once

#include <span>
#include <string>

#include "algorithms/objectives/model.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// Every model, in the order of a listing.
std::span<const ModelInfo> models();

/// The same as choices of model.kind.
std::span<const Choice> model_choices();

/// model.kind, taken apart.
struct Model {
  const ModelInfo* info;
  ModelShape shape;
};

/// Throws a Misuse that names model.kind: an unknown model (and the nearest known one), arguments that do not
/// fit.
Model parse_model(const std::string& text);

}  // namespace hearsay
