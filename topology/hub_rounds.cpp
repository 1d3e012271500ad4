#include "topology/hub_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "topology/drawn_rounds.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph_random.hpp"

namespace hearsay {
namespace {

/// More rows than this take gigabytes.
constexpr double most_rows = 1e7;

/// Returns the rows of a round. `answers`: by peer, whether its data count.
std::vector<MixingRow> round_of(const Schedule& star, const std::vector<bool>& answers) {
  std::vector<MixingRow> rows;
  for (PeerId peer = 0; peer < star.peer_count(); ++peer) {
    MixingRow row = star.row(peer, 0);
    if (peer == hub_id) {
      row.trains = answers[peer];
      std::erase_if(row.hears, [&](const WeightedNeighbor& worker) { return !answers[worker.id]; });
      std::erase_if(row.heard_by, [&](PeerId worker) { return !answers[worker]; });
      double others = 0.0;
      for (const WeightedNeighbor& worker : row.hears) others += worker.weight;
      row.self_weight = 1.0 - others;
    } else if (!answers[peer]) {
      row = MixingRow{.self_weight = 1.0, .hears = {}, .heard_by = {}, .participates = false};
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

bool is_star_around_hub(const Graph& graph) {
  if (graph.edges().size() + 1 != graph.peer_count()) return false;
  for (PeerId worker = hub_id + 1; worker < graph.peer_count(); ++worker)
    if (!graph.adjacent(hub_id, worker)) return false;
  return true;
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
  const auto answering = static_cast<PeerId>(std::lround(share * with_data));
  if (answering == with_data && hub_data == HubData::its_own) return star;
  if (answering == 0)
    throw refusal("that is less than one of " + std::to_string(with_data) + " workers; expected at least " +
                  number_text(1.0 / with_data));

  const std::string name = star->name() + (share < 1.0 ? ", participation " + number_text(share) : "") +
                           (hub_data == HubData::none ? ", dedicated hub" : "");
  std::vector<std::vector<MixingRow>> rounds;
  if (answering == with_data) {
    std::vector<bool> answers(n, true);
    answers[hub_id] = false;
    rounds.push_back(round_of(*star, answers));
    return std::make_unique<DrawnRounds>(name, n, std::move(rounds));
  }

  const double least_rounds = std::max(64.0, std::ceil(8.0 * with_data / answering));
  const auto require_fit = [&](double count) {
    if (count * n > most_rows)
      throw refusal("so few of " + std::to_string(with_data) +
                    " workers make more rounds than fit in memory; expected a larger share");
  };
  require_fit(least_rounds);
  // The same seed draws graphs and orders; the workers of a round need random numbers of their own.
  const std::uint64_t own_seed = GraphRandom(seed, 0x68756220726f756eu).bits();
  std::vector<PeerId> workers(with_data);
  std::vector<bool> has_answered(n, false);
  PeerId never_yet = with_data;
  while (static_cast<double>(rounds.size()) < least_rounds || never_yet > 0) {
    require_fit(static_cast<double>(rounds.size() + 1));
    std::iota(workers.begin(), workers.end(), first);
    GraphRandom random(own_seed, rounds.size());
    random.shuffle(workers);
    std::vector<bool> answers(n, false);
    for (PeerId drawn = 0; drawn < answering; ++drawn) {
      answers[workers[drawn]] = true;
      if (!has_answered[workers[drawn]]) --never_yet;
      has_answered[workers[drawn]] = true;
    }
    rounds.push_back(round_of(*star, answers));
  }
  return std::make_unique<DrawnRounds>(name, n, std::move(rounds));
}

}  // namespace hearsay
