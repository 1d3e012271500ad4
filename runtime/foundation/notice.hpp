#pragma once

#include <functional>
#include <string>

namespace hearsay {

/// Receives a sentence for the user, without a full stop. The library itself prints nothing. Several threads
/// may call a Notice at once, and processes that were forked from this one may, too.
using Notice = std::function<void(const std::string& sentence)>;

/// Discards the sentence.
inline void no_notice(const std::string&) {}

}  // namespace hearsay
