#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "runtime/membership/view.hpp"

// What members say to each other about the next view (view_agreement.hpp).

namespace hearsay::membership {

/// An attempt to have a decision. Later rounds count more; in one round, greater ids.
struct Ballot {
  std::uint32_t round = 0;
  PeerId proposer = 0;
  auto operator<=>(const Ballot&) const = default;
};

/// Where the next view begins in what all members compute together, an iteration after the other.
struct Cut {
  std::uint64_t completed = 0;  ///< the last iteration in which the members of the old view count
  PeerId giver = 0;             ///< stays, and has the state of the run, for who is new
  bool operator==(const Cut&) const = default;
};

struct Decision {
  View next;
  Cut cut = {};
  bool operator==(const Decision&) const = default;
};

struct Accepted {
  Ballot ballot;
  Decision decision;
  bool operator==(const Accepted&) const = default;
};

/// Whether a member goes on to the next view.
enum class Presence : std::uint8_t {
  stays,
  catches_up,  ///< it is new, and has no state yet: it gets all it needs from the giver
  leaves,      ///< it wants to go; it has the state of the run, and stays if nobody else has
  has_lost,    ///< it was started anew, without the state that it had: it votes, and is out
};

/// What a member knows when it stops for an agreement.
struct Standing {
  Presence presence = Presence::stays;
  std::uint64_t completed = 0;        ///< the last iteration that it has completed
  std::vector<PeerId> suspects = {};  ///< members from which it hears nothing
  std::vector<Member> joiners = {};   ///< processes that are ready to become members
  bool operator==(const Standing&) const = default;
};

/// The sender wishes another view, or has heard of a newer one.
struct Wish {
  bool operator==(const Wish&) const = default;
};
/// Asks the receiver to complete no further iteration in this view, and to promise that it takes part in no
/// earlier ballot.
struct Freeze {
  Ballot ballot;
  bool operator==(const Freeze&) const = default;
};
/// Answers Freeze.
struct Promise {
  Ballot ballot;
  Standing standing;
  std::optional<Accepted> accepted = {};  ///< what the sender has accepted last
  bool operator==(const Promise&) const = default;
};
struct Propose {
  Ballot ballot;
  Decision decision;
  bool operator==(const Propose&) const = default;
};
/// Answers Propose.
struct Accept {
  Ballot ballot;
  bool operator==(const Accept&) const = default;
};
/// Answers Freeze or Propose: the sender has promised a later ballot.
struct Refusal {
  Ballot promised;
  bool operator==(const Refusal&) const = default;
};
/// A majority has accepted it.
struct Decided {
  Decision decision;
  bool operator==(const Decided&) const = default;
};
/// Answers Decided.
struct Noted {
  bool operator==(const Noted&) const = default;
};

/// A word about what is to follow view number `view`; of Noted, about that view itself.
struct Letter {
  std::uint32_t view = 0;
  std::variant<Wish, Freeze, Promise, Propose, Accept, Refusal, Decided, Noted> word = {};
  bool operator==(const Letter&) const = default;
};

}  // namespace hearsay::membership
