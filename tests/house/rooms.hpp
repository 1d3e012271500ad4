#pragma once

#include <span>
#include <string>
#include <vector>

#include "tests/house/house_rules.hpp"

namespace hearsay {

/// A folder of topology/, algorithms/, runtime/ or tools/ with one idea.
struct Room {
  std::string folder;
  /// Other rooms whose headers it may include. Besides, rooms of runtime/ and tools/ may include all of
  /// topology/ and algorithms/, and rooms of tools/ all of runtime/.
  std::vector<std::string> may_know;
};

/// Returns all rooms from the ground floor up: each room stands after all rooms that it may know.
std::span<const Room> rooms();

/// Checks every include: sources of a room include what `rooms` allows, bench and tests what their layer
/// allows, and all paths start at the root.
Violations includes_follow_the_rooms(const SourceTree& tree);

/// Checks that every folder with sources is a room, and has a README.
Violations every_room_has_a_readme(const SourceTree& tree);

}  // namespace hearsay
