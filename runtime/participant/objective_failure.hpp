#pragma once

#include <exception>
#include <optional>
#include <string>

#include "algorithms/objectives/stop_asked.hpp"

namespace hearsay {

/// What an objective has thrown.
struct ObjectiveFailure {
  std::string what;
  bool asks_to_stop = false;  ///< it wants the run to end, as Ctrl-C does
};

/// Calls an objective. Returns what it has thrown, if anything.
template <class Call>
std::optional<ObjectiveFailure> failure_of(const Call& call) {
  try {
    call();
  } catch (const StopAsked& stop) {
    return ObjectiveFailure{stop.what(), true};
  } catch (const std::exception& thrown) {
    return ObjectiveFailure{thrown.what()};
  }
  return std::nullopt;
}

}  // namespace hearsay
