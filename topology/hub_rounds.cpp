#include "topology/hub_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph_random.hpp"

namespace hearsay {
namespace {

/// More answers than this, over all rounds, take gigabytes.
constexpr double most_answers = 1e7;

/// A peer that gathers answers, and those with data that may answer it, itself among them if it has data:
/// the hub of a star and its workers, or the head of a group and its group.
struct Group {
  PeerId gatherer;
  std::vector<PeerId> members;  // ascending
  PeerId answering;             // how many of them answer in a round
};

/// The rounds of a hub, or of a tree below it. A worker's row is the same in all rounds in which it takes
/// part, so only the rows of those that gather are kept by round.
class HubRounds final : public Schedule {
 public:
  HubRounds(std::string name, const Schedule& all, std::map<PeerId, std::vector<MixingRow>> gatherers)
      : name_(std::move(name)), gatherers_(std::move(gatherers)) {
    for (PeerId peer = 0; peer < all.peer_count(); ++peer) workers_.push_back(all.row(peer, 0));
    for (const auto& [id, rows] : gatherers_) period_ = std::max<std::uint64_t>(period_, rows.size());
  }
  PeerId peer_count() const override { return static_cast<PeerId>(workers_.size()); }
  const MixingRow& row(PeerId peer, std::uint64_t round) const override {
    const auto own = gatherers_.find(peer);
    if (own != gatherers_.end()) return of_round(own->second, round);
    const MixingRow& worker = workers_[peer];
    const auto above = gatherers_.find(worker.heard_by.front());
    const bool takes_part = above == gatherers_.end() ||
                            std::ranges::binary_search(of_round(above->second, round).heard_by, peer);
    return takes_part ? worker : sits_out_;
  }
  std::uint64_t period() const override { return period_; }
  std::string name() const override { return name_; }

 private:
  static const MixingRow& of_round(const std::vector<MixingRow>& rows, std::uint64_t round) {
    return rows[round % rows.size()];
  }

  std::string name_;
  std::map<PeerId, std::vector<MixingRow>> gatherers_;  // the rows of each, which repeat
  std::vector<MixingRow> workers_;                      // by peer, for the rounds in which it takes part
  std::uint64_t period_ = 1;
  MixingRow sits_out_{.self_weight = 1.0, .hears = {}, .heard_by = {}, .participates = false};
};

/// Returns the row of a gatherer in a round with these answers, ascending. `all`: its row if all answer.
MixingRow row_with(const MixingRow& all, PeerId gatherer, const std::vector<PeerId>& answers) {
  MixingRow row{.self_weight = 1.0, .hears = {}, .heard_by = {}, .trains = false};
  const auto add = [&](const WeightedNeighbor& neighbor) {
    row.hears.push_back(neighbor);
    row.heard_by.push_back(neighbor.id);
    row.self_weight -= neighbor.weight;
  };
  // A head hears the hub in every round.
  if (gatherer != hub_id) add(all.hears.front());
  for (const PeerId peer : answers)
    if (peer == gatherer)
      row.trains = true;
    else
      add(*std::ranges::lower_bound(all.hears, peer, {}, &WeightedNeighbor::id));
  return row;
}

/// Returns the groups of which a part answers. `with_data`: the first peer that has data.
std::vector<Group> groups_of(const Schedule& all, double share, PeerId first_with_data) {
  std::vector<Group> groups;
  const auto add = [&](PeerId gatherer, PeerId least) {
    Group group{gatherer, {}, 0};
    if (gatherer >= first_with_data) group.members.push_back(gatherer);
    for (const PeerId below : all.row(gatherer, 0).heard_by)
      if (below != hub_id) group.members.push_back(below);
    const auto members = static_cast<double>(group.members.size());
    group.answering = std::max(least, static_cast<PeerId>(std::lround(share * members)));
    groups.push_back(std::move(group));
  };
  const std::vector<PeerId>& of_hub = all.row(hub_id, 0).heard_by;
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
    const MixingRow& row = rounds.row(peer, 0);
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
  const std::vector<Group> groups = groups_of(*all, share, first);
  const bool all_answer =
      std::ranges::all_of(groups, [](const Group& g) { return g.answering == g.members.size(); });
  if (all_answer && hub_data == HubData::its_own) return all;

  const std::string name = all->name() + (share < 1.0 ? ", participation " + number_text(share) : "") +
                           (hub_data == HubData::none ? ", dedicated hub" : "");
  std::map<PeerId, std::vector<MixingRow>> gatherers;
  MixingRow of_hub = all->row(hub_id, 0);
  of_hub.trains = hub_data == HubData::its_own;
  if (all_answer) {
    gatherers[hub_id].push_back(std::move(of_hub));
    return std::make_unique<HubRounds>(name, *all, std::move(gatherers));
  }
  PeerId answering = 0;
  double rarest = 1.0;  // the least share of a group that answers
  for (const Group& group : groups) {
    answering += group.answering;
    rarest =
        std::min(rarest, static_cast<double>(group.answering) / static_cast<double>(group.members.size()));
  }
  if (answering == 0)
    throw refusal("that is less than one of " + std::to_string(with_data) +
                  " workers; expected at least 0.5 / " + std::to_string(with_data));

  const double least_rounds = std::max(64.0, std::ceil(8.0 / rarest));
  const auto require_fit = [&](double count) {
    if (count * answering > most_answers)
      throw refusal("so few of " + std::to_string(with_data) +
                    " workers make more rounds than fit in memory; expected a larger share");
  };
  require_fit(least_rounds);
  // The same seed draws graphs and orders; the workers of a round need random numbers of their own.
  const std::uint64_t own_seed = GraphRandom(seed, 0x68756220726f756eu).bits();
  std::vector<bool> has_answered(all->peer_count(), false);
  std::size_t never_yet = 0;
  for (const Group& group : groups) never_yet += group.members.size();
  if (groups.front().gatherer != hub_id) gatherers[hub_id].push_back(std::move(of_hub));
  std::vector<PeerId> drawn;
  for (std::uint64_t round = 0; static_cast<double>(round) < least_rounds || never_yet > 0; ++round) {
    require_fit(static_cast<double>(round + 1));
    GraphRandom random(own_seed, round);
    for (const Group& group : groups) {
      drawn = group.members;
      random.shuffle(drawn);
      std::vector<PeerId> answers(drawn.begin(), drawn.begin() + group.answering);
      std::ranges::sort(answers);
      for (const PeerId peer : answers) {
        if (!has_answered[peer]) --never_yet;
        has_answered[peer] = true;
      }
      gatherers[group.gatherer].push_back(row_with(all->row(group.gatherer, 0), group.gatherer, answers));
    }
  }
  return std::make_unique<HubRounds>(name, *all, std::move(gatherers));
}

}  // namespace hearsay
