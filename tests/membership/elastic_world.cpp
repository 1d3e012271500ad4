#include "tests/membership/elastic_world.hpp"

#include <algorithm>
#include <utility>

namespace hearsay::test {

using namespace membership;
using namespace std::chrono_literals;

namespace {

constexpr Duration between_looks = 10ms;
constexpr Duration lost_after = 100ms;
constexpr Duration patience = 100ms;
constexpr Instant calm_begins{2s};
constexpr Instant end{8s};
constexpr ViewAgreement::Terms terms{.patience = patience, .repeat = 20ms};

}  // namespace

ElasticWorld::ElasticWorld(std::uint64_t seed, PeerId members, const Trouble& trouble)
    : trouble_(trouble), random_(seed, 0, 0, Purpose::data), places_(members + trouble.joiners) {
  for (PeerId id = 0; id < members; ++id) first_view_.members.push_back({id, id});
  for (const Member& member : first_view_.members) {
    Process process{member};
    process.agreement.emplace(member, terms, ViewAgreement::Record{{first_view_}});
    places_[member.id].record = process.agreement->record();
    places_[member.id].process = std::move(process);
  }
  for (PeerId id = 0; id < places_.size(); ++id)
    time_.at(Instant(within(between_looks)), [this, id] { look(id); });
  plan();
}

bool ElasticWorld::is_calm() const { return time_.now() >= calm_begins; }

void ElasticWorld::plan() {
  const auto often = [&](int times, const auto& happens) {
    for (int k = 0; k < times; ++k) time_.at(Instant(within(1900ms)), happens);
  };
  often(trouble_.crashes, [this] {
    const bool for_good = chance(0.3);
    crash(somebody(), for_good ? Duration(1h) : within(600ms), chance(0.7));
  });
  often(trouble_.standstills, [this] {
    Place& place = places_[somebody()];
    place.still_since = time_.now();
    place.still_until = std::min(calm_begins, time_.now() + within(500ms));
  });
  often(trouble_.leavers, [this] {
    if (auto& process = places_[somebody()].process) process->is_asked_to_leave = true;
  });
  for (int k = 0; k < trouble_.cuts; ++k) {
    const Instant from(within(1900ms));
    const Instant until = std::min(calm_begins, from + within(800ms));
    const PeerId border = somebody();
    const PeerId one = somebody();
    if (chance(0.5)) {
      cuts_.push_back({one, border, from, until});
    } else {  // two parts
      for (PeerId a = 0; a < border; ++a)
        for (PeerId b = border; b < places_.size(); ++b) cuts_.push_back({a, b, from, until});
    }
  }
  for (PeerId id = static_cast<PeerId>(first_view_.members.size()); id < places_.size(); ++id)
    time_.at(Instant(within(1900ms)), [this, id] { begin_to_join(id); });
  time_.at(calm_begins, [this] { foresee(); });
}

bool ElasticWorld::is_cut(PeerId a, PeerId b, Instant when) const {
  return std::ranges::any_of(cuts_, [&](const Cut& cut) {
    const bool is_between = (cut.a == a && cut.b == b) || (cut.a == b && cut.b == a);
    return is_between && cut.from <= when && when < cut.until;
  });
}

template <class Hears>
void ElasticWorld::carry(PeerId from, PeerId to, const Hears& hears) {
  if (is_cut(from, to, time_.now()) || (!is_calm() && chance(trouble_.loss))) return;
  Duration delay = 1ms + within(4ms);
  if (!is_calm() && chance(0.05)) delay += within(300ms);
  const auto arrives = [this, to, hears] {
    if (places_[to].process && time_.now() >= places_[to].still_until) hears(*places_[to].process);
  };
  time_.at(time_.now() + delay, arrives);
  if (!is_calm() && chance(trouble_.repeat)) time_.at(time_.now() + delay + within(100ms), arrives);
}

void ElasticWorld::crash(PeerId id, Duration down_for, bool keeps_disk) {
  Place& place = places_[id];
  if (!place.process) return;
  ++crashed;
  if (!keeps_disk) {
    place.record.reset();
    if (trouble_.ends_are_seen) gone_.insert(place.process->self);
  }
  place.process.reset();
  place.down_since = time_.now();
  time_.at(time_.now() + down_for, [this, id] { start(id); });
}

/// Whose record is on disk has a vote. Its state is gone all the same.
void ElasticWorld::start(PeerId id) {
  Place& place = places_[id];
  if (place.process) return;
  if (!place.record) return begin_to_join(id);
  const auto& members = place.record->last.next.members;
  const auto self = std::ranges::find(members, id, &Member::id);
  if (self == members.end()) return begin_to_join(id);
  Process process{*self};
  process.agreement.emplace(*self, terms, *place.record);
  process.presence = Presence::has_lost;
  place.process = std::move(process);
}

void ElasticWorld::begin_to_join(PeerId id) {
  if (trouble_.ends_are_seen) return;  // nobody joins
  if (places_[id].process && places_[id].process->agreement && !places_[id].process->agreement->is_out())
    return;
  places_[id].record.reset();
  places_[id].process = Process{{id, next_incarnation_++}};
}

bool ElasticWorld::seems_lost(PeerId observer, const Member& member) const {
  const Place& place = places_[member.id];
  const Instant now = time_.now();
  if (!place.process) return now >= place.down_since + lost_after;
  if (place.process->self != member) return true;
  if (now < place.still_until && now >= place.still_since + lost_after) return true;
  return is_cut(observer, member.id, now) && is_cut(observer, member.id, now - lost_after);
}

void ElasticWorld::look(PeerId id) {
  if (time_.now() < end) time_.at(time_.now() + between_looks, [this, id] { look(id); });
  Place& place = places_[id];
  if (!place.process || time_.now() < place.still_until) return;
  Process& process = *place.process;
  if (!process.agreement) return ask_to_join(id, process);
  look_around(id, process);
  process.agreement->tick(time_.now());
  carry_out(id);
  if (!place.process || !place.process->agreement) return;
  if (process.agreement->is_out()) return leave(id);
  if (process.agreement->is_frozen()) ask_to_join(id, process);  // it may be of a view that all have left
  if (process.donor) return catch_up(id, process);
  if (process.presence == Presence::has_lost) return ask_to_join(id, process);
  form_sum(process);
  for (const Member& member : process.agreement->view().members) {
    if (member.id == id || process.agreement->is_frozen()) continue;
    const std::uint32_t view = process.agreement->view().number;
    const std::uint64_t sum = process.history.size() + 1;
    carry(id, member.id, [this, to = member.id, from = process.self, view, sum](Process& there) {
      if (!there.agreement) return;
      there.agreement->hear_of_view(from, view);
      if (there.agreement->view().number != view) return carry_out(to);
      std::uint64_t& heard = there.heard_sum[from.id];
      heard = std::max(heard, sum);
      form_sum(there);
    });
  }
}

/// A process that is a member no more.
void ElasticWorld::leave(PeerId id) {
  Place& place = places_[id];
  if (!place.process->agreement->may_go(time_.now())) return;
  if (!place.process->is_asked_to_leave && !trouble_.ends_are_seen) return begin_to_join(id);
  left += place.process->is_asked_to_leave;
  place.process.reset();
  place.down_since = time_.now();
}

void ElasticWorld::look_around(PeerId id, Process& process) {
  const View& view = process.agreement->view();
  Standing standing{process.presence, process.history.size()};
  if (process.is_asked_to_leave && process.presence == Presence::stays) standing.presence = Presence::leaves;
  for (const Member& member : view.members)
    if (member.id != id &&
        (seems_lost(id, member) || gone_.contains(member) || (!is_calm() && chance(0.001))))
      standing.suspects.push_back(member.id);
  for (const Place& place : places_)
    if (place.process && !place.process->agreement && !is_cut(id, place.process->self.id, time_.now()) &&
        (is_calm() || chance(0.2)))
      standing.joiners.push_back(place.process->self);
  process.agreement->stand(std::move(standing), gone_of(view));
}

void ElasticWorld::ask_to_join(PeerId id, const Process& process) {
  const PeerId other = somebody();
  if (other == id) return;
  carry(id, other, [this, other, self = process.self](Process& there) {
    if (there.agreement) hear(other, self, {0, Wish{}});
  });
}

void ElasticWorld::hear(PeerId id, const Member& from, const Letter& letter) {
  Process& process = *places_[id].process;
  if (process.agreement) {
    look_around(id, process);
    process.agreement->hear(time_.now(), from, letter);
    return carry_out(id);
  }
  const auto* decided = std::get_if<Decided>(&letter.word);
  if (!decided || !decided->decision.next.has(process.self)) return;
  const Decision& decision = decided->decision;
  process.agreement.emplace(process.self, terms, ViewAgreement::Record{decision});
  places_[id].record = process.agreement->record();
  process.presence = Presence::catches_up;
  process.donor = decision.cut.giver;
  ++joined;
}

void ElasticWorld::form_sum(Process& process) {
  if (process.agreement->is_frozen() || process.donor || process.presence != Presence::stays) return;
  const std::uint64_t sum = process.history.size() + 1;
  std::vector<PeerId> ids;
  for (const Member& member : process.agreement->view().members) {
    if (member != process.self && process.heard_sum[member.id] < sum) return;
    ids.push_back(member.id);
  }
  process.history.push_back(std::move(ids));
}

/// Asks for the sums that this process lacks of those in which the members of the last view count.
void ElasticWorld::catch_up(PeerId id, Process& process) {
  const Decision& last = process.agreement->record().last;
  const std::uint32_t view = last.next.number;
  carry(id, *process.donor,
        [this, id, self = process.self, view, needed = last.cut.completed,
         donor = *process.donor](Process& there) {
          if (there.agreement) {
            there.agreement->hear_of_view(self, view);
            carry_out(donor);
          }
          const bool has_it = there.agreement && there.agreement->view().number == view && !there.donor &&
                              there.presence == Presence::stays && there.history.size() >= needed;
          if (!has_it) return;
          const History history(there.history.begin(),
                                there.history.begin() + static_cast<std::ptrdiff_t>(needed));
          carry(donor, id, [this, view, history](Process& back) {
            if (!back.agreement || back.agreement->view().number != view || !back.donor) return;
            if (back.agreement->is_frozen()) return;
            back.history = history;
            back.donor.reset();
            back.presence = Presence::stays;
          });
        });
}

/// Carries out what the agreement wants, in its order. A process may die at any point between.
void ElasticWorld::carry_out(PeerId id) {
  Place& place = places_[id];
  ViewAgreement::Effects effects = std::exchange(place.process->agreement->effects(), {});
  if (effects.keep) place.record = place.process->agreement->record();
  if (effects.keep && !is_calm() && chance(0.003)) return crash(id, within(600ms), true);
  const Member self = place.process->self;
  for (const ViewAgreement::Addressed& addressed : effects.letters)
    carry(id, addressed.to.id,
          [this, self, addressed](Process&) { hear(addressed.to.id, self, addressed.letter); });
  for (const Decision& decision : effects.decided) adopt(id, decision);
}

void ElasticWorld::adopt(PeerId id, const Decision& decision) {
  Process& process = *places_[id].process;
  std::vector<Known>& known = decisions_[decision.next.number];
  for (const Known& other : known)
    if (other.decision != decision &&
        std::ranges::any_of(other.by, [this](const Member& member) { return lives(member); }))
      wrong_.push_back("view " + std::to_string(decision.next.number) + " was decided twice, differently");
  auto same = std::ranges::find(known, decision, &Known::decision);
  if (same == known.end()) same = known.insert(known.end(), Known{decision, {}});
  same->by.push_back(process.self);
  if (process.agreement->is_out()) return;
  process.heard_sum.clear();
  process.donor.reset();
  if (process.presence != Presence::stays) {  // it is new, or was started anew since it had promised
    process.donor = decision.cut.giver;
    return;
  }
  const std::uint64_t completed = process.history.size();
  if (completed == decision.cut.completed) return;
  if (completed != decision.cut.completed + 1)
    wrong_.push_back("a member is further than one sum from where the next view begins");
  ++sums_taken_back;
  process.history.resize(decision.cut.completed);
}

/// True unless the member is gone for good.
bool ElasticWorld::lives(const Member& member) const {
  const Place& place = places_[member.id];
  if (place.process) return place.process->self == member;
  return place.record && place.record->last.next.has(member);
}

std::vector<PeerId> ElasticWorld::gone_of(const View& view) const {
  std::vector<PeerId> ids;
  for (const Member& member : view.members)
    if (gone_.contains(member)) ids.push_back(member.id);
  return ids;
}

bool ElasticWorld::is_member_of(const View& view, const Place& place) const {
  return place.process && place.process->agreement && view.has(place.process->self);
}

std::vector<PeerId> ElasticWorld::living_members(const View& view) const {
  std::vector<PeerId> ids;
  for (const Place& place : places_)
    if (place.process && view.has(place.process->self)) ids.push_back(place.process->self.id);
  return ids;
}

const View& ElasticWorld::newest_view() const {
  const View* newest = &first_view_;
  for (const Place& place : places_)
    if (place.process && place.process->agreement && place.process->agreement->view().number > newest->number)
      newest = &place.process->agreement->view();
  return *newest;
}

/// Whether the members that live must go on when nothing troubles them any more.
void ElasticWorld::foresee() {
  const View& view = newest_view();
  const auto can_go_on = [&](const View& next) {
    return can_decide(next, living_members(next), gone_of(next)) &&
           std::ranges::any_of(places_, [&](const Place& place) {
             return is_member_of(next, place) && place.process->presence == Presence::stays;
           });
  };
  goes_on_ = can_go_on(view);
  for (const Place& place : places_) {  // what a member has accepted may have been decided
    if (!is_member_of(view, place)) continue;
    const auto& accepted = place.process->agreement->record().accepted;
    goes_on_ &= !accepted || can_go_on(accepted->decision.next);
  }
  for (const Place& place : places_)
    if (place.process) sums_before_calm_ = std::max(sums_before_calm_, place.process->history.size());
}

void ElasticWorld::judge() {
  if (!goes_on_) return;
  const View view = newest_view();
  const auto say = [&](PeerId id, const std::string& what) {
    wrong_.push_back("peer " + std::to_string(id) + " " + what);
  };
  const History* first = nullptr;
  for (PeerId id = 0; id < places_.size(); ++id) {
    if (!places_[id].process) continue;
    const Process& process = *places_[id].process;
    if (!process.agreement || process.agreement->view().number != view.number) {
      say(id, "is not in the last view");
      continue;
    }
    if (process.agreement->is_frozen()) say(id, "is frozen");
    if (process.history.size() <= sums_before_calm_ + 10) say(id, "forms no sums any more");
    if (!first) first = &process.history;
    const std::size_t common = std::min(first->size(), process.history.size());
    if (!std::equal(first->begin(), first->begin() + static_cast<std::ptrdiff_t>(common),
                    process.history.begin()))
      say(id, "has another sum than others");
  }
  if (living_members(view).size() != view.members.size()) wrong_.push_back("the last view has lost members");
}

std::vector<std::string> ElasticWorld::run() {
  time_.run(end, [] { return false; });
  judge();
  return wrong_;
}

}  // namespace hearsay::test
