#include "topology/hub_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph_random.hpp"
#include "topology/random_order.hpp"

namespace hearsay {
namespace {

/// A peer that gathers answers, and those with data that may answer it, itself among them if it has data:
/// the hub of a star and its workers, or the head of a group and its group.
struct Group {
  PeerId gatherer;
  std::vector<PeerId> members;  // ascending
  PeerId answering;             // how many of them answer in a round
  std::uint64_t seed = 0;

  bool all_answer() const { return answering == members.size(); }
  RandomOrder order_in(std::uint64_t round) const { return {members.size(), seed, round}; }
  /// Appends who answers in a round, ascending.
  void append_answers(std::uint64_t round, std::vector<PeerId>& ids) const {
    if (all_answer()) {
      ids.insert(ids.end(), members.begin(), members.end());
      return;
    }
    const std::size_t before = ids.size();
    const RandomOrder order = order_in(round);
    for (PeerId place = 0; place < answering; ++place) ids.push_back(members[order.at(place)]);
    std::ranges::sort(std::span(ids).subspan(before));
  }
  bool answers(PeerId member, std::uint64_t round) const {
    if (all_answer()) return true;
    const auto index = std::ranges::lower_bound(members, member) - members.begin();
    return order_in(round).place_of(static_cast<std::uint64_t>(index)) < answering;
  }
};

/// Makes `row`, that of a gatherer if all answer, its row of a round.
void keep_answers(MixingRow& row, const Group& group, std::uint64_t round) {
  row.heard_by.clear();
  if (group.gatherer != hub_id) row.heard_by.push_back(hub_id);  // a head hears the hub in every round
  group.append_answers(round, row.heard_by);
  row.trains = std::erase(row.heard_by, group.gatherer) > 0;
  auto kept = row.heard_by.begin();
  std::erase_if(row.hears, [&](const WeightedNeighbor& neighbor) {
    if (kept == row.heard_by.end() || *kept != neighbor.id) return true;
    ++kept;
    return false;
  });
  row.self_weight = 1.0;
  for (const WeightedNeighbor& neighbor : row.hears) row.self_weight -= neighbor.weight;
}

/// The rounds of a hub, or of a tree below it.
class HubRounds final : public Schedule {
 public:
  HubRounds(std::string name, std::unique_ptr<Schedule> whole, const std::vector<Group>& groups,
            HubData hub_data)
      : name_(std::move(name)), whole_(std::move(whole)), hub_data_(hub_data) {
    for (const Group& group : groups) groups_.emplace(group.gatherer, group);
  }
  PeerId peer_count() const override { return whole_->peer_count(); }
  void write_row(PeerId peer, std::uint64_t round, MixingRow& row) const override {
    whole_->write_row(peer, 0, row);
    if (const auto own = groups_.find(peer); own != groups_.end())
      return keep_answers(row, own->second, round);
    if (peer == hub_id) {
      row.trains = hub_data_ == HubData::its_own;
      return;
    }
    const auto above = groups_.find(row.heard_by.front());
    if (above != groups_.end() && !above->second.answers(peer, round)) row.sit_out();
  }
  std::optional<std::uint64_t> period() const override {
    const bool all_answer =
        std::ranges::all_of(groups_, [](const auto& of) { return of.second.all_answer(); });
    return all_answer ? std::optional<std::uint64_t>(1) : std::nullopt;
  }
  const Schedule& whole() const override { return *whole_; }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::unique_ptr<Schedule> whole_;
  HubData hub_data_;
  std::map<PeerId, Group> groups_;  // by gatherer
};

/// Returns the groups of which a part answers. `with_data`: the first peer that has data.
std::vector<Group> groups_of(const Schedule& all, double share, PeerId first_with_data) {
  std::vector<Group> groups;
  const auto add = [&](PeerId gatherer, PeerId least) {
    Group group{.gatherer = gatherer, .members = {}, .answering = 0};
    if (gatherer >= first_with_data) group.members.push_back(gatherer);
    for (const PeerId below : all.row(gatherer, 0).heard_by)
      if (below != hub_id) group.members.push_back(below);
    const auto members = static_cast<double>(group.members.size());
    group.answering = std::max(least, static_cast<PeerId>(std::lround(share * members)));
    groups.push_back(std::move(group));
  };
  const std::vector<PeerId> of_hub = all.row(hub_id, 0).heard_by;
  if (of_hub.size() + 1 == all.peer_count()) {
    add(hub_id, 0);
    return groups;
  }
  for (const PeerId head : of_hub)
    if (all.row(head, 0).heard_by.size() > 1) add(head, 1);
  return groups;
}

}  // namespace

PeerId answering_in(const Schedule& rounds) {
  PeerId answering = 0;
  for (PeerId peer = 0; peer < rounds.peer_count(); ++peer) {
    const MixingRow row = rounds.row(peer, 0);
    if (row.participates && row.trains) ++answering;
  }
  return answering;
}

bool is_star_around_hub(const Graph& graph) {
  if (graph.edges().size() + 1 != graph.peer_count()) return false;
  for (PeerId worker = hub_id + 1; worker < graph.peer_count(); ++worker)
    if (!graph.adjacent(hub_id, worker)) return false;
  return true;
}

bool is_hub_tree(const Graph& graph) {
  if (graph.edges().size() + 1 != graph.peer_count()) return false;
  std::size_t reached = 1;
  for (const PeerId between : graph.neighbors(hub_id)) reached += graph.neighbors(between).size();
  return reached == graph.peer_count();
}

std::unique_ptr<Schedule> hub_rounds(std::unique_ptr<Schedule> all, double share, HubData hub_data,
                                     std::uint64_t seed) {
  const auto refusal = [&](const std::string& expectation) {
    return Misuse("topology.participation", number_text(share), expectation);
  };
  if (!(share > 0.0 && share <= 1.0)) throw refusal("expected a share greater than 0 and at most 1");
  const PeerId first = hub_data == HubData::its_own ? hub_id : hub_id + 1;
  const PeerId with_data = all->peer_count() - first;
  std::vector<Group> groups = groups_of(*all, share, first);
  const bool all_answer = std::ranges::all_of(groups, &Group::all_answer);
  if (all_answer && hub_data == HubData::its_own) return all;
  if (!all_answer && std::ranges::all_of(groups, [](const Group& of) { return of.answering == 0; }))
    throw refusal("that is less than one of " + std::to_string(with_data) +
                  " workers; expected at least 0.5 / " + std::to_string(with_data));
  // The same seed draws graphs and orders; the workers of every group need random numbers of their own.
  const std::uint64_t own_seed = GraphRandom(seed, 0x68756220726f756eu).bits();
  for (Group& group : groups) group.seed = GraphRandom(own_seed, group.gatherer).bits();
  const std::string name = all->name() + (share < 1.0 ? ", participation " + number_text(share) : "") +
                           (hub_data == HubData::none ? ", dedicated hub" : "");
  return std::make_unique<HubRounds>(name, std::move(all), groups, hub_data);
}

}  // namespace hearsay
