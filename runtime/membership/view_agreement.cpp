#include "runtime/membership/view_agreement.hpp"

#include <algorithm>
#include <utility>

#include "runtime/membership/next_view.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

using namespace membership;

ViewAgreement::ViewAgreement(const Member& self, const Terms& terms, Record record)
    : self_(self), terms_(terms), record_(std::move(record)) {
  ensure(view().has(self_), "who agrees on the next view is a member of this one");
  latest_round_ = record_.promised.round;
  // What it has promised before it was started anew, it has promised frozen.
  if (latest_round_ > 0) phase_ = Phase::frozen;
}

bool ViewAgreement::wishes_another_view(Instant now) const {
  if (phase_ == Phase::out) return false;
  if (heard_wish_) return true;
  const auto is_member = [&](PeerId suspect) { return view().has(suspect); };
  if (std::ranges::any_of(standing_.suspects, is_member)) return true;
  // Who wants to come or to go lets a new view get somewhere first.
  if (view().number > 0 && now < decided_at_ + terms_.patience) return false;
  const auto is_new = [&](const Member& joiner) { return !view().has(joiner); };
  return standing_.presence == Presence::leaves || standing_.presence == Presence::has_lost ||
         std::ranges::any_of(standing_.joiners, is_new);
}

bool ViewAgreement::suspects(PeerId id) const {
  return std::ranges::find(standing_.suspects, id) != standing_.suspects.end();
}

std::size_t ViewAgreement::rank() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      view().members, [&](const Member& member) { return member.id < self_.id && !suspects(member.id); }));
}

void ViewAgreement::tick(Instant now) {
  if (proposal_) {
    go_on(now);
  } else if (phase_ != Phase::frozen && !wishes_another_view(now)) {
    takes_over_at_.reset();
  } else {
    if (!takes_over_at_) takes_over_at_ = now + rank() * terms_.patience;
    if (now >= *takes_over_at_) begin_ballot(now);
  }
  if (now - said_at_ >= terms_.repeat) repeat_words(now);
}

void ViewAgreement::repeat_words(Instant now) {
  said_at_ = now;
  for (const Member& member : untold_) say_decided(member);
  if (!proposal_) {
    if (wishes_another_view(now) && rank() > 0)
      for (const Member& member : view().members)
        if (member.id < self_.id) say(member, Wish{});
    return;
  }
  for (const Member& member : view().members) {
    if (member == self_) continue;
    if (!proposal_->decision)
      say(member, Freeze{proposal_->ballot});
    else if (std::ranges::find(proposal_->accepted_by, member.id) == proposal_->accepted_by.end())
      say(member, Propose{proposal_->ballot, *proposal_->decision});
  }
}

void ViewAgreement::begin_ballot(Instant now) {
  phase_ = Phase::frozen;
  takes_over_at_.reset();
  record_.promised = {++latest_round_, self_.id};
  effects_.keep = true;
  proposal_ = Proposal{record_.promised, now};
  proposal_->promises[self_.id] = {record_.promised, standing_, record_.accepted};
  repeat_words(now);
  go_on(now);
}

/// A majority has answered, and everybody else that is not suspected, or has had the time to.
bool ViewAgreement::has_answers(Instant now) const {
  std::vector<PeerId> answered;
  for (const auto& [id, promise] : proposal_->promises) answered.push_back(id);
  if (!can_decide(view(), answered, gone_)) return false;
  if (now - proposal_->begun >= terms_.patience) return true;
  return std::ranges::all_of(view().members, [&](const Member& member) {
    return proposal_->promises.contains(member.id) || suspects(member.id);
  });
}

void ViewAgreement::go_on(Instant now) {
  proposal_->promises[self_.id].standing = standing_;
  if (!proposal_->decision && has_answers(now)) propose();
  if (!proposal_->decision || !can_decide(view(), proposal_->accepted_by, gone_)) return;
  std::set<Member> untold;
  for (const Member& member : view().members)  // those that leave wait for it
    if (proposal_->promises.contains(member.id)) untold.insert(member);
  const Decision decision = *proposal_->decision;
  untold.insert(decision.next.members.begin(), decision.next.members.end());
  untold.erase(self_);
  adopt(now, decision);
  untold_ = std::move(untold);
  repeat_words(now);
}

