#pragma once

#include <cstdint>
#include <optional>

namespace hearsay {

// A number that may be missing travels as the number plus one; 0 means that there is none.

constexpr std::uint64_t encode_optional(std::optional<std::uint64_t> number) {
  return number ? *number + 1 : 0;
}
constexpr std::optional<std::uint64_t> decode_optional(std::uint64_t said) {
  return said == 0 ? std::nullopt : std::optional(said - 1);
}

}  // namespace hearsay
