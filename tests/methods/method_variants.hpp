#pragma once

#include <vector>

#include "algorithms/seam/method.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test {

/// Options worth a look besides the method's defaults, such as it can have in that world.
std::vector<MethodOptions> variants_of(const MethodInfo& method, const World& world);

}  // namespace hearsay::test