void ViewAgreement::propose() {
  const std::optional<Accepted>* latest = nullptr;
  std::map<PeerId, Standing> answers;
  for (const auto& [id, promise] : proposal_->promises) {
    if (!suspects(id)) answers.emplace(id, promise.standing);  // who has answered may be lost since
    if (promise.accepted && (!latest || (*latest)->ballot < promise.accepted->ballot))
      latest = &promise.accepted;
  }
  std::optional<Decision> decision =
      latest ? std::optional((*latest)->decision) : next_view(view(), answers, terms_.least);
  if (!decision) return;
  record_.accepted = Accepted{proposal_->ballot, *decision};
  effects_.keep = true;
  proposal_->decision = std::move(decision);
  proposal_->accepted_by = {self_.id};
  for (const Member& member : view().members)
    if (member != self_) say(member, Propose{proposal_->ballot, *proposal_->decision});
}

void ViewAgreement::adopt(Instant now, const Decision& decision) {
  decided_at_ = now;
  record_ = {decision};
  effects_.keep = true;
  effects_.decided.push_back(decision);
  phase_ = view().has(self_) ? Phase::open : Phase::out;
  heard_wish_ = false;
  latest_round_ = 0;
  proposal_.reset();
  takes_over_at_.reset();
  untold_.clear();
}

void ViewAgreement::say_decided(const Member& to) {
  effects_.letters.push_back({to, {view().number - 1, Decided{record_.last}}});
}

void ViewAgreement::hear(Instant now, const Member& from, const Letter& letter) {
  const Decided* const decided = std::get_if<Decided>(&letter.word);
  if (decided && letter.view >= view().number) {
    if (phase_ != Phase::out) adopt(now, decided->decision);
    say(from, Noted{});
  } else if (decided) {
    if (letter.view + 1 == view().number) say(from, Noted{});
  } else if (std::holds_alternative<Noted>(letter.word)) {
    if (letter.view == view().number) untold_.erase(from);
  } else if (letter.view != view().number) {
    hear_of_view(from, letter.view);
  } else if (view().has(from) && phase_ != Phase::out) {
    std::visit([&](const auto& word) { hear_in_view(now, from, word); }, letter.word);
  }
}

void ViewAgreement::hear_of_view(const Member& from, std::uint32_t number) {
  if (number < view().number) say_decided(from);
  if (number > view().number && phase_ != Phase::out)
    say(from, Wish{});  // about a view that is over: the answer is the decision
}

void ViewAgreement::hear_in_view(Instant, const Member&, const Wish&) { heard_wish_ = true; }

/// True if this member promises to take part in no ballot before `ballot`.
bool ViewAgreement::promise(Instant now, const Member& from, const Ballot& ballot) {
  if (ballot < record_.promised) {
    say(from, Refusal{record_.promised});
    return false;
  }
  if (record_.promised < ballot) {
    record_.promised = ballot;
    effects_.keep = true;
    proposal_.reset();
  }
  latest_round_ = std::max(latest_round_, ballot.round);
  phase_ = Phase::frozen;
  takes_over_at_ = now + patience_with_others() + terms_.patience;
  return true;
}

void ViewAgreement::hear_in_view(Instant now, const Member& from, const Freeze& freeze) {
  if (freeze.ballot.proposer == from.id && promise(now, from, freeze.ballot))
    say(from, Promise{freeze.ballot, standing_, record_.accepted});
}

void ViewAgreement::hear_in_view(Instant now, const Member& from, const Promise& promise) {
  if (!proposal_ || proposal_->ballot != promise.ballot || proposal_->decision) return;
  proposal_->promises.insert_or_assign(from.id, promise);
  go_on(now);
}

void ViewAgreement::hear_in_view(Instant now, const Member& from, const Propose& propose) {
  if (propose.ballot.proposer != from.id || !promise(now, from, propose.ballot)) return;
  record_.accepted = Accepted{propose.ballot, propose.decision};
  effects_.keep = true;
  say(from, Accept{propose.ballot});
}

void ViewAgreement::hear_in_view(Instant now, const Member& from, const Accept& accept) {
  if (!proposal_ || proposal_->ballot != accept.ballot || !proposal_->decision) return;
  if (std::ranges::find(proposal_->accepted_by, from.id) == proposal_->accepted_by.end())
    proposal_->accepted_by.push_back(from.id);
  go_on(now);
}

void ViewAgreement::hear_in_view(Instant now, const Member&, const Refusal& refusal) {
  latest_round_ = std::max(latest_round_, refusal.promised.round);
  if (!proposal_ || !(proposal_->ballot < refusal.promised)) return;
  proposal_.reset();
  takes_over_at_ = now + patience_with_others();
}

void ViewAgreement::hear_in_view(Instant, const Member&, const Decided&) {}
void ViewAgreement::hear_in_view(Instant, const Member&, const Noted&) {}

}  // namespace hearsay
