#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// A folder of topology/, algorithms/, runtime/ or tools/ with one idea.
struct Room {
  std::string folder;
  /// Other rooms whose headers it may include. Those of runtime/ and tools/ may include all of topology/ and
  /// algorithms/ besides, those of tools/ all of runtime/.
  std::vector<std::string> may_know;
};

/// From the ground floor up: a room stands after every room that it may know.
std::span<const Room> rooms();

/// Sources of a room include what `rooms` allows, bench and tests what their layer allows, and all of them
/// from the root.
Violations includes_follow_the_rooms(const SourceTree& tree);

/// Every folder with sources in it is a room, and its README says what it is for.
Violations every_room_has_a_readme(const SourceTree& tree);

}  // namespace hearsay
