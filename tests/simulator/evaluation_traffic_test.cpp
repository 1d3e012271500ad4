#include <doctest/doctest.h>

#include "runtime/peer/peer.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"

namespace hearsay::evaluation_traffic_test {

namespace {

constexpr PeerId peers = 4;

/// Four peers with models of 100 kB. A gradient takes 1 ms; 8 Mbit/s are a byte per microsecond.
Experiment<float> four_peers(std::uint64_t iterations, const std::string& network,
                             std::uint64_t evaluate_every = 10) {
  return experiment_from<float>(
      "run = { iterations = " + std::to_string(iterations) +
      ", evaluate_every = " + std::to_string(evaluate_every) +
      " }\nmodel.kind = \"quadratic(25000)\"\ntopology = { kind = \"ring\", peers = 4 }\n"
      "algorithm = { kind = \"d-psgd\", batch = \"full\", step_size = 0.01 }\n"
      "network = { compute = \"1 ms\"" +
      network + " }\n");
}

const std::string slow = ", bandwidth = \"8 Mbit/s\", latency = \"3 ms\"";
const std::string shaped = ", evaluations = \"shaped\"";

constexpr double model = 100'064e-6;  // on the wire, in seconds: 100,000 bytes and a header
constexpr double word = 64e-6;        // a verdict
constexpr double latency = 3e-3;

/// A method that trains alone, and sends nothing.
class Alone final : public Algorithm<float> {
 public:
  explicit Alone(Index dimension) : model_(dimension) { model_.setZero(); }
  Task iterate(Iteration<float>& it) override { co_await it.full_gradient(model_); }
  const Vector<float>& model() const override { return model_; }
  void visit_state(StateVisitor<float>& visitor) override { visitor.state("x", model_); }
  Traffic traffic(std::uint64_t, const PeerRows&) const override { return {}; }

 private:
  Vector<float> model_;
};

RunOutcome<float> simulate_alone(const Experiment<float>& experiment) {
  return simulate<float>(experiment,
                         [&](PeerId id, PacketPool& packets) {
                           return make_peer_with<float>(experiment, id, packets, [&](PeerId) {
                             return std::make_unique<Alone>(experiment.problem.dimension());
                           });
                         },
                         Duration{0}, {});
}

doctest::Approx about(double seconds) { return doctest::Approx(seconds).epsilon(1e-12); }

}  // namespace

TEST_CASE("shaped evaluations: a run ends when the last model has come through the port of the observer") {
  CHECK(simulate_alone(four_peers(10, slow + shaped)).seconds == about(0.010 + latency + peers * model));
  // The second models follow the first ones: no peer may pass its second evaluation meanwhile.
  CHECK(simulate_alone(four_peers(20, slow + shaped)).seconds == about(0.010 + latency + 2 * peers * model));
}

TEST_CASE("shaped evaluations: free ones take no time, nor do those of a network without limits") {
  CHECK(simulate_alone(four_peers(30, slow)).seconds == about(0.030));
  CHECK(simulate_alone(four_peers(30, shaped)).seconds == about(0.030));
}

TEST_CASE("shaped evaluations: a peer waits for the verdict, which leaves the port of the observer in turn") {
  const RunOutcome<float> outcome = simulate_alone(four_peers(30, slow + shaped));
  for (PeerId id = 0; id < peers; ++id) {
    const double heard = 0.010 + latency + peers * model + (id + 1) * word + latency;
    CHECK(seconds(outcome.peers[id].meters.wait) == about(heard - 0.020));
    CHECK(seconds(outcome.peers[id].meters.now) <= outcome.seconds);
  }
  // The last peer goes on for ten more iterations.
  CHECK(outcome.evaluations.back().seconds == about(0.020 + 2 * latency + peers * (model + word)));
}

TEST_CASE("shaped evaluations: while the data are at home, the mean model goes to every peer, answers come") {
  Experiment<float> experiment = four_peers(10, slow + shaped);
  experiment.problem.at_home = true;
  constexpr double answer = 96e-6;
  CHECK(simulate_alone(experiment).seconds == about(0.010 + 3 * latency + 2 * peers * model + answer));
}

TEST_CASE("shaped evaluations: a peer that judges its own model sends 608 bytes") {
  Experiment<float> experiment = four_peers(10, slow + shaped);
  experiment.settings.run.evaluate = RunSettings::Run::Evaluate::own;
  CHECK(simulate_alone(experiment).seconds == about(0.010 + latency + peers * 608e-6));
}

TEST_CASE("shaped evaluations: a model delays the messages behind it, and no bit changes") {
  const auto free = simulate(four_peers(2, slow, 1), Duration{0});
  const auto delayed = simulate(four_peers(2, slow + shaped, 1), Duration{0});
  const double first = 2 * model + latency;  // to two neighbors, while the gradient is computed
  CHECK(free.evaluations[1].seconds == about(first));
  CHECK(free.evaluations[2].seconds == about(2 * first));
  CHECK(delayed.evaluations[1].seconds == about(first));
  CHECK(delayed.evaluations[2].seconds == about(first + 3 * model + latency));
  for (PeerId id = 0; id < peers; ++id) {
    CHECK(delayed.peers[id].model_digest == free.peers[id].model_digest);
    CHECK(delayed.peers[id].meters.bytes_sent == free.peers[id].meters.bytes_sent);
  }
  for (std::size_t k = 0; k < 3; ++k) CHECK(delayed.evaluations[k].loss == free.evaluations[k].loss);
  CHECK(delayed.mean_model == free.mean_model);
}

}  // namespace hearsay::evaluation_traffic_test
