#pragma once

#include <string>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A link that is measured, in one direction.
struct SurveyedLink {
  PeerId from;
  PeerId to;
  bool operator==(const SurveyedLink&) const = default;
};

/// The links that are measured at the same time. No two of them have a host in common, so no two share a
/// port.
using SurveyStep = std::vector<SurveyedLink>;

/// Returns the steps in which all links between the peers are measured, each direction of a pair in a step of
/// its own. `hosts` names the host of each peer. Pairs of hosts meet as in a tournament: n hosts with one
/// peer each need n - 1 rounds of two steps, n if n is odd. Where hosts have several peers, their pairs take
/// turns.
std::vector<SurveyStep> survey_steps(const std::vector<std::string>& hosts);

}  // namespace hearsay
