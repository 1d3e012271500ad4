#include "runtime/experiment/memory_need.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/foundation/machine.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::memory_need_test {

namespace {

RunSettings run_of(const std::string& method, const std::string& topology, std::uint64_t dimension) {
  return parse_run("model.kind = \"quadratic(" + std::to_string(dimension) + ")\"\n" +
                   "algorithm.batch = \"full\"\nalgorithm.kind = \"" + method + "\"\n" + topology);
}

}  // namespace

TEST_CASE("memory: that of a method is its row of the table, that of messages what may be under way") {
  const auto ring = prepare<float>(run_of("d-psgd", "topology = { kind = \"ring\", peers = 5 }", 100));
  const PeerMemory of_ring = memory_of_peer(ring, 3);
  CHECK(of_ring.method == 2.0);
  CHECK(of_ring.objective == 2.0);
  CHECK(of_ring.sent == 2.0);
  CHECK(of_ring.received == 4.0);
  CHECK(of_ring.initial == 0.0);  // all zero
  CHECK(of_ring.total() == 10.0);
  const auto choco = prepare<float>(run_of("choco-sgd", "topology = { kind = \"ring\", peers = 5 }", 100));
  CHECK(memory_of_peer(choco, 3).method == 6.0);  // deg + 4
  // 2 (n - 1) messages of d / n
  const auto all = prepare<float>(run_of("allreduce-sgd", "topology = { kind = \"ring\", peers = 4 }", 100));
  CHECK(memory_of_peer(all, 3).sent == doctest::Approx(3.0));
  CHECK(memory_of_peer(all, 3).received == doctest::Approx(0.5));
  const auto hub = prepare<float>(run_of("fed-avg", "topology = { kind = \"star\", peers = 5 }", 100));
  CHECK(memory_of_peer(hub, 0).method == 5.0);
  CHECK(memory_of_peer(hub, 3).method == 4.0);
}

TEST_CASE("memory: long messages that come take the storage of those that were sent") {
  const auto d = 2'000'000;  // 8 MB
  const PeerMemory of_pair = memory_of_peer(prepare<float>(run_of("d-psgd", "topology.peers = 2", d)), 0);
  CHECK(of_pair.is_storage_shared);
  CHECK(of_pair.messages() == 3.0);
  CHECK(of_pair.total() == 2.0 + 2.0 + 3.0 + 1.0);  // method, objective, messages, an evaluation
  const PeerMemory of_ring = memory_of_peer(prepare<float>(run_of("d-psgd", "topology.peers = 4", d)), 0);
  CHECK(of_ring.messages() == 5.0);
}

TEST_CASE("memory: what methods keep of their neighbors counts, and the sentence says how many peers fit") {
  // The objectives and models of 200 peers are a fifth of this machine's memory, their replicas twenty times
  // it.
  const std::uint64_t dimension = machine_memory() / 16000;
  const RunSettings run = run_of("choco-sgd", "topology = { kind = \"complete\", peers = 200 }", dimension);
  const std::string refusal = misuse_text([&] { prepare<float>(run); });
  CHECK(refusal.starts_with("topology.peers = 200: with " + std::to_string(dimension) +
                            " parameters they need "));
  CHECK(contains(refusal, "; expected at most "));
  CHECK(contains(refusal, " peers, or at most "));
  // As many parameters as it says fit.
  const std::string behind = refusal.substr(refusal.find("or at most ") + 11);
  const std::uint64_t most = std::stoull(behind);
  CHECK(most < dimension / 10);
}

}  // namespace hearsay::test::memory_need_test
