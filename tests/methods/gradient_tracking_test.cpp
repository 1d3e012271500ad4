#include <doctest/doctest.h>

#include "runtime/peer/peer.hpp"
#include "tests/methods/optimum.hpp"

namespace hearsay::test::gradient_tracking_test {

namespace {

const std::vector<World> worlds = {
    {"ring", 8},
    {"path", 5},
    {"star", 6},
    {"complete", 5},
    {"exponential", 8, "metropolis", "one-peer-exponential"},
    {"exponential", 6, "metropolis", "one-peer-exponential"},
    {"hypercube", 8, "metropolis", "hypercube-matchings"},
    {"star", 5, "metropolis", "random-matchings"},
};

template <class Scalar>
Vector<double> mean_state(const std::vector<PeerRecord<Scalar>>& peers, const std::string& name) {
  Vector<double> sum = Vector<double>::Zero(peers.front().model.size());
  for (const PeerRecord<Scalar>& peer : peers) sum += peer.states.at(name).template cast<double>();
  return sum / static_cast<double>(peers.size());
}

template <class Scalar>
void check_tracker(const World& world, const std::optional<std::uint64_t>& batch) {
  CAPTURE(world.name());
  const Plan plan{.iterations = 200, .batch = batch};
  const auto recording = record_run(regressions_in<Scalar>(world, "gradient-tracking", plan, batch ? 19 : 5));
  const double rounding = std::is_same_v<Scalar, float> ? 1e-5 : 1e-13;
  for (const auto& peers : recording)
    CHECK((mean_state(peers, "tracker") - mean_state(peers, "last gradient")).cwiseAbs().maxCoeff() <
          rounding);
}

}  // namespace

TEST_CASE("gradient-tracking: the mean tracker is the mean of the last gradients, whatever the rounds") {
  for (const World& world : worlds)
    for (const auto& batch : {std::optional<std::uint64_t>(), {2}}) {
      check_tracker<float>(world, batch);
      check_tracker<double>(world, batch);
    }
}

TEST_CASE("gradient-tracking: all peers reach the exact optimum with a constant step, on schedules, too") {
  for (const World& world : worlds) {
    CAPTURE(world.name());
    const Vector<double> optimum = quadratic_optimum(19, world.peers);
    const Plan plan{.iterations = 2500, .step_size = 0.05};
    CHECK(largest_distance(record_run(quadratics_in<double>(world, "gradient-tracking", plan)).back(),
                           optimum) < 1e-12);
    CHECK(largest_distance(record_run(quadratics_in<double>(world, "d-psgd", plan)).back(), optimum) > 1e-3);
  }
}

TEST_CASE("gradient-tracking: on W = J it is centralized gradient descent") {
  const World world{"complete", 5};
  const auto tracked = record_run(quadratics_in<double>(world, "gradient-tracking", {}));
  const auto centralized = record_run(quadratics_in<double>(world, "allreduce-sgd", {}));
  for (std::size_t t = 0; t < tracked.size(); ++t)
    CHECK(largest_distance(tracked[t], centralized[t][0].model) < 1e-14);
}

TEST_CASE("gradient-tracking: the trackers are on their way before the gradient is asked for") {
  const auto experiment = quadratics_in<double>({"ring", 8}, "gradient-tracking", {});
  PacketPool packets;
  const auto peer = make_peer(experiment, 3, packets);
  peer->verdict(0, true);
  peer->start();
  CHECK(peer->state() == PeerState::needs_gradient);
  REQUIRE(peer->outbox().size() == 2);
  for (const Outgoing& sent : peer->outbox()) CHECK(sent.key.slot == 0);
  peer->outbox().clear();
  peer->compute_gradient();
  peer->gradient_arrived();
  CHECK(peer->state() == PeerState::needs_messages);  // the neighbors' trackers; the models go out after them
  CHECK(peer->outbox().empty());
}

}  // namespace hearsay::test::gradient_tracking_test
