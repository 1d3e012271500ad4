#pragma once

#include <memory>
#include <string>
#include <vector>

#include "topology/schedule.hpp"

namespace hearsay::test {

/// `to` hears `from`.
struct Arc {
  PeerId from;
  PeerId to;
};

/// A schedule with one round on a directed graph. Links need not be mutual, and W need not be doubly
/// stochastic: every peer averages the peers that it hears, and itself.
class Digraph final : public Schedule {
 public:
  Digraph(PeerId peers, const std::vector<Arc>& arcs) : rows_(peers) {
    for (PeerId from = 0; from < peers; ++from)
      for (PeerId to = 0; to < peers; ++to)
        for (const Arc& arc : arcs) {
          if (arc.from != from || arc.to != to) continue;
          rows_[to].hears.push_back({from, 0.0});
          rows_[from].heard_by.push_back(to);
        }
    for (MixingRow& row : rows_) {
      row.self_weight = 1.0 / static_cast<double>(1 + row.hears.size());
      for (WeightedNeighbor& neighbor : row.hears) neighbor.weight = row.self_weight;
    }
  }
  PeerId peer_count() const override { return static_cast<PeerId>(rows_.size()); }
  void write_row(PeerId peer, std::uint64_t, MixingRow& row) const override { row = rows_[peer]; }
  std::optional<std::uint64_t> period() const override { return 1; }
  std::string name() const override { return "digraph"; }

 private:
  std::vector<MixingRow> rows_;
};

}  // namespace hearsay::test
