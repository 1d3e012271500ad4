#include "runtime/membership/next_view.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "topology/foundation/ensure.hpp"

namespace hearsay::membership {

namespace {

using Pairs = std::set<std::pair<PeerId, PeerId>>;

/// The pairs of members that answered of which one hears nothing from the other.
Pairs deaf_pairs(const std::map<PeerId, Standing>& answers) {
  Pairs pairs;
  for (const auto& [id, standing] : answers)
    for (const PeerId suspect : standing.suspects)
      if (answers.contains(suspect) && suspect != id) pairs.insert(std::minmax(id, suspect));
  return pairs;
}

/// Removes members until no pair is left: first who is in the most pairs, then who has not got the state of
/// the run, then the greatest id.
void part_deaf_pairs(Pairs pairs, const std::map<PeerId, Standing>& answers, std::set<PeerId>& staying) {
  while (!pairs.empty()) {
    std::map<PeerId, std::size_t> counts;
    for (const auto& [a, b] : pairs) {
      ++counts[a];
      ++counts[b];
    }
    const auto badness = [&](const auto& count) {
      const bool is_new = answers.at(count.first).presence == Presence::catches_up;
      return std::tuple(count.second, is_new, count.first);
    };
    const PeerId leaves = std::ranges::max_element(counts, {}, badness)->first;
    staying.erase(leaves);
    std::erase_if(pairs, [&](const auto& pair) { return pair.first == leaves || pair.second == leaves; });
  }
}

bool has_state(const Standing& standing) {
  return standing.presence == Presence::stays || standing.presence == Presence::leaves;
}

/// Of those that go on. One of them has the state of the run.
Cut cut_of(const std::map<PeerId, Standing>& answers, const std::set<PeerId>& staying) {
  std::optional<Cut> cut;
  for (const PeerId id : staying) {
    const Standing& standing = answers.at(id);
    if (!has_state(standing)) continue;
    if (!cut) cut = Cut{standing.completed, id};
    cut->completed = std::min(cut->completed, standing.completed);
  }
  return *cut;
}

/// Those that answered and go on. Who wants to go stays if nobody else has the state of the run.
std::set<PeerId> staying_of(const std::map<PeerId, Standing>& answers) {
  const bool others_have_state = std::ranges::any_of(
      answers, [](const auto& answer) { return answer.second.presence == Presence::stays; });
  std::set<PeerId> staying;
  for (const auto& [id, standing] : answers)
    if (standing.presence != Presence::has_lost &&
        (standing.presence != Presence::leaves || !others_have_state))
      staying.insert(id);
  return staying;
}

/// Adds at most as many as there are members: those that were there are a majority without them.
void add_joiners(const View& view, const std::map<PeerId, Standing>& answers,
                 std::map<PeerId, Member>& members) {
  std::map<PeerId, Member> joiners;
  for (const auto& [id, standing] : answers)
    for (const Member& joiner : standing.joiners) {
      // A member that has not answered may be in the middle of a sum: it is no joiner.
      if (view.has(joiner) || members.contains(joiner.id)) continue;
      Member& known = joiners.try_emplace(joiner.id, joiner).first->second;
      known = std::max(known, joiner);
    }
  const std::size_t most = 2 * members.size();
  for (const auto& [id, joiner] : joiners)
    if (members.size() < most) members.emplace(id, joiner);
}

}  // namespace

std::optional<Decision> next_view(const View& view, const std::map<PeerId, Standing>& answers,
                                  std::size_t least) {
  std::set<PeerId> staying = staying_of(answers);
  Pairs pairs = deaf_pairs(answers);
  std::erase_if(pairs, [&](const auto& pair) {
    return !staying.contains(pair.first) || !staying.contains(pair.second);
  });
  part_deaf_pairs(std::move(pairs), answers, staying);
  if (std::ranges::none_of(staying, [&](PeerId id) { return has_state(answers.at(id)); }))
    return std::nullopt;

  std::map<PeerId, Member> members;
  for (const Member& member : view.members)
    if (staying.contains(member.id)) members.emplace(member.id, member);
  add_joiners(view, answers, members);
  if (members.size() < least) return std::nullopt;

  const Cut cut = cut_of(answers, staying);
  Decision decision{{view.number + 1, {}, cut.giver}, cut};
  for (const auto& [id, member] : members) decision.next.members.push_back(member);
  return decision;
}

}  // namespace hearsay::membership
