#pragma once

#include <functional>
#include <string>

namespace hearsay {

/// Takes a sentence for whoever looks after the process, without a full stop. The library prints nothing
/// itself. May be called by several threads at once, and in processes that were forked from this one.
using Notice = std::function<void(const std::string& sentence)>;

/// For whoever does not want to know.
inline void no_notice(const std::string&) {}

}  // namespace hearsay
