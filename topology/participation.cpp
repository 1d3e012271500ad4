#include "topology/participation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "topology/drawn_rounds.hpp"
#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph_random.hpp"

namespace hearsay {
namespace {

const std::string participation_key = "topology.participation";

/// More rows than this take gigabytes.
constexpr double most_rows = 1e7;

/// Removes from the row of `peer` all peers that do not take part; empties it if `peer` itself does not.
void restrict_to(const std::vector<bool>& takes_part, PeerId peer, MixingRow& row) {
  if (!takes_part[peer]) {
    row = MixingRow{1.0, {}, {}, false};
    return;
  }
  std::erase_if(row.hears, [&](const WeightedNeighbor& neighbor) { return !takes_part[neighbor.id]; });
  std::erase_if(row.heard_by, [&](PeerId id) { return !takes_part[id]; });
  double sum = 0.0;
  for (const WeightedNeighbor& neighbor : row.hears) sum += neighbor.weight;
  row.self_weight = 1.0 - sum;
}

/// Links as (hearer, speaker), ascending.
using Links = std::vector<std::pair<PeerId, PeerId>>;

void unite(Links& links, Links more) {
  links.insert(links.end(), more.begin(), more.end());
  std::sort(links.begin(), links.end());
  links.erase(std::unique(links.begin(), links.end()), links.end());
}

Links links_of(const std::vector<MixingRow>& round) {
  Links links;
  for (PeerId peer = 0; peer < round.size(); ++peer)
    for (const WeightedNeighbor& neighbor : round[peer].hears) links.emplace_back(peer, neighbor.id);
  return links;
}

std::vector<MixingRow> rows_of(const Schedule& schedule, std::uint64_t round) {
  std::vector<MixingRow> rows;
  for (PeerId peer = 0; peer < schedule.peer_count(); ++peer) rows.push_back(schedule.row(peer, round));
  return rows;
}

bool symmetric(const std::vector<MixingRow>& round) {
  for (PeerId peer = 0; peer < round.size(); ++peer)
    for (const WeightedNeighbor& neighbor : round[peer].hears) {
      const auto& back = round[neighbor.id].hears;
      const auto found = std::ranges::find(back, peer, &WeightedNeighbor::id);
      if (found == back.end() || found->weight != neighbor.weight) return false;
    }
  return true;
}

}  // namespace

std::unique_ptr<Schedule> with_participation(std::unique_ptr<Schedule> schedule, double share,
                                             std::uint64_t seed) {
  const PeerId n = schedule->peer_count();
  const auto refusal = [&](const std::string& expectation) {
    return Misuse(participation_key, number_text(share), expectation);
  };
  if (!(share > 0.0 && share <= 1.0)) throw refusal("expected a share greater than 0 and at most 1");
  const auto participants = static_cast<PeerId>(std::lround(share * n));
  if (participants == n || n == 1) return schedule;
  if (participants < 2)
    throw refusal("that is less than two of " + std::to_string(n) + " peers, and no two would ever mix");

  Links all;
  for (std::uint64_t round = 0; round < schedule->period(); ++round) {
    const std::vector<MixingRow> rows = rows_of(*schedule, round);
    if (!symmetric(rows))
      throw refusal("it needs links that go both ways with one weight, which " +
                    (schedule->period() == 1 ? "this topology has not; expected 1, or such links"
                                             : "the schedule " + schedule->name() +
                                                   " has not; expected 1, or another topology.schedule"));
    unite(all, links_of(rows));
  }

  // The probability that both ends of a link take part.
  const double both = static_cast<double>(participants) * (participants - 1.0) / (n * (n - 1.0));
  const double least_periods =
      std::ceil(std::max(8.0 / both, 64.0 / static_cast<double>(schedule->period())));
  const auto require_fit = [&](double periods) {
    if (periods * static_cast<double>(schedule->period()) * n > most_rows)
      throw refusal("so few participants make more rounds of " + std::to_string(n) +
                    " peers than fit in memory, until every link has occurred; expected a larger share");
  };
  require_fit(least_periods);

  // The same seed draws graphs and orders; participants need random numbers of their own.
  const std::uint64_t own_seed = GraphRandom(seed, 0x7061727469636970u).bits();
  std::vector<PeerId> peers(n);
  std::vector<std::vector<MixingRow>> rounds;
  Links occurred;
  for (std::uint64_t period = 0; static_cast<double>(period) < least_periods || occurred != all; ++period) {
    require_fit(static_cast<double>(period + 1));
    for (std::uint64_t k = 0; k < schedule->period(); ++k) {
      for (PeerId peer = 0; peer < n; ++peer) peers[peer] = peer;
      GraphRandom random(own_seed, rounds.size());
      random.shuffle(peers);
      std::vector<bool> takes_part(n, false);
      for (PeerId drawn = 0; drawn < participants; ++drawn) takes_part[peers[drawn]] = true;
      std::vector<MixingRow> rows = rows_of(*schedule, rounds.size());
      for (PeerId peer = 0; peer < n; ++peer) restrict_to(takes_part, peer, rows[peer]);
      if (occurred != all) unite(occurred, links_of(rows));
      rounds.push_back(std::move(rows));
    }
  }
  return std::make_unique<DrawnRounds>(schedule->name() + ", participation " + number_text(share), n,
                                       std::move(rounds));
}

}  // namespace hearsay
