#include "tests/world/dropping_runs.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

using namespace std::chrono_literals;

namespace hearsay::test {

Experiment<double> dropping(const std::string& method, const World& world, std::uint64_t iterations,
                            std::uint64_t evaluate_every, std::vector<PeerId> join_later, Plan plan) {
  constexpr Index dimension = 5;
  plan.iterations = iterations;
  plan.step_size = 0.01;
  RunSettings settings = settings_of(method, world, plan);
  settings.failure.policy = RunSettings::Failure::Policy::drop;
  settings.failure.lost_after = std::chrono::milliseconds(200);
  settings.run.evaluate_every = evaluate_every;
  settings.failure.join_later = std::move(join_later);
  Problem<double> problem;
  Vector<double> rest = Vector<double>::Zero(dimension);
  for (PeerId id = 0; id + 1 < world.peers; ++id) {
    const Vector<double> slope = normal_vector<double>(dimension, 5, id);
    rest -= slope;
    problem.objectives.push_back(std::make_unique<Slope>(slope));
  }
  problem.objectives.push_back(std::make_unique<Slope>(rest));
  problem.initial = normal_vector<double>(dimension, 17, 0);
  return prepare<double>(settings, std::move(problem));
}

Duration some_instant(RandomStream& random) { return 200ms + Duration(random.below(400'000'000)); }

Duration a_while(RandomStream& random) { return Duration(random.below(1'500'000'000)); }

void freeze_or_cut(FaultyCluster& cluster, PeerId peers, RandomStream& random) {
  const auto peer = static_cast<PeerId>(random.below(peers));
  const Duration when = some_instant(random);
  const Duration until = when + a_while(random);
  const auto other = static_cast<PeerId>(random.below(peers + 1));
  if (random.below(2) == 0)
    cluster.freeze(peer, when, until);
  else
    cluster.cut(peer, other, when, until);
}

double weight_of(const MixingRow& row, PeerId id) {
  for (const WeightedNeighbor& neighbor : row.hears)
    if (neighbor.id == id) return neighbor.weight;
  return 0.0;
}

std::uint64_t check_rows(const FaultyCluster& cluster, PeerId peers) {
  std::vector<std::vector<Life>> lives;
  for (PeerId i = 0; i < peers; ++i) lives.push_back(cluster.lives(i));
  // Returns the weight that the other end gives to the edge in this iteration. If several processes had that
  // id, the one that agrees counts. Empty if none took part.
  const auto weight_back = [&](PeerId neighbor, PeerId i, std::uint64_t iteration, double weight) {
    std::optional<double> back;
    for (const Life& life : lives[neighbor])
      if (const MixingRow* const row = life.row(iteration); row && back != weight)
        if (const double its = weight_of(*row, i); !back || its != 0.0) back = its;
    return back;
  };
  std::uint64_t one_sided = 0;
  for (PeerId i = 0; i < peers; ++i)
    for (const Life& life : lives[i])
      for (std::uint64_t t = life.joined_at + 1; t <= life.joined_at + life.rows.size(); ++t) {
        if (!life.row(t)) continue;
        const MixingRow& row = *life.row(t);
        double sum = row.self_weight;
        bool negative = row.self_weight < 0.0;
        for (const WeightedNeighbor& neighbor : row.hears) {
          sum += neighbor.weight;
          negative |= neighbor.weight <= 0.0;
          const std::optional<double> back = weight_back(neighbor.id, i, t, neighbor.weight);
          if (!back) continue;
          // The last mix of a killed process died with it, so it does not count.
          if (*back == 0.0)
            one_sided += &life == &lives[i].back();
          else
            CHECK_MESSAGE(*back == neighbor.weight, "edge ", i, "-", neighbor.id, " in iteration ", t);
        }
        CHECK_FALSE(negative);
        CHECK(std::abs(sum - 1.0) < 1e-14);
      }
  CHECK(one_sided <= cluster.parted);
  return one_sided;
}

std::uint64_t check_no_resync(const RunOutcome<double>& outcome) {
  std::uint64_t compared = 0;
  for (const PeerOutcome& peer : outcome.peers) {
    const PeerCounters& counters = peer.meters.counters;
    compared += counters.digests_compared;
    CHECK(counters.digests_differed == 0);
    CHECK(counters.resyncs == 0);
    CHECK(counters.unfit_copies == 0);
  }
  return compared;
}

}  // namespace hearsay::test
