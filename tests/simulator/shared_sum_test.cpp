// What all peers add up is added up once in a simulation, and by every peer in a cluster of tests.
#include "algorithms/seam/shared_sum.hpp"

#include <doctest/doctest.h>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::shared_sum_test {

namespace {

/// A packet that counts itself while somebody refers to it.
class CountedPacket final : public Packet {
 public:
  explicit CountedPacket(int& alive) : alive_(alive) { ++alive_; }

 private:
  void retire() override {
    --alive_;
    delete this;
  }
  int& alive_;
};

std::vector<PacketRef> three_packets(int& alive) {
  std::vector<PacketRef> packets;
  for (int k = 0; k < 3; ++k) packets.emplace_back(new CountedPacket(alive));
  return packets;
}

/// Adds up to `value`, and counts how often.
struct Adder {
  double value;
  bool decodes = true;
  int calls = 0;
  auto operator()() {
    return [this](Vector<double>& sum) {
      ++calls;
      sum.setConstant(value);
      return decodes;
    };
  }
};

}  // namespace

TEST_CASE_TEMPLATE("shared sum: peers that share it have the bits of peers that do not", Scalar, float,
                   double) {
  for (const char* algorithm :
       {"kind = \"demo\"", "kind = \"demo\", aggregate = \"senders-mean\"",
        "kind = \"demo\", signs = \"signed\"", "kind = \"demo\", compressor = \"dct(chunk=8) | topk(30%)\"",
        "kind = \"demo\", compressor = \"fwht(block=16) | chunk-topk(3/8)\"", "kind = \"sparse-loco\"",
        "kind = \"sparse-loco\", aggregate = \"senders-mean\"", "kind = \"qsgd-allreduce\"",
        "kind = \"qsgd-allreduce\", compressor = \"leader_topk(10%)\"",
        "kind = \"qsgd-allreduce\", compressor = \"dct(chunk=8) | qsgdinf(4)\"",
        "kind = \"lgc-ring\", rank = 2, dense_rounds = 3", "kind = \"allreduce-sgd\""})
    for (const char* peers : {"1", "2", "5"}) {
      CAPTURE(algorithm);
      CAPTURE(peers);
      const auto experiment = experiment_from<Scalar>(
          "run = { iterations = 9, evaluate_every = 1 }\nmodel.kind = \"quadratic(97)\"\ntopology.peers = " +
          std::string(peers) + "\nnetwork.compute = \"lognormal(2 ms, 1)\"\nalgorithm = { " + algorithm +
          ", step_size = 0.05, allow_unsound = true }\n");
      const RunOutcome<Scalar> shared = simulate(experiment, Duration{1000});
      REQUIRE(shared.status == RunStatus::done);
      const auto recording = test::record_run(experiment);
      for (std::size_t id = 0; id < shared.models.size(); ++id)
        CHECK(shared.models[id] == recording.back()[id].model);
    }
}

TEST_CASE("shared sum: one peer adds up, the others take its sum, and the last one gives the packets back") {
  int alive = 0;
  SharedSum<double> shared;
  std::vector<PacketRef> packets = three_packets(alive);
  Adder adder{7};
  for (int peer = 0; peer < 2; ++peer)
    CHECK(shared.take(packets, 4, adder()) == Vector<double>::Constant(4, 7));
  std::vector<PacketRef> of_last_peer = std::move(packets);
  CHECK(alive == 3);
  CHECK(shared.take(of_last_peer, 4, adder()) == Vector<double>::Constant(4, 7));
  CHECK(adder.calls == 1);
  of_last_peer.clear();
  CHECK(alive == 0);
}

TEST_CASE("shared sum: other packets have another sum, be it for one packet only") {
  int alive = 0;
  SharedSum<double> shared;
  std::vector<PacketRef> packets = three_packets(alive);
  Adder first{1};
  Adder second{2};
  shared.take(packets, 2, first());
  packets[1] = PacketRef(new CountedPacket(alive));
  CHECK(shared.take(packets, 2, second())[0] == 2);
  CHECK(first.calls == 1);
  CHECK(second.calls == 1);
  // The packets of the sum before are not kept beside them.
  CHECK(alive == 3);
}

TEST_CASE("shared sum: every peer sees for itself what cannot be decoded") {
  int alive = 0;
  SharedSum<double> shared;
  Adder adder{1, false};
  std::vector<PacketRef> packets = three_packets(alive);
  for (int peer = 0; peer < 3; ++peer) shared.take(packets, 2, adder());
  CHECK(adder.calls == 3);
  packets.clear();
  CHECK(alive == 0);
}

TEST_CASE("shared sum: nothing is kept for a peer that is alone") {
  int alive = 0;
  SharedSum<double> shared;
  Adder adder{1};
  std::vector<PacketRef> packets = three_packets(alive);
  packets.resize(1);
  for (int round = 0; round < 2; ++round) shared.take(packets, 2, adder());
  CHECK(adder.calls == 2);
  packets.clear();
  CHECK(alive == 0);
}

}  // namespace hearsay::shared_sum_test
