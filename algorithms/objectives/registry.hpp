#pragma once

#include <span>
#include <string>

#include "algorithms/objectives/model.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay {

/// Every model, in the order of `hearsay list`.
std::span<const ModelInfo> models();

/// The same models as the choices of model.kind.
std::span<const Choice> model_choices();

/// A parsed model.kind.
struct Model {
  const ModelInfo* info;
  ModelShape shape;
};

/// Returns the model that `text` (model.kind) spells. Throws Misuse (key model.kind) for an unknown model,
/// with the nearest known name, and for arguments that do not fit.
Model parse_model(const std::string& text);

}  // namespace hearsay
