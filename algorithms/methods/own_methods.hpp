#pragma once

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Registers a method of the caller's own: from now on `find_method` returns it for its name, so a run file
/// may say algorithm.kind = "its name", and both drivers train with it. The rows of its options
/// (MethodInfo::options) make keys of [algorithm]; it may bring rows of its own, beside the library's
/// (hearsay::option). Rows and method stand in every list and table of methods and keys. To be called before
/// the first run file is read, from one thread; processes that are forked later know the method, too. Throws
/// Misuse if a method has that name already, or if one of its rows has the name of another key.
void add_method(MethodInfo method);

/// True if `add_method` has made the method known: its code is not in this library.
bool is_from_outside(const MethodInfo& method);

}  // namespace hearsay
