// Law: a simulation ends with the same bits, whatever the number of threads.
#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/thread_crew.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/outcome_record.hpp"

namespace hearsay::test::crew_law_test {

namespace {

/// A crew of which is known how many works it was given.
class CountedCrew final : public Crew {
 public:
  explicit CountedCrew(std::size_t size) : crew_(size) {}
  std::size_t size() const override { return crew_.size(); }
  void work(const std::function<void(std::size_t)>& part) override {
    ++works_;
    crew_.work(part);
  }
  int works() const { return works_; }

 private:
  ThreadCrew crew_;
  int works_ = 0;
};

template <class Scalar>
std::string record_with(const Experiment<Scalar>& experiment, Crew* crew) {
  RunControl control;
  control.crew = crew;
  const RunOutcome<Scalar> outcome = simulate(experiment, std::chrono::microseconds(300), control);
  std::string text =
      record_text(experiment, outcome) + "\nmean " + std::to_string(digest(outcome.mean_model));
  for (const Vector<Scalar>& model : outcome.models) text += "\nmodel " + std::to_string(digest(model));
  return text;
}

/// Shows the first lines that differ, not the texts: those of many peers are long.
void check_equal(const std::string& text, const std::string& expected) {
  std::istringstream lines(text);
  std::istringstream others(expected);
  std::string line;
  std::string other;
  while (std::getline(lines, line) && std::getline(others, other)) REQUIRE(line == other);
  CHECK(text.size() == expected.size());
}

/// Simulates with one thread, two and three. Returns how many works the crew of two was given.
template <class Scalar>
int check_crews(const Experiment<Scalar>& experiment) {
  const std::string alone = record_with<Scalar>(experiment, nullptr);
  CountedCrew two(2);
  check_equal(record_with(experiment, &two), alone);
  CountedCrew three(3);
  check_equal(record_with(experiment, &three), alone);
  return two.works();
}

/// Two turns of such a model are worth a crew.
const std::string large = "model.kind = \"quadratic(8200)\"\n";
/// Making the peers is one work.
constexpr int only_beside_the_run = 2;

const std::vector<std::string> networks = {
    "", "network = { bandwidth = \"1 Gbit/s\", latency = \"5 ms\", compute = \"2 ms\" }\n",
    "network = { bandwidth_up = \"100 Mbit/s\", bandwidth_down = \"1 Gbit/s\", latency = \"100 us\", jitter "
    "= \"3 ms\", message_loss = \"20%\", framing = \"ethernet\", compute = \"lognormal(2 ms, 0.5)\" }\n",
    "network = { bandwidth = \"100 Mbit/s\", latency = \"2 ms\", compute = \"1 ms\", evaluations = "
    "\"shaped\" }\n",
    "network = { compute = \"0 s\" }\n"};

}  // namespace

TEST_CASE("crew: every method ends with the same bits and times with one thread, two and three") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const int works = check_crews(experiment_from<float>(
        large +
        "run = { iterations = 6, evaluate_every = 2 }\nnetwork.compute = \"1 ms\"\ntopology = { kind = \"" +
        (method.pattern.has_hub ? "star" : "torus(3x3)") + "\", peers = 9 }\nalgorithm = { kind = \"" +
        method.name + "\", step_size = 0.01, allow_unsound = true }\n"));
    CHECK(works > only_beside_the_run);
  }
}

TEST_CASE("crew: so do runs on networks of all kinds, whether messages come in order or decide the run") {
  for (const std::string& network : networks)
    for (const std::string algorithm :
         {"topology.peers = 7\nalgorithm.kind = \"dcd-psgd\"\n",
          "topology.peers = 6\nalgorithm = { kind = \"ad-psgd\", step_size = 0.01 }\n",
          "topology = { kind = \"complete\", peers = 6, schedule = \"random-matchings\", participation = 0.7 "
          "}\nalgorithm.kind = \"d-psgd\"\n",
          "topology.peers = 5\nalgorithm = { kind = \"d-psgd\", staleness = 2, consensus_step = 0.3 }\n",
          "topology = { kind = \"star\", peers = 6, round_deadline = \"70 ms\" }\nalgorithm.kind = "
          "\"fed-avg\"\n",
          "topology.peers = 6\nrun.evaluate = \"own\"\nalgorithm.kind = \"choco-sgd\"\n"}) {
      CAPTURE(network);
      CAPTURE(algorithm);
      check_crews(experiment_from<double>(large + "run.iterations = 9\nrun.evaluate_every = 3\n" + network +
                                          algorithm));
    }
}

TEST_CASE("crew: so do a run with faults, one that diverges, and one with more peers than turns at a time") {
  check_crews(experiment_from<float>(
      large +
      "run.iterations = 12\ntopology.peers = 5\nalgorithm.kind = \"d-psgd\"\nfailure.policy = "
      "\"drop\"\n[[fault]]\npeer = 2\nat = \"2 ms\"\nkind = \"kill\"\n"));
  check_crews(experiment_from<float>(
      large +
      "run.iterations = 400\ntopology.peers = 5\nalgorithm = { kind = \"d-psgd\", batch = \"full\", "
      "step_size = 100 }\n"));
  check_crews(experiment_from<float>(
      "model.kind = \"quadratic(20)\"\nrun = { iterations = 4, evaluate_every = 2 }\ntopology.peers = "
      "5000\nalgorithm.kind = \"dcd-psgd\"\n"));
}

TEST_CASE("crew: what an objective throws ends the run in the same words") {
  class Failing final : public Objective<double> {
   public:
    explicit Failing(PeerId peer) : peer_(peer) {}
    Index dimension() const override { return 9000; }
    Index sample_count() const override { return 4; }
    double loss(const Vector<double>&) const override { return 1.0; }
    void gradient(const Vector<double>& x, std::span<const Index>, Vector<double>& gradient) const override {
      if (peer_ > 1 && x[0] < -0.25) throw std::runtime_error("peer " + std::to_string(peer_) + " is tired");
      gradient.setOnes();
    }

   private:
    PeerId peer_;
  };
  Problem<double> problem;
  for (PeerId peer = 0; peer < 6; ++peer) problem.objectives.push_back(std::make_unique<Failing>(peer));
  problem.initial.setZero(9000);
  const auto experiment =
      prepare<double>(parse_run("topology.peers = 6\nalgorithm = { kind = \"d-psgd\", step_size = 0.1 }\n",
                                ".", {}, "t.toml"),
                      std::move(problem));
  check_crews(experiment);
  CHECK(simulate(experiment, Duration{1000}).reason ==
        "peer 2: its objective failed in iteration 4: peer 2 is tired");
}

}  // namespace hearsay::test::crew_law_test
