#include "runtime/membership/view.hpp"

#include <algorithm>

namespace hearsay {

bool View::has(const Member& member) const { return std::ranges::binary_search(members, member); }

bool View::has(PeerId id) const { return std::ranges::binary_search(members, id, {}, &Member::id); }

bool is_majority(const View& view, const std::vector<PeerId>& ids) {
  std::size_t half_weights = 0;
  for (const Member& member : view.members)
    if (std::ranges::find(ids, member.id) != ids.end()) half_weights += member.id == view.casts ? 3 : 2;
  return 2 * half_weights > 2 * view.members.size() + 1;
}

bool can_decide(const View& view, const std::vector<PeerId>& ids, const std::vector<PeerId>& gone) {
  const auto is_among = [](PeerId id, const std::vector<PeerId>& some) {
    return std::ranges::find(some, id) != some.end();
  };
  return is_majority(view, ids) || std::ranges::all_of(view.members, [&](const Member& member) {
           return is_among(member.id, ids) || is_among(member.id, gone);
         });
}

}  // namespace hearsay
