#pragma once

#include <string>

#include "topology/foundation/misuse.hpp"

namespace hearsay {

/// Returns the message of the Misuse that `action` throws; empty if it throws none.
template <class Action>
std::string misuse_text(Action action) {
  try {
    action();
  } catch (const Misuse& misuse) {
    return misuse.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace hearsay
