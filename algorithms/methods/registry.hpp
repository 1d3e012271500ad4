#pragma once

#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Every method, in the order in which a newcomer should meet them; those that callers have added
/// (`add_method`) come last.
const std::deque<MethodInfo>& methods();

/// Returns the method with this name or alias. Throws Misuse (key algorithm.kind), with the nearest known
/// name.
const MethodInfo& find_method(const std::string& name);

/// The same; null if there is no such method.
const MethodInfo* method_named(const std::string& name);

/// Returns the names of the methods with a property, as "dspg, dpsvrg".
std::string methods_that(const std::function<bool(const MethodInfo&)>& property);

/// True if algorithm.clip is refused with the method.
inline bool refuses_clipping(const MethodInfo& method) { return !method.unclippable_because.empty(); }

/// Returns every option that some method reads, in the order of the methods and of the options of each.
std::vector<const OptionRow*> option_rows();

/// Returns the names of the methods that read the option, as "d-psgd, moniqua".
std::string readers_of(const OptionRow& row);

/// Returns the options that the user set, completed by the defaults of the method. Options that the method
/// does not read because of another option are left out. Throws Misuse if the user set an option that the
/// method does not read. The message names the methods that read the option, or the other option because of
/// which it is not read.
MethodOptions resolved_options(const MethodOptions& set, const MethodInfo& method);

}  // namespace hearsay
