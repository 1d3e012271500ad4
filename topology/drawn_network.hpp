#pragma once

#include <string>

#include "topology/drawn_graph.hpp"

namespace hearsay {

/// Returns the bandwidth that the speed of a link is: "10000000000 bit/s"; empty if it has none. Misuse, with
/// `place` in front, if the speed is no number.
std::string bandwidth_of_speed(const DrawnLink& link, const std::string& place);

/// Gives the links of the graph that have no latency that of a fibre between the places of their ends;
/// notices say which have none. Misuse, with `format` in front, if no link has a network, and for a place
/// that is not on the Earth. `peers` are those of the graph.
void add_network(AnnotatedGraph& graph, const std::vector<DrawnPeer>& peers, const std::string& format);

}  // namespace hearsay
