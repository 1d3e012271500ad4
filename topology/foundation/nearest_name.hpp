#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns the member of `known` with the fewest edits from `given`; on a tie, the first of them. An edit
/// inserts, deletes or replaces a letter, or swaps two adjacent ones. Case does not count. A name of which
/// `given` is only the beginning is one edit away. Empty only if `known` is empty. For errors: "unknown key
/// 'bandwith' (nearest: 'bandwidth')".
std::string nearest_name(std::string_view given, std::span<const std::string> known);

/// Returns nearest_name if the user probably meant it: at most one edit for every `letters_per_edit` letters
/// of the longer name. Otherwise empty, so that no "did you mean" is asked.
std::string likely_name(std::string_view given, std::span<const std::string> known,
                        std::size_t letters_per_edit = 2);

/// Returns the end of a sentence that refuses an unknown name: ", did you mean ring?" if a known name is
/// likely, else "; expected one of ring, path, star". `quote` stands before and after each name.
std::string did_you_mean(std::string_view given, std::span<const std::string> known,
                         std::string_view quote = "");

}  // namespace hearsay
