#pragma once

#include <string>

namespace hearsay {

/// True if `left` comes before `right` in natural order: letter by letter, but runs of digits by their value.
/// If the names differ in leading zeros only, they are compared as text.
bool naturally_before(const std::string& left, const std::string& right);

}  // namespace hearsay
