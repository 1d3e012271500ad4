#pragma once

#include <nlohmann/json.hpp>
#include <optional>

namespace hearsay {

/// Returns the value, or null where there is none.
template <class Value>
nlohmann::ordered_json or_null(const std::optional<Value>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

}  // namespace hearsay
