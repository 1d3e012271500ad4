#pragma once

#include <span>
#include <string>
#include <string_view>

namespace hearsay {

/// The name the user probably meant: the member of `known` with the fewest edits from `given` (insert,
/// delete, replace a letter, or swap two adjacent ones; case does not count), the first of them on a tie.
/// Empty only where `known` is. For errors: "unknown key 'bandwith' (nearest: 'bandwidth')".
std::string nearest_name(std::string_view given, std::span<const std::string> known);

}  // namespace hearsay
