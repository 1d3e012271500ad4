#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "runtime/membership/agreement_words.hpp"
#include "runtime/membership/view.hpp"

namespace hearsay {

/// One member's part in the agreement on the next view: for each view one decision, by Paxos among its
/// members. If nobody wishes another view, nothing is said.
///
///   freeze    b = (round, proposer). Who has promised no later ballot stops, promises b, and hands in where
///             it stands, and what it has accepted last.
///   propose   with the promises of a majority: the accepted decision of the latest ballot, if there is any,
///             else `next_view` of those that answered. Who has promised no later ballot accepts it.
///   decided   once a majority has accepted.
///
/// Two majorities share a member, so no two members decide differently, whatever is lost, doubled, delayed,
/// and whoever crashes, if records are on disk before anything is said. The first member that nobody suspects
/// proposes; if nothing is heard of it for `patience`, the next one, with a later ballot. A majority that can
/// hear each other decides if words travel within a fraction of `patience`.
///
/// Pure: time and words are handed in. After every call the driver carries out `effects()`, in the order of
/// its fields.
///
/// Source     single-decree Paxos: Lamport 2001, "Paxos Made Simple", section 2.
class ViewAgreement {
 public:
  struct Terms {
    Duration patience;      ///< a proposer with a majority waits so long for the answers of others
    Duration repeat;        ///< words without an answer are said again
    std::size_t least = 1;  ///< a view has at least so many members
  };
  /// What a member keeps on disk.
  struct Record {
    membership::Decision last;  ///< its view is the present one
    membership::Ballot promised = {};
    std::optional<membership::Accepted> accepted = {};
  };
  struct Addressed {
    Member to;
    membership::Letter letter;
  };
  struct Effects {
    bool keep = false;                          ///< `record()` changed: it is to be on disk first
    std::vector<Addressed> letters = {};        ///< to be sent
    std::vector<membership::Decision> decided;  ///< to be carried out
  };

  /// `self` is a member of the view in `record`, a record that was kept, or a decision that was heard.
  ViewAgreement(const Member& self, const Terms& terms, Record record);

  /// What this member would hand in. Call it before `hear` and `tick` if it changed. While the member is
  /// frozen, `completed` stays.
  /// `gone`: members of which it is known that they will never say anything again.
  void stand(membership::Standing standing, std::vector<PeerId> gone = {}) {
    standing_ = std::move(standing);
    gone_ = std::move(gone);
  }
  /// Call this several times in `repeat`.
  void tick(Instant now);
  void hear(Instant now, const Member& from, const membership::Letter& letter);
  /// A message of the run has come that was sent in view `number`: of another view than this one, one of the
  /// two has missed a decision.
  void hear_of_view(const Member& from, std::uint32_t number);

  Effects& effects() { return effects_; }
  const Record& record() const { return record_; }
  const View& view() const { return record_.last.next; }
  /// True if the member may complete no iteration in its view.
  bool is_frozen() const { return phase_ == Phase::frozen; }
  /// True if this member is in the present view no more.
  bool is_out() const { return phase_ == Phase::out; }
  /// True if the others know of the last decision, or had the time to: this member, which is out, may go.
  bool may_go(Instant now) const {
    return is_out() && (untold_.empty() || now >= decided_at_ + 2 * terms_.patience);
  }

 private:
  enum class Phase { open, frozen, out };
  struct Proposal {
    membership::Ballot ballot;
    Instant begun;
    std::map<PeerId, membership::Promise> promises = {};
    std::optional<membership::Decision> decision = {};  // once it is proposed
    std::vector<PeerId> accepted_by = {};
  };

  void hear_in_view(Instant now, const Member& from, const membership::Wish& wish);
  void hear_in_view(Instant now, const Member& from, const membership::Freeze& freeze);
  void hear_in_view(Instant now, const Member& from, const membership::Promise& promise);
  void hear_in_view(Instant now, const Member& from, const membership::Propose& propose);
  void hear_in_view(Instant now, const Member& from, const membership::Accept& accept);
  void hear_in_view(Instant now, const Member& from, const membership::Refusal& refusal);
  void hear_in_view(Instant now, const Member& from, const membership::Decided& decided);
  void hear_in_view(Instant now, const Member& from, const membership::Noted& noted);

  bool wishes_another_view(Instant now) const;
  bool suspects(PeerId id) const;
  /// The members before this one that it does not suspect; they propose first.
  std::size_t rank() const;
  Duration patience_with_others() const { return (rank() + 1) * terms_.patience; }
  bool promise(Instant now, const Member& from, const membership::Ballot& ballot);
  void begin_ballot(Instant now);
  void go_on(Instant now);
  bool has_answers(Instant now) const;
  void propose();
  void adopt(Instant now, const membership::Decision& decision);
  void repeat_words(Instant now);
  template <class Word>
  void say(const Member& to, Word word) {
    effects_.letters.push_back({to, {view().number, std::move(word)}});
  }
  void say_decided(const Member& to);

  Member self_;
  Terms terms_;
  Record record_;
  Phase phase_ = Phase::open;
  membership::Standing standing_;
  std::vector<PeerId> gone_;
  bool heard_wish_ = false;
  std::uint32_t latest_round_ = 0;  // of the ballots that this member knows
  std::optional<Proposal> proposal_;
  std::optional<Instant> takes_over_at_;  // if nothing is heard of a proposer until then
  Instant said_at_{};                     // when words were last repeated
  Instant decided_at_{};                  // when this member learned of the last decision
  std::set<Member> untold_;               // of the last decision, which this member has brought about
  Effects effects_;
};

}  // namespace hearsay
