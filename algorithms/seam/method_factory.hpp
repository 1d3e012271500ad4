#pragma once

#include <memory>

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Returns the MethodFactory of the class `Method`, for MethodInfo::make. Instantiates the class for float
/// and for double, so it is called below the definitions of the class's functions.
template <template <class> class Method>
MethodFactory factory() {
  return {.in_float = [](const MethodInput<float>& input) -> std::unique_ptr<Algorithm<float>> {
            return std::make_unique<Method<float>>(input);
          },
          .in_double = [](const MethodInput<double>& input) -> std::unique_ptr<Algorithm<double>> {
            return std::make_unique<Method<double>>(input);
          }};
}

}  // namespace hearsay
