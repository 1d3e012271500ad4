#include "runtime/participant/views.hpp"

#include <algorithm>
#include <utility>

#include "runtime/membership/letter_bytes.hpp"
#include "runtime/session/edge_request.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

using namespace membership;

namespace {

/// How often words without an answer are said again.
constexpr Duration repeat = std::chrono::milliseconds(200);

/// Views that follow each other are few: more messages of later ones than this are of no member.
constexpr std::size_t early_messages_limit = 4096;

}  // namespace

template <class Scalar>
Views<Scalar>::Views(Part<Scalar>& part) : part_(part) {
  part_.peer->keep_states();
}

template <class Scalar>
void Views<Scalar>::begin() {
  PeerSession& session = part_.session;
  for (PeerId id = 0; id < part_.experiment().peer_count(); ++id)
    view_.members.push_back(
        {id, id == self() ? session.input().incarnation : session.members().incarnation_of(id).value_or(0)});
  agreement_.emplace(Member{self(), session.input().incarnation},
                     ViewAgreement::Terms{.patience = part_.failure().lost_after, .repeat = repeat},
                     ViewAgreement::Record{{view_}});
}

template <class Scalar>
std::vector<PeerId> Views<Scalar>::ids() const {
  std::vector<PeerId> ids;
  for (const Member& member : view_.members) ids.push_back(member.id);
  return ids;
}

// What this member knows, and says.

template <class Scalar>
std::uint64_t Views<Scalar>::completed() const {
  return decided_ ? decided_->cut.completed : part_.peer->iteration();
}

template <class Scalar>
Standing Views<Scalar>::standing() const {
  return {.completed = completed(), .suspects = suspects_};
}

template <class Scalar>
void Views<Scalar>::note_suspects() {
  suspects_.clear();
  if (gone_.empty() && silent_.empty()) return;
  for (const Member& member : agreement_->view().members)
    if (gone_.contains(member.id) || silent_.contains(member.id)) suspects_.push_back(member.id);
}

template <class Scalar>
std::vector<PeerId> Views<Scalar>::gone() const {
  std::vector<PeerId> ids;
  for (const auto& [id, how] : gone_) ids.push_back(id);
  return ids;
}

template <class Scalar>
void Views<Scalar>::look() {
  if (!agreement_ || part_.end) return;
  hear_letters();
  judge_silences();
  stand();
  agreement_->tick(part_.now);
  carry_out();
  give_up_if_alone();
}

template <class Scalar>
Instant Views<Scalar>::look_again() const {
  if (!agreement_) return Instant::max();
  const bool is_agreeing = agreement_->is_frozen() || agreement_->is_out() || !suspects_.empty();
  return std::min(is_agreeing ? part_.now + repeat / 4 : Instant::max(), part_.detector.look_again());
}

/// A member that waits for itself, or for work of its own, listens all the same.
template <class Scalar>
void Views<Scalar>::judge_silences() {
  if (part_.now < check_again_) return;
  check_again_ = part_.judges_again_at();
  std::vector<PeerId> others;
  for (const Member& member : agreement_->view().members)
    if (member.id != self() && !gone_.contains(member.id)) others.push_back(member.id);
  silent_.clear();
  for (const SilenceWatch::Lost& lost : part_.judge_silence_of(others).lost)
    silent_.emplace(lost.id, lost.how);
  note_suspects();
}

template <class Scalar>
void Views<Scalar>::hear(const PeerDeparted& departed) {
  // Who takes this member for gone may know a later view, and says so when it hears of this one.
  if (departed.takes_this_for_gone) return;
  gone_.try_emplace(departed.id, departed.how);
  if (agreement_) note_suspects();
}

template <class Scalar>
void Views<Scalar>::hear_letters() {
  for (const LetterArrived& arrived : std::exchange(part_.session.members().letters(), {})) {
    const auto letter = decode_letter(arrived.bytes);
    if (!letter) continue;
    if (silent_.erase(arrived.from) != 0) note_suspects();
    stand();
    agreement_->hear(part_.now, {arrived.from, arrived.incarnation}, *letter);
    carry_out();
  }
}

template <class Scalar>
void Views<Scalar>::carry_out() {
  // A member that is started anew is another one, so nothing has to be on disk before it is said.
  ViewAgreement::Effects effects = std::exchange(agreement_->effects(), {});
  for (const ViewAgreement::Addressed& addressed : effects.letters)
    if (addressed.to.id != self() && addressed.to.id < part_.experiment().peer_count())
      part_.session.members().say(addressed.to.id, SharedBytes(encode(addressed.letter)));
  for (Decision& decision : effects.decided) decided_ = std::move(decision);
  note_suspects();
}

