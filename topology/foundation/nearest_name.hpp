#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hearsay {

/// The name the user probably meant: the member of `known` with the fewest edits from `given` (insert,
/// delete, replace a letter, or swap two adjacent ones; case does not count; a beginning of a name is one
/// edit away from it), the first of them on a tie. Empty only if `known` is. For errors: "unknown key
/// 'bandwith' (nearest: 'bandwidth')".
std::string nearest_name(std::string_view given, std::span<const std::string> known);

/// The same if it is likely: at most one edit for every two letters. Otherwise empty, for "did you mean"
/// would be a jest.
std::string likely_name(std::string_view given, std::span<const std::string> known);

}  // namespace hearsay
