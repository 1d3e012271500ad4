#include "runtime/observer/start.hpp"

#include <algorithm>

#include "runtime/foundation/peer_name.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/observer/checkpoint_period.hpp"
#include "runtime/observer/evaluation_period.hpp"
#include "runtime/wire/numbers.hpp"
#include "runtime/wire/words_from_observer.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::size_t most_examples = 3;
/// From the start of a process to its first words.
constexpr Duration time_to_come_up = std::chrono::seconds(10);

}  // namespace

void RunStart::note_under_way() {
  if (!is_gathering()) return;
  progress_ = Progress::under_way;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (peers_[id].resumes && peers_[id].has_reported && !claims_.is_ready(id)) say_where_to_resume(id);
}

void RunStart::begin(Instant origin) {
  ensure(!has_begun(), "a run begins once");
  progress_ = Progress::begun;
  origin_ = origin;
}

void RunStart::say_where_to_resume(PeerId id) {
  words_.say(id, from_observer::Resume{.common = resumed_from_.value_or(0),
                                       .others_are_under_way = !is_gathering()});
}

void RunStart::note_welcome(PeerId id, bool resumes) {
  Peer& peer = peers_[id];
  peer.resumes = resumes;
  peer.has_reported = !resumes;
  peer.holds = {0};
}

void RunStart::welcome(PeerId id) {
  words_.say(id, FrameKind::welcome);
  if (!is_gathering()) return;
  for (const PeerId gone : lost())
    words_.say(id, from_observer::Departed{gone, claims_.of(gone).incarnation});
}

void RunStart::note_checkpoints(PeerId id, std::span<const std::byte> payload) {
  Peer& peer = peers_[id];
  if (!peer.resumes) return;
  peer.holds = decode_numbers(payload);
  peer.has_reported = true;
  if (!is_gathering() || resumed_from_) say_where_to_resume(id);
}

bool RunStart::can_choose() const {
  return is_gathering() && !resumed_from_ && std::ranges::any_of(peers_, &Peer::resumes) &&
         std::ranges::all_of(peers_, &Peer::has_reported);
}

bool RunStart::choose(const RunRecord& record) {
  ensure(can_choose(), "a checkpoint is chosen once, when all peers have told theirs");
  std::vector<std::vector<std::uint64_t>> lists;
  for (const Peer& peer : peers_) lists.push_back(peer.holds);
  resumed_from_ = newest_common(lists);
  if (resumed_from_ == 0 && !can_begin_anew(record)) resumed_from_.reset();
  if (!resumed_from_) return false;
  resume_text_ = describe_resume();
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (peers_[id].resumes) say_where_to_resume(id);
  return true;
}

/// True if the run had not come to the first checkpoint of all its peers when it was cut off: it could not
/// have kept anything. Fast peers may hold checkpoints, but no peer is farther than two evaluations past the
/// record.
bool RunStart::can_begin_anew(const RunRecord& record) const {
  const auto& recorded = record.evaluations;
  const std::uint64_t first = first_checkpoint(input_.failure, input_.evaluate_every, recorded);
  if (!recorded.empty() && (record.has_ended || recorded.back().iteration >= first)) return false;
  const std::uint64_t farthest = recorded.empty() ? 0
                                 : input_.evaluate_period != Duration{0}
                                     ? next_evaluations(input_.evaluate_period, recorded).back()
                                     : recorded.back().iteration + 2 * input_.evaluate_every;
  return std::ranges::all_of(peers_, [&](const Peer& peer) {
    return std::ranges::all_of(peer.holds, [&](std::uint64_t held) { return held <= farthest; });
  });
}

std::string RunStart::why_none(const RunRecord& record) const {
  std::vector<PeerId> without, unusable;
  std::uint64_t latest = 0;
  for (PeerId id = 0; id < peers_.size(); ++id) {
    const std::vector<std::uint64_t>& holds = peers_[id].holds;
    const std::uint64_t newest = holds.empty() ? 0 : std::ranges::max(holds);
    latest = std::max(latest, newest);
    if (newest == 0) (std::ranges::find(holds, 0u) == holds.end() ? unusable : without).push_back(id);
  }
  const auto hold = [](const std::vector<PeerId>& ids) {
    return names_of(ids) + (ids.size() == 1 ? " holds" : " hold");
  };
  std::string known;
  if (!unusable.empty()) known = hold(unusable) + " none that can be used";
  if (!without.empty()) known += (known.empty() ? "" : ", ") + hold(without) + " none";
  if (latest != 0)
    known += (known.empty() ? "they go" : ", others") + std::string(" up to ") + std::to_string(latest);
  if (!record.evaluations.empty())
    known += (known.empty() ? "the record goes" : "; the record goes") + std::string(" up to iteration ") +
             std::to_string(record.evaluations.back().iteration);
  return "there is no iteration of which every peer holds a checkpoint (" + known +
         "); expected the checkpoints of all peers, or --overwrite instead of --resume, which begins anew";
}

