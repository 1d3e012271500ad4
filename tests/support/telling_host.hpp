#pragma once

#include <vector>

#include "algorithms/methods/parts/backlog.hpp"
#include "tests/support/silent_host.hpp"

namespace hearsay::test {

/// A schedule in which only peer 0 speaks: rounds[t] are the peers that hear it in round t.
class Hearers final : public Schedule {
 public:
  Hearers(PeerId peers, const std::vector<std::vector<PeerId>>& rounds) : peers_(peers) {
    for (const std::vector<PeerId>& heard_by : rounds) rows_.push_back({1.0, {}, heard_by, true});
  }
  PeerId peer_count() const override { return peers_; }
  void write_row(PeerId, std::uint64_t round, MixingRow& row) const override {
    row = rows_[round % rows_.size()];
  }
  std::optional<std::uint64_t> period() const override { return rows_.size(); }
  std::string name() const override { return "hearers"; }

 private:
  PeerId peers_;
  std::vector<MixingRow> rows_;
};

/// A host for a method at peer 0. Keeps the last message to each hearer.
template <class Scalar>
class TellingHost final : public SilentHost<Scalar> {
 public:
  explicit TellingHost(const Schedule& schedule)
      : iteration_(*this, PeerRows(schedule, 0), 1), said_(schedule.peer_count()) {}

  /// Begins iteration `number` = 1, 2, ... and returns it.
  Iteration<Scalar>& turn_to(std::uint64_t number) {
    for (PacketRef& message : said_) message = {};
    iteration_.begin(number, step_sizes_);
    return iteration_;
  }
  const PacketRef& said_to(PeerId hearer) const { return said_[hearer]; }

 private:
  void send(Slot, PeerId to, const PacketRef& packet) override { said_[to] = packet; }

  StepSize step_sizes_{0.1, "constant", 0};
  Iteration<Scalar> iteration_;
  std::vector<PacketRef> said_;
};

}  // namespace hearsay::test
