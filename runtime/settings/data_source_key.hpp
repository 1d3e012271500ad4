#pragma once

#include <string>

#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// A data source, "SCHEME:PATH" or "SCHEME:PATH,PATH", whose relative paths start at the run file; or
/// "synthetic(...)".
ValueKind<std::string> data_source();
/// The same, or nothing.
ValueKind<std::string> data_source_or_none();

}  // namespace hearsay
