#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns the member of `known` with the fewest edits from `given`; on a tie, the first of them. An edit
/// inserts, deletes or replaces a letter, or swaps two adjacent ones. Case does not count. A name of which
/// `given` is only the beginning is one edit away. Empty only if `known` is empty. For errors: "unknown key
/// 'bandwith' (nearest: 'bandwidth')".
std::string nearest_name(std::string_view given, std::span<const std::string> known);

/// Returns nearest_name if the user probably meant it: at most one edit for every two letters of the longer
/// name. Otherwise empty, so that no "did you mean" is asked.
std::string likely_name(std::string_view given, std::span<const std::string> known);

}  // namespace hearsay
