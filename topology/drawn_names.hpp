#pragma once

#include <string>
#include <vector>

#include "topology/drawn_graph.hpp"

namespace hearsay {

/// Returns the text with every run of white space replaced by one space, and none at its ends: line breaks
/// have no meaning in graph files.
std::string in_one_line(const std::string& text);

/// Returns a name for each peer: its label, else its id, in one line of UTF-8. A label that several peers
/// have gets their ids: "Chicago (n3)". Brackets around numbers become parentheses, since in a TOML topology
/// file "rack[1-3]" stands for three names.
std::vector<std::string> names_of_drawn(const std::vector<DrawnPeer>& peers);

}  // namespace hearsay
