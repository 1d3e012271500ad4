#pragma once

#include <memory>

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The `make` of a method's MethodInfo. Instantiates the class `Method` for float and for double, so its
/// functions need to be defined before.
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
