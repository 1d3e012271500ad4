#pragma once

#include <memory>

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// The factory of a method class, for its MethodInfo.
template <class Method, class Scalar>
std::unique_ptr<Algorithm<Scalar>> make_method(const MethodInput<Scalar>& input) {
  return std::make_unique<Method>(input);
}

}  // namespace hearsay
