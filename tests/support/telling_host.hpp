#pragma once

#include <vector>

#include "algorithms/methods/parts/backlog.hpp"

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
class TellingHost final : public IterationHost<Scalar> {
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
  PacketBuffer new_packet() override { return packets_.acquire(); }
  void send(Slot, PeerId to, const PacketRef& packet) override { said_[to] = packet; }
  std::span<const Index> minibatch() override { return {}; }
  void next_minibatch() override {}
  std::span<const Index> all_samples() override { return {}; }
  bool request_gradient(const Vector<Scalar>&, std::span<const Index>) override { return true; }
  const Vector<Scalar>& gradient() const override { return nothing_; }
  void swap_gradient(Vector<Scalar>&) override {}
  bool request_packets(std::uint64_t, Slot, std::span<const PeerId>) override { return true; }
  std::span<const PacketRef> packets() const override { return {}; }
  void report(CodecStatus) override {}

  StepSize step_sizes_{0.1, "constant", 0};
  PacketPool packets_;
  Iteration<Scalar> iteration_;
  std::vector<PacketRef> said_;
  Vector<Scalar> nothing_;
};

}  // namespace hearsay::test
