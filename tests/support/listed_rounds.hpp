#pragma once

#include <string>
#include <utility>
#include <vector>

#include "topology/schedule.hpp"

namespace hearsay::test {

/// Given rounds, which repeat in the same order.
class ListedRounds final : public Schedule {
 public:
  /// `rounds`: by round, the rows of all peers.
  ListedRounds(std::string name, PeerId peers, std::vector<std::vector<MixingRow>> rounds)
      : name_(std::move(name)), peers_(peers), rounds_(std::move(rounds)) {}
  PeerId peer_count() const override { return peers_; }
  void write_row(PeerId peer, std::uint64_t round, MixingRow& row) const override {
    row = rounds_[round % rounds_.size()][peer];
  }
  std::optional<std::uint64_t> period() const override { return rounds_.size(); }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  PeerId peers_;
  std::vector<std::vector<MixingRow>> rounds_;
};

}  // namespace hearsay::test
