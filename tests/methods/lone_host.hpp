#pragma once

#include <numeric>
#include <vector>

#include "algorithms/objectives/objective.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "tests/support/worlds.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

/// The host of a peer without neighbors. Every request is answered at once. The test chooses the minibatches.
template <class Scalar>
class LoneHost final : public IterationHost<Scalar> {
 public:
  LoneHost(const Objective<Scalar>& objective, std::uint64_t seed)
      : objective_(objective),
        silence_(1),
        iteration_(*this, PeerRows(silence_, 0), seed),
        all_(static_cast<std::size_t>(objective.sample_count())),
        gradient_(objective.dimension()) {
    std::iota(all_.begin(), all_.end(), Index{0});
  }

  /// Runs iteration `number` of the algorithm on this minibatch.
  void run(Algorithm<Scalar>& algorithm, std::uint64_t number, double step_size,
           std::vector<Index> minibatch) {
    minibatch_ = std::move(minibatch);
    step_sizes_ = StepSize(step_size, "constant", 0);
    iteration_.begin(number, step_sizes_);
    Task task = algorithm.iterate(iteration_);
    task.resume();
    ensure(task.done() && status_ == CodecStatus::ok, "an iteration without neighbors never waits");
  }

 private:
  PacketBuffer new_packet() override { return packets_.acquire(); }
  void send(Slot, PeerId, const PacketRef&) override { ensure(false, "nobody listens"); }
  std::span<const Index> minibatch() override { return minibatch_; }
  void next_minibatch() override {}
  std::span<const Index> all_samples() override { return all_; }
  bool request_gradient(const Vector<Scalar>& x, std::span<const Index> samples) override {
    objective_.gradient(x, samples, gradient_);
    return true;
  }
  const Vector<Scalar>& gradient() const override { return gradient_; }
  void swap_gradient(Vector<Scalar>& other) override { gradient_.swap(other); }
  bool request_packets(std::uint64_t, Slot, std::span<const PeerId> senders) override {
    ensure(senders.empty(), "there is nobody to hear");
    return true;
  }
  std::span<const PacketRef> packets() const override { return {}; }
  void report(CodecStatus status) override {
    if (status != CodecStatus::ok) status_ = status;
  }

  const Objective<Scalar>& objective_;
  Silence silence_;
  StepSize step_sizes_{0.1, "constant", 0};
  Iteration<Scalar> iteration_;
  std::vector<Index> all_;
  std::vector<Index> minibatch_;
  Vector<Scalar> gradient_;
  PacketPool packets_;
  CodecStatus status_ = CodecStatus::ok;
};

}  // namespace hearsay::test
