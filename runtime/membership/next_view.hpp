#pragma once

#include <cstddef>
#include <map>
#include <optional>

#include "runtime/membership/agreement_words.hpp"

namespace hearsay::membership {

/// Returns what is to follow `view`, by what the members have said that answered: who stays, who comes, and
/// in which iterations the old members count. Members that have not answered are out. If two that answered
/// hear nothing from each other, one of them is out: first the member with the most such pairs, of equals
/// one without the state of the run, then the one with the greatest id. At most as many join as stay, those
/// with the least ids: so the loss of all that join leaves a majority. Empty if fewer than `least` members
/// would be left, or none that has the state.
///
/// Iteration t + 1 takes a part of every member, which has completed iteration t: so members are at most one
/// iteration apart. The lost count in what all that stay have completed. Who is one iteration further takes
/// it back, and all form it anew, without the lost.
std::optional<Decision> next_view(const View& view, const std::map<PeerId, Standing>& answers,
                                  std::size_t least);

}  // namespace hearsay::membership