/// The members of which this one hears are no majority, or none of them answers: the run goes on elsewhere,
/// or nowhere.
template <class Scalar>
void Views<Scalar>::give_up_if_alone() {
  const bool waits = !decided_ && (agreement_->is_frozen() || !suspects_.empty());
  if (!waits) return waits_since_.reset();
  if (!waits_since_) waits_since_ = part_.now;
  const Duration patience =
      std::max<Duration>(part_.session.input().start_patience, 10 * part_.failure().lost_after);
  if (part_.now - *waits_since_ < patience || !part_.begin_to_leave_alone()) return;
  part_.tell_observer_that_it_leaves("it hears no majority of the members");
  part_.end_with({3, "it hears " + living() + ", which is no majority of the " +
                         std::to_string(view_.members.size()) + " members" + part_.in_iteration()});
}

template <class Scalar>
std::string Views<Scalar>::living() const {
  std::string list;
  for (const Member& member : view_.members)
    if (member.id != self() && !gone_.contains(member.id) && !silent_.contains(member.id))
      list += (list.empty() ? "peer " : ", peer ") + std::to_string(member.id);
  return list.empty() ? "no other peer" : list;
}

// The next view.

template <class Scalar>
std::vector<DataArrived> Views<Scalar>::go_on() {
  if (!decided_ || part_.end) return {};
  if (agreement_->is_out() && !agreement_->may_go(part_.now)) return {};
  const Decision decision = *std::exchange(decided_, std::nullopt);
  if (agreement_->is_out()) {
    leave();
    return {};
  }
  std::vector<PeerId> lost;
  for (const Member& member : view_.members)
    if (!decision.next.has(member)) lost.push_back(member.id);
  view_ = decision.next;
  const std::uint64_t completed = decision.cut.completed;
  let_go(lost, completed);
  note_suspects();
  if (part_.phase == Phase::trains) {
    auto next = make_member_peer(part_.experiment(), ids(), self(), part_.input.packets);
    next->succeed(*part_.peer, completed);
    part_.replace_peer(std::move(next));
    part_.announced_from = completed + 1;
  }
  announced_ = number_of(completed + 1);
  have_completed_ = 0;
  part_.session.members().need_from(announced_, number_of(0));
  if (part_.phase != Phase::trains) return {};
  part_.peer->start();
  return std::exchange(early_, {});
}

/// The others have agreed that this member is none any more.
template <class Scalar>
void Views<Scalar>::leave() {
  if (!part_.begin_to_leave_alone()) return;
  part_.tell_observer_that_it_leaves("the others have gone on without it");
  part_.end_with({3, "the others have gone on without it, since they had not heard it for too long" +
                         part_.in_iteration()});
}

template <class Scalar>
void Views<Scalar>::let_go(const std::vector<PeerId>& lost, std::uint64_t completed) {
  for (const PeerId id : lost) {
    std::string why = "others had not heard it for too long";
    if (const auto silent = silent_.find(id); silent != silent_.end()) why = silent->second;
    if (const auto gone = gone_.find(id); gone != gone_.end()) why = gone->second;
    part_.tell_user(News::parts, id,
                    part_.self() + " goes on without peer " + std::to_string(id) + " (iteration " +
                        std::to_string(completed + 1) + "): " + why);
    part_.session.send_edge_request({.what = EdgeRequest::What::part, .neighbor = id});
    silent_.erase(id);
  }
}

// Messages.

template <class Scalar>
void Views<Scalar>::address(Outgoing& message) const {
  message.to = view_.members.at(message.to).id;
  message.key.iteration = number_of(message.key.iteration);
  message.key.sender = self();
  message.metadata.degree = view_.number;
}

template <class Scalar>
bool Views<Scalar>::take(DataArrived& data) {
  const std::uint32_t view = data.metadata.degree;
  if (view > view_.number) {
    if (early_.size() < early_messages_limit) early_.push_back(std::move(data));
    return false;
  }
  if (stands_still()) return false;
  const auto sender = std::ranges::find(view_.members, data.key.sender, &Member::id);
  if (sender == view_.members.end()) return false;
  data.key.sender = static_cast<PeerId>(sender - view_.members.begin());
  // Of an earlier view: the peer counts it as late.
  data.key.iteration =
      view < view_.number ? 0 : data.key.iteration - std::min(data.key.iteration, number_of(0));
  data.metadata.degree = 0;
  return true;
}

template <class Scalar>
bool Views<Scalar>::all_have_completed() {
  const std::uint64_t needed = number_of(part_.peer->iteration() + 1);
  if (announced_ < needed) {
    announced_ = needed;
    part_.session.members().need_from(needed, number_of(0));
    have_completed_ = 0;
  }
  for (; have_completed_ < view_.members.size(); ++have_completed_) {
    const PeerId id = view_.members[have_completed_].id;
    if (id != self() && !part_.session.members().needs_only_from(id, needed)) return false;
  }
  return true;
}

template class Views<float>;
template class Views<double>;

}  // namespace hearsay