std::string RunStart::describe_resume() const {
  const std::uint64_t from = *resumed_from_;
  const std::string sentence = from == 0 ? "all peers begin anew, at iteration 0"
                                         : "all peers go on from iteration " + std::to_string(from);
  std::uint64_t latest = from;
  std::vector<PeerId> lacking;
  for (PeerId id = 0; id < peers_.size(); ++id) {
    const std::uint64_t newest = std::ranges::max(peers_[id].holds);  // it holds at least `from`
    latest = std::max(latest, newest);
    if (newest == from) lacking.push_back(id);
  }
  if (latest == from) return from == 0 ? sentence + ": none holds a checkpoint" : sentence;
  if (lacking.empty()) return sentence + ": there is no later one of which all hold a checkpoint";
  return sentence + ": " + names_of(lacking) + (lacking.size() == 1 ? " holds" : " hold") +
         " no later checkpoint, others up to " + std::to_string(latest);
}

/// True if the run starts without peer `id`: it is lost, or in failure.join_later.
bool RunStart::comes_later(PeerId id) const {
  return peers_[id].is_lost || std::ranges::binary_search(input_.failure.join_later, id);
}

std::vector<PeerId> RunStart::lost() const {
  std::vector<PeerId> ids;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (peers_[id].is_lost) ids.push_back(id);
  return ids;
}

std::optional<PeerId> RunStart::silent_peer(const Members& members, Instant now) const {
  // The processes of a run on one machine were all started with it; those of hosts come up at any time.
  const bool all_must_be_here = input_.addresses.empty();
  for (PeerId id = 0; id < peers_.size(); ++id) {
    const bool is_here = !claims_.is_absent(id);
    const Duration patience = input_.failure.lost_after + (is_here ? Duration{0} : time_to_come_up);
    if (!comes_later(id) && (is_here || all_must_be_here) && members.silence_of(id, now) > patience)
      return id;
  }
  return std::nullopt;
}

bool RunStart::is_blocked() const {
  // Most peers come in order: the last one is missing.
  for (PeerId id = static_cast<PeerId>(peers_.size()); id-- > 0;)
    if (!comes_later(id) && (claims_.is_absent(id) || !claims_.is_ready(id))) return true;
  return false;
}

/// Returns the peers that never said hello; if all did, the peers that are not ready.
RunStart::Blockers RunStart::blockers() const {
  Blockers blockers{{}, true};
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (!comes_later(id) && claims_.is_absent(id)) blockers.peers.push_back(id);
  if (!blockers.peers.empty()) return blockers;
  blockers.never_called = false;
  for (PeerId id = 0; id < peers_.size(); ++id)
    if (!comes_later(id) && !claims_.is_ready(id)) blockers.peers.push_back(id);
  return blockers;
}

/// Returns why these peers are missing, as far as is known, for at most three of them.
std::string RunStart::reasons(const std::vector<PeerId>& missing) const {
  std::string known;
  std::size_t told = 0;
  for (const PeerId id : missing) {
    std::string why;
    if (claims_.is_absent(id)) {
      if (!claims_.of(id).refusal.empty()) why = "was refused, since " + claims_.of(id).refusal;
    } else if (!peers_[id].waits_for.empty()) {
      why = "waits for " + peers_[id].waits_for;
    }
    if (why.empty() || told++ == most_examples) continue;
    known += (known.empty() ? "" : "; ") + names_of({id}) + " " + why;
  }
  return known;
}

std::string RunStart::named_with_addresses(const std::vector<PeerId>& ids) const {
  if (input_.addresses.empty() || ids.size() > most_examples) return names_of(ids);
  std::string names = ids.size() == 1 ? "peer " : "peers ";
  for (std::size_t k = 0; k < ids.size(); ++k)
    names += (k == 0 ? "" : ", ") + std::to_string(ids[k]) + " (" + input_.addresses[ids[k]] + ")";
  return names;
}

std::string RunStart::missing_peers() const {
  const Blockers all = blockers();
  const std::string known = reasons(all.peers);
  return (all.never_called ? named_with_addresses(all.peers) : names_of(all.peers)) +
         (all.never_called ? " did not come up" : " did not reach all neighbors") + " within " +
         to_text(input_.start_patience) +
         (!known.empty() ? ": " + known
          : all.never_called
              ? "; expected hearsay peer FILE --id " + std::to_string(all.peers.front()) +
                    " on its host, and a port that is open: hearsay check FILE --connect tests it"
              : "");
}

std::string RunStart::start_blockers() const {
  const Blockers all = blockers();
  if (all.peers.empty()) return {};
  const std::string known = reasons(all.peers);
  if (!all.never_called && !known.empty()) return known;
  const std::string verb = all.peers.size() == 1 ? " has not " : " have not ";
  return names_of(all.peers) + verb + (all.never_called ? "come up" : "reached all neighbors") +
         (known.empty() ? "" : " (" + known + ")");
}

}  // namespace hearsay
