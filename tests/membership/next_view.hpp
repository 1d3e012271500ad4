#pragma once

#include <map>
#include <optional>

#include "tests/membership/agreement_words.hpp"

namespace hearsay::membership {

/// Returns what is to follow `view`, by what the members have said that answered: who stays, who comes, and
/// which sums the old members count in. Members that have not answered are out. If two that answered hear
/// nothing from each other, one of them is out: first the member with the most such pairs, of equals one
/// without the state of the run, then the one with the greatest id. At most as many join as stay, those with
/// the least ids: so the loss of all that join leaves a majority. Empty if fewer than `least` members would
/// be left, or none that has the state.
///
/// The sums that all members form together are numbered. Sum s + 1 takes a part of every member, which has
/// completed sum s: so members are at most one sum apart. If some of those that stay have completed one, the
/// others get it from there, and the lost count in it. The next one they form anew, without the lost.
std::optional<Decision> next_view(const View& view, const std::map<PeerId, Standing>& answers,
                                  std::size_t least);

}  // namespace hearsay::membership
