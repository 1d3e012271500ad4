#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/membership/view_agreement.hpp"
#include "runtime/participant/part.hpp"
#include "runtime/peer/outgoing.hpp"
#include "runtime/session/events.hpp"

namespace hearsay {

/// Policy "drop" with a method of which every iteration takes a part of each peer (members_agree): who the
/// members of the run are, as all of them have agreed, and what follows for this one.
///
/// Who is silent for too long, or is known to have ended, is suspected. While the members agree on the next
/// view, none of them completes an iteration. In the next view each goes on from where all that stay had
/// been, with a new peer whose method knows the members as 0, 1, ... in the order of their ids.
///
/// Between members, iteration t of view v has the number t + 2 v. A member may have been one iteration
/// further in view v than where view v + 1 begins. So no number of a view occurs in a later one, and what a
/// member needs no more stays so.
///
/// An evaluation is told once all members are known to have completed its iteration. So nothing that the
/// observer was told is ever taken back.
template <class Scalar>
class Views {
 public:
  /// `part` must outlive this object.
  explicit Views(Part<Scalar>& part);

  /// The run begins, with all peers of the run file.
  void begin();
  /// Hears what other members say, and what is suspected; says what follows. Call it often.
  void look();
  void hear(const PeerDeparted& departed);
  Instant look_again() const;

  /// The peer is to do nothing that completes its iteration.
  bool stands_still() const { return decided_ || (agreement_ && agreement_->is_frozen()); }
  /// Goes on in the view that was decided, if there is one. Work that uses the peer must not be under way.
  /// Returns messages for the new view that came too early.
  std::vector<DataArrived> go_on();

  /// Readies a message of the peer for the session.
  void address(Outgoing& message) const;
  /// Readies a message of another member for the peer. False if it is for a later view, or the peer stands
  /// still: then it is not delivered.
  bool take(DataArrived& data);
  /// Tells all members that this one has completed the iteration which is to be evaluated, unless they were
  /// told. True if all have.
  bool all_have_completed();
  /// The number that an iteration has between members.
  std::uint64_t number_of(std::uint64_t iteration) const { return iteration + 2 * view_.number; }

 private:
  void judge_silences();
  void hear_letters();
  void carry_out();
  void stand() { agreement_->stand(standing(), gone()); }
  membership::Standing standing() const;
  void note_suspects();
  std::vector<PeerId> gone() const;
  PeerId self() const { return part_.id(); }
  std::uint64_t completed() const;
  std::vector<PeerId> ids() const;
  void leave();
  void let_go(const std::vector<PeerId>& lost, std::uint64_t completed);
  void give_up_if_alone();
  std::string living() const;

  using News = PeerNews::Kind;
  using Phase = typename Part<Scalar>::Phase;

  Part<Scalar>& part_;
  std::optional<ViewAgreement> agreement_;       // once the run has begun
  View view_;                                    // that in which the peer is
  std::optional<membership::Decision> decided_;  // the next one, which the peer is not in yet
  std::map<PeerId, std::string> gone_;           // members that are known to have ended, and how
  std::map<PeerId, std::string> silent_;         // members that are silent for too long, and for how long
  std::vector<PeerId> suspects_;                 // the members among those, ascending
  std::vector<DataArrived> early_;               // messages of later views
  std::uint64_t announced_ = 0;         // the number from which on messages are needed, as told to all
  std::size_t have_completed_ = 0;      // so many members, the first ones, are known to need no more
  Instant check_again_{};               // silences
  std::optional<Instant> waits_since_;  // for the next view
};

}  // namespace hearsay
