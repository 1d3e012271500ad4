#include "topology/participation.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "topology/foundation/misuse.hpp"
#include "topology/foundation/spelling.hpp"
#include "topology/graph_random.hpp"
#include "topology/random_order.hpp"

namespace hearsay {
namespace {

const std::string participation_key = "topology.participation";

/// The rounds of `whole` among as many participants in each.
class ParticipationRounds final : public Schedule {
 public:
  ParticipationRounds(std::string name, std::unique_ptr<Schedule> whole, PeerId participants,
                      std::uint64_t seed)
      : name_(std::move(name)), whole_(std::move(whole)), participants_(participants), seed_(seed) {}

  PeerId peer_count() const override { return whole_->peer_count(); }
  void write_row(PeerId peer, std::uint64_t round, MixingRow& row) const override {
    const RandomOrder order(peer_count(), seed_, round);
    const auto sits_out = [&](PeerId id) { return order.place_of(id) >= participants_; };
    if (sits_out(peer)) return row.sit_out();
    // Links go both ways: those that are heard are those that hear.
    whole_->write_row(peer, round, row);
    std::erase_if(row.hears, [&](const WeightedNeighbor& neighbor) { return sits_out(neighbor.id); });
    row.heard_by.clear();
    double sum = 0.0;
    for (const WeightedNeighbor& neighbor : row.hears) {
      row.heard_by.push_back(neighbor.id);
      sum += neighbor.weight;
    }
    row.self_weight = 1.0 - sum;
  }
  std::optional<std::uint64_t> period() const override { return std::nullopt; }
  const Schedule& whole() const override { return *whole_; }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  std::unique_ptr<Schedule> whole_;
  PeerId participants_;
  std::uint64_t seed_;
};

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
  for (std::uint64_t round = 0; round < *schedule->period(); ++round)
    if (!symmetric(rows_of(*schedule, round)))
      throw refusal("it needs links that go both ways with one weight, which " +
                    (schedule->period() == 1 ? "this topology has not; expected 1, or such links"
                                             : "the schedule " + schedule->name() +
                                                   " has not; expected 1, or another topology.schedule"));
  // The same seed draws graphs and orders; participants need random numbers of their own.
  const std::uint64_t own_seed = GraphRandom(seed, 0x7061727469636970u).bits();
  const std::string name = schedule->name() + ", participation " + number_text(share);
  return std::make_unique<ParticipationRounds>(name, std::move(schedule), participants, own_seed);
}

}  // namespace hearsay
