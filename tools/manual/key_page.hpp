#pragma once

#include "runtime/toml/key_row.hpp"
#include "tools/manual/page.hpp"

namespace hearsay {

/// Returns the page of a key of run files: type and default, the methods that read it with the default of
/// each, the keys beside it, an example, and what is refused. Links to other pages start at the root of the
/// source tree.
Page key_page(const KeyInfo& key);

}  // namespace hearsay
