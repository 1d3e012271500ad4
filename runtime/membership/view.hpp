#pragma once

#include <compare>
#include <cstdint>
#include <vector>

#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A process that takes part in a run. A peer that is started anew without its record is another member.
struct Member {
  PeerId id = 0;
  std::uint32_t incarnation = 0;
  auto operator<=>(const Member&) const = default;
};

/// The members of a run, as all of them know them. View 0 is that of the run file. Graph, weights, rings and
/// the number of peers are functions of the view.
struct View {
  std::uint32_t number = 0;
  std::vector<Member> members = {};  ///< ascending ids, each once
  PeerId casts = 0;                  ///< the member with the casting vote
  bool operator==(const View&) const = default;

  bool has(const Member& member) const;
  bool has(PeerId id) const;
};

/// True if `ids` are a majority of the view. A member has weight 1, the one with the casting vote 1.5: so of
/// two halves one is a majority. Any two majorities have a member in common. Ids that the view does not have
/// count nothing.
bool is_majority(const View& view, const std::vector<PeerId>& ids);

/// True if `ids` are a majority of the view, or all its members but those that are `gone`: these will never
/// say anything again. If one such set has decided, and some member that lives knows it or was of that set,
/// every other such set has a member that does: it is a majority, too, or has all that live. This holds if
/// nobody joins: a decision may be known to one that it admits, which is in no set of this view.
bool can_decide(const View& view, const std::vector<PeerId>& ids, const std::vector<PeerId>& gone);

}  // namespace hearsay
