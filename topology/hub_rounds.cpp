#include "topology/hub_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
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

/// The rounds of a hub. A worker's row is the same in all rounds in which it takes part, so only the hub's
/// rows are kept by round.
class HubRounds final : public Schedule {
 public:
  HubRounds(std::string name, const Schedule& star, std::vector<MixingRow> rounds)
      : name_(std::move(name)), rounds_(std::move(rounds)) {
    for (PeerId peer = 0; peer < star.peer_count(); ++peer) workers_.push_back(star.row(peer, 0));
  }
  PeerId peer_count() const override { return static_cast<PeerId>(workers_.size()); }
  const MixingRow& row(PeerId peer, std::uint64_t round) const override {
    const MixingRow& of_hub = rounds_[round % rounds_.size()];
    if (peer == hub_id) return of_hub;
    const bool all_take_part = rounds_.size() == 1;
    return all_take_part || std::ranges::binary_search(of_hub.heard_by, peer) ? workers_[peer] : sits_out_;
  }
  std::uint64_t period() const override { return rounds_.size(); }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::vector<MixingRow> rounds_;   // of the hub
  std::vector<MixingRow> workers_;  // by peer, for the rounds in which it takes part
  MixingRow sits_out_{.self_weight = 1.0, .hears = {}, .heard_by = {}, .participates = false};
};

/// Returns the hub's row of a round with these answers, ascending.
MixingRow row_of_hub(const Schedule& star, const std::vector<PeerId>& answers) {
  MixingRow row{.self_weight = 1.0, .hears = {}, .heard_by = {}, .trains = false};
  for (const PeerId peer : answers) {
    if (peer == hub_id) {
      row.trains = true;
      continue;
    }
    // The hub of a star hears worker k in place k - 1.
    row.hears.push_back(star.row(hub_id, 0).hears[peer - 1]);
    row.heard_by.push_back(peer);
    row.self_weight -= row.hears.back().weight;
  }
  return row;
}

}  // namespace

PeerId answering_in_a_round(double share, PeerId with_data) {
  return static_cast<PeerId>(std::lround(share * with_data));
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

std::unique_ptr<Schedule> hub_rounds(std::unique_ptr<Schedule> star, double share, HubData hub_data,
                                     std::uint64_t seed) {
  const auto refusal = [&](const std::string& expectation) {
    return Misuse("topology.participation", number_text(share), expectation);
  };
  if (!(share > 0.0 && share <= 1.0)) throw refusal("expected a share greater than 0 and at most 1");
  const PeerId n = star->peer_count();
  const PeerId first = hub_data == HubData::its_own ? hub_id : hub_id + 1;
  const PeerId with_data = n - first;
  const PeerId answering = answering_in_a_round(share, with_data);
  if (answering == with_data && hub_data == HubData::its_own) return star;
  if (answering == 0)
    throw refusal("that is less than one of " + std::to_string(with_data) + " workers; expected at least " +
                  number_text(0.5 / with_data));

  const std::string name = star->name() + (share < 1.0 ? ", participation " + number_text(share) : "") +
                           (hub_data == HubData::none ? ", dedicated hub" : "");
  std::vector<MixingRow> rounds;
  std::vector<PeerId> workers(with_data);
  std::iota(workers.begin(), workers.end(), first);
  if (answering == with_data) {
    rounds.push_back(star->row(hub_id, 0));
    rounds.front().trains = false;
    return std::make_unique<HubRounds>(name, *star, std::move(rounds));
  }

  const double least_rounds = std::max(64.0, std::ceil(8.0 * with_data / answering));
  const auto require_fit = [&](double count) {
    if (count * answering > most_answers)
      throw refusal("so few of " + std::to_string(with_data) +
                    " workers make more rounds than fit in memory; expected a larger share");
  };
  require_fit(least_rounds);
  // The same seed draws graphs and orders; the workers of a round need random numbers of their own.
  const std::uint64_t own_seed = GraphRandom(seed, 0x68756220726f756eu).bits();
  std::vector<bool> has_answered(n, false);
  PeerId never_yet = with_data;
  while (static_cast<double>(rounds.size()) < least_rounds || never_yet > 0) {
    require_fit(static_cast<double>(rounds.size() + 1));
    std::iota(workers.begin(), workers.end(), first);
    GraphRandom random(own_seed, rounds.size());
    random.shuffle(workers);
    std::vector<PeerId> answers(workers.begin(), workers.begin() + answering);
    std::ranges::sort(answers);
    for (const PeerId peer : answers) {
      if (!has_answered[peer]) --never_yet;
      has_answered[peer] = true;
    }
    rounds.push_back(row_of_hub(*star, answers));
  }
  return std::make_unique<HubRounds>(name, *star, std::move(rounds));
}

}  // namespace hearsay
