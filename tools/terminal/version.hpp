#pragma once

#include <string_view>

namespace hearsay {

/// Returns the version and the commit that this program was built from: "0.1.0 (commit 3ff09ac12ab4)". A +
/// after the commit stands for changes that were not committed. Outside of git the commit is unknown.
std::string_view version_text();

}  // namespace hearsay
