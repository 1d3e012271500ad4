#pragma once

#include "algorithms/seam/iteration.hpp"

namespace hearsay::test {

/// A host that sends nothing, and has neither samples nor gradients nor messages. Every request is answered
/// at once.
template <class Scalar>
class SilentHost : public IterationHost<Scalar> {
 protected:
  ~SilentHost() = default;

 private:
  PacketBuffer new_packet() override { return packets_.acquire(); }
  void send(Slot, PeerId, const PacketRef&) override {}
  std::span<const Index> minibatch() override { return {}; }
  void next_minibatch() override {}
  std::span<const Index> all_samples() override { return {}; }
  bool request_gradient(const Vector<Scalar>&, std::span<const Index>) override { return true; }
  const Vector<Scalar>& gradient() const override { return nothing_; }
  void swap_gradient(Vector<Scalar>&) override {}
  bool request_packets(std::uint64_t, Slot, std::span<const PeerId>) override { return true; }
  std::span<const PacketRef> packets() const override { return {}; }
  void report(CodecStatus) override {}

  PacketPool packets_;
  Vector<Scalar> nothing_;
};

}  // namespace hearsay::test
