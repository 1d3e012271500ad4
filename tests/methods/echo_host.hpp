#pragma once

#include <memory>
#include <string>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "tests/support/worlds.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// The host of peer 0 of a ring. From the peer before it comes what it has sent last. If it suspends, a
/// gradient or a message is there only after the method has suspended.
template <class Scalar>
class EchoHost final : public IterationHost<Scalar> {
 public:
  EchoHost(PeerId peers, Index dimension, bool suspends)
      : peers_(peers),
        suspends_(suspends),
        silence_(peers),
        iteration_(*this, PeerRows(silence_, 0), 1),
        initial_(Vector<Scalar>::LinSpaced(dimension, Scalar(-1), Scalar(1))),
        segments_{{"matrix", 0, dimension / 6, 6}},
        said_(1) {}

  std::unique_ptr<Algorithm<Scalar>> make(const std::string& method) const {
    const MethodInfo& info = find_method(method);
    return info.make(MethodInput<Scalar>{.peer_count = peers_,
                                         .worker_count = peers_,
                                         .initial = initial_,
                                         .neighbors = {},
                                         .compressor = info.default_compressor,
                                         .segments = segments_,
                                         .options = resolved_options({}, info)});
  }

  /// Runs iteration `number` of the algorithm. Returns how often it suspended.
  int run(Algorithm<Scalar>& algorithm, std::uint64_t number) {
    iteration_.begin(number, step_sizes_);
    Task task = algorithm.iterate(iteration_);
    int suspended = -1;
    for (; !task.done(); ++suspended) task.resume();
    return suspended;
  }
  int sent() const { return sent_; }

 private:
  PacketBuffer new_packet() override { return packets_.acquire(); }
  void send(Slot, PeerId, const PacketRef& packet) override {
    said_.front() = packet;
    ++sent_;
  }
  std::span<const Index> minibatch() override { return {}; }
  void next_minibatch() override {}
  std::span<const Index> all_samples() override { return {}; }
  bool request_gradient(const Vector<Scalar>& x, std::span<const Index>) override {
    gradient_ = x;
    return !suspends_;
  }
  const Vector<Scalar>& gradient() const override { return gradient_; }
  void swap_gradient(Vector<Scalar>& other) override { gradient_.swap(other); }
  bool request_packets(std::uint64_t, Slot, std::span<const PeerId>) override { return !suspends_; }
  std::span<const PacketRef> packets() const override { return said_; }
  void report(CodecStatus) override {}  // chunks differ in length by one

  PeerId peers_;
  bool suspends_;
  Silence silence_;
  StepSize step_sizes_{0.1, "constant", 0};
  PacketPool packets_;
  Iteration<Scalar> iteration_;
  Vector<Scalar> initial_;
  SegmentTable segments_;
  Vector<Scalar> gradient_;
  std::vector<PacketRef> said_;
  int sent_ = 0;
};

}  // namespace hearsay::test
