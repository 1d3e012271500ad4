#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <utility>

#include "runtime/process/hosts_run.hpp"
#include "runtime/process/local_run.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/process.hpp"

namespace hearsay::test::objective_failure_test {

using namespace std::chrono_literals;

namespace {

/// An objective that throws when it is asked for its gradient number 16.
class FailsAtLast final : public Objective<float> {
 public:
  explicit FailsAtLast(std::unique_ptr<const Objective<float>> sound) : sound_(std::move(sound)) {}
  Index dimension() const override { return sound_->dimension(); }
  Index sample_count() const override { return sound_->sample_count(); }
  double loss(const Vector<float>& x) const override { return sound_->loss(x); }
  void gradient(const Vector<float>& x, std::span<const Index> samples,
                Vector<float>& gradient) const override {
    if (++asked_ == 16) throw std::runtime_error("a bad sample");
    sound_->gradient(x, samples, gradient);
  }

 private:
  std::unique_ptr<const Objective<float>> sound_;
  mutable int asked_ = 0;
};

/// Returns an experiment in which the objective of peer 1 fails in iteration 16 of 20.
Experiment<float> failing_experiment() {
  auto experiment = quadratic_experiment<float>("dcd-psgd", "ring", 4, 10);
  auto& objective = experiment.problem.objectives[1];
  objective = std::make_unique<FailsAtLast>(std::move(objective));
  return experiment;
}

const std::string sentence = "peer 1: its objective failed in iteration 16: a bad sample";

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("objective: what one throws ends the run, with its words as the reason") {
    for (const Duration takes : {Duration{0}, Duration{2ms}}) {  // in the peer's own thread, and beside it
      CAPTURE(takes.count());
      auto experiment = failing_experiment();
      if (takes > Duration{0})
        experiment.settings.network.compute = {ComputeTime::Kind::constant, takes, 0.0};
      const auto outcome = run_local(experiment);
      CHECK(outcome.status == RunStatus::lost);
      CHECK(outcome.reason == sentence);
    }
  }

  TEST_CASE("objective: what one throws is told to the peers on other hosts, which do not wait for it") {
    auto experiment = failing_experiment();
    experiment.settings.failure.lost_after = 1h;
    for (NamedPeer& peer : experiment.topology.peers) peer.address = free_address();
    experiment.topology.observer = free_address();
    std::vector<Process> peers;
    for (PeerId id = 0; id < experiment.peer_count(); ++id)
      peers.emplace_back([&experiment, id] {
        const auto ended = run_hosts_peer(experiment, id, HostsPatience{20s}, {});
        return Ended{ended.end.exit_code, ended.end.reason};
      });
    for (const Process& peer : peers) {
      const Ended ended = peer.join();
      CHECK(ended.exit_code == 3);
      CHECK(ended.text == sentence);
    }
  }
}

}  // namespace hearsay::test::objective_failure_test
