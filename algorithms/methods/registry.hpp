#pragma once

#include <functional>
#include <span>
#include <string>

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Every method, in the order in which a newcomer should meet them.
std::span<const MethodInfo> methods();

/// The method called `name`; throws Misuse (key algorithm.kind) naming the nearest known one.
const MethodInfo& find_method(const std::string& name);

/// The names of those with a property, for a sentence: "dspg, dpsvrg".
std::string methods_that(const std::function<bool(const MethodInfo&)>& property);

}  // namespace hearsay
