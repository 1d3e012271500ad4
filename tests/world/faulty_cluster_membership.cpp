#include "tests/world/faulty_cluster.hpp"

// Processes that begin late, come back without a state or are told to end, and what became of each.

namespace hearsay {

const MixingRow FaultyCluster::Life::not_seen{.self_weight = -1.0, .hears = {}, .heard_by = {}};

void FaultyCluster::begin_late(PeerId id, Duration when) {
  at(Instant(when), [this, id] { start(id, false); });
}

void FaultyCluster::replace(PeerId id, Duration when, Duration back) {
  at(Instant(when), [this, id] { kill(id); });
  at(Instant(back), [this, id] { start(id, false); });
}

void FaultyCluster::interrupt(PeerId id, Duration when) {
  at(Instant(when), [this, id] {
    if (!nodes_[id].is_up()) return;
    nodes_[id].participant->interrupt(now_);
    go_on(id);
  });
}

void FaultyCluster::leave(PeerId id, Duration when) {
  at(Instant(when), [this, id] {
    if (!nodes_[id].is_up()) return;
    nodes_[id].participant->leave(now_);
    go_on(id);
  });
}

void FaultyCluster::fail_gradient(PeerId id, Duration when) {
  at(Instant(when), [this, id] { nodes_[id].fails = true; });
}

const MixingRow* FaultyCluster::Life::row(std::uint64_t iteration) const {
  const bool took_part = iteration > joined_at && iteration - joined_at <= rows.size();
  const MixingRow* const row = took_part ? &rows[iteration - joined_at - 1] : nullptr;
  return row && row->self_weight != not_seen.self_weight ? row : nullptr;
}

std::vector<FaultyCluster::Life> FaultyCluster::lives(PeerId id) const {
  std::vector<Life> all = nodes_[id].earlier;
  all.push_back({nodes_[id].joined_at, nodes_[id].rows});
  return all;
}

const Vector<double>* FaultyCluster::evaluated_model(PeerId id, std::uint64_t iteration) const {
  const auto found = nodes_[id].evaluated.find(iteration);
  return found == nodes_[id].evaluated.end() ? nullptr : &found->second;
}

}  // namespace hearsay
