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

/// The names of the methods with a property, for a sentence: "dspg, dpsvrg".
std::string methods_that(const std::function<bool(const MethodInfo&)>& property);

/// The options that the user set, completed by the method's defaults; options that another option leaves
/// unread are left out. Misuse if an option is set that the method does not read. It names the methods that
/// read it, or the other option because of which it is not read.
MethodOptions resolved_options(const MethodOptions& set, const MethodInfo& method);

}  // namespace hearsay
