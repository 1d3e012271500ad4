#pragma once

#include "algorithms/seam/method.hpp"

namespace hearsay {

/// Makes a method of the caller's own known: from now on `find_method` returns it for its name, so a run file
/// may say algorithm.kind = "its name", and both drivers train with it. `methods()`, which is what the manual
/// and `hearsay list` show, stays as it is. To be called before the first experiment is prepared, from one
/// thread; processes that are forked later know the method, too. Throws Misuse if a method has that name
/// already.
void add_method(MethodInfo method);

}  // namespace hearsay
