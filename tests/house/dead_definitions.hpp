#pragma once

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// Finds functions, types, constants and fields of topology/, algorithms/, runtime/ and tools/ that are used
/// nowhere: their name stands neither there nor in tests/consumer/, the program of a caller of the library,
/// but in declarations and definitions of that name. What only tests use is dead, too. The rule knows names,
/// not what they mean: while one `size` is used, every `size` lives.
Violations nothing_is_dead(const SourceTree& tree);

}  // namespace hearsay
