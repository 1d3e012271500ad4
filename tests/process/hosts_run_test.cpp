#include "runtime/process/hosts_run.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <zmq.hpp>

#include "runtime/experiment/run_agreement.hpp"
#include "runtime/simulator/simulator.hpp"
#include "runtime/zmq/frames.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/let_pass.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::hosts_run_test {

namespace {

/// Returns the experiment with the addresses that the topology file of several hosts would give.
Experiment<float> with_addresses(Experiment<float> experiment, const Addresses& addresses,
                                 const std::string& observer) {
  for (PeerId id = 0; id < experiment.peer_count(); ++id)
    experiment.topology.peers[id].address = addresses[id];
  experiment.topology.observer = observer;
  return experiment;
}

const HostsPatience short_patience{std::chrono::seconds(20)};

Process start_peer(const Experiment<float>& experiment, PeerId id,
                   const HostsPatience& patience = short_patience, const RunControl& control = {}) {
  return Process([&experiment, id, patience, control] {
    try {
      const HostsPeerEnd<float> ended = run_hosts_peer(experiment, id, patience, control);
      std::string text = ended.end.reason;
      if (ended.outcome)
        for (const PeerOutcome& peer : ended.outcome->peers) text += std::to_string(peer.model_digest) + " ";
      return Ended{ended.end.exit_code, text};
    } catch (const Misuse& misuse) {
      return Ended{2, misuse.what()};
    }
  });
}

/// Plays a process with the id of peer 1: it exchanges hello and welcome with peer 2, and is gone.
void come_and_go(const Experiment<float>& experiment, const Addresses& addresses) {
  const Agreement agreement = agreement_of(experiment);
  constexpr std::size_t limit = 1 << 16;
  zmq::context_t context;
  zmq::socket_t router(context, zmq::socket_type::router);
  router.bind(addresses[1]);
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  dealer.set(zmq::sockopt::routing_id, new_routing_id(1));
  dealer.connect(addresses[2]);
  FrameHeader head;
  head.kind = FrameKind::hello;
  head.run_id = run_id(agreement);
  head.sender = 1;
  head.incarnation = 7;
  REQUIRE(send_frame(dealer, {}, head, encode_agreement(agreement)));
  bool welcomed = false;
  bool greeted = false;
  while (!welcomed || !greeted) {
    std::array<zmq::pollitem_t, 2> items{
        {{router.handle(), 0, ZMQ_POLLIN, 0}, {dealer.handle(), 0, ZMQ_POLLIN, 0}}};
    REQUIRE(zmq::poll(items.data(), items.size(), std::chrono::seconds(20)) > 0);
    ReceivedFrame frame;
    if (receive_at_dealer(dealer, limit, frame) == Reception::frame)
      welcomed = welcomed || frame.header.kind == FrameKind::welcome;
    if (receive_at_router(router, limit, frame) != Reception::frame || frame.header.kind != FrameKind::hello)
      continue;
    greeted = true;
    head.kind = FrameKind::welcome;
    REQUIRE(send_frame(router, frame.from, head, {}));
  }
}

/// An objective whose loss takes `loss_takes_ms`, as with many data.
class SlowToEvaluate final : public Objective<float> {
 public:
  SlowToEvaluate(std::unique_ptr<const Objective<float>> f, int loss_takes_ms)
      : f_(std::move(f)), loss_takes_ms_(loss_takes_ms) {}
  Index dimension() const override { return f_->dimension(); }
  Index sample_count() const override { return f_->sample_count(); }
  SegmentTable segments() const override { return f_->segments(); }
  double loss(const Vector<float>& x) const override {
    let_pass(loss_takes_ms_);
    return f_->loss(x);
  }
  void gradient(const Vector<float>& x, std::span<const Index> samples,
                Vector<float>& gradient) const override {
    f_->gradient(x, samples, gradient);
  }

 private:
  std::unique_ptr<const Objective<float>> f_;
  int loss_takes_ms_;
};

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("cluster: three peers started one by one, in any order, end with the simulator's bits") {
    for (const Index dimension : {50, 100'000}) {  // whose models travel whole, and in pieces
      CAPTURE(dimension);
      const Addresses addresses = {free_address(), free_address(), free_address()};
      const auto experiment = with_addresses(quadratic_experiment<float>("dcd-psgd", "ring", 3, dimension),
                                             addresses, free_address());
      const Process third = start_peer(experiment, 2);
      const Process first = start_peer(experiment, 0);
      const Process second = start_peer(experiment, 1);
      const Ended observed = first.join();
      CHECK(observed.exit_code == 0);
      CHECK(second.join().exit_code == 0);
      CHECK(third.join().exit_code == 0);
      std::string expected;
      for (const PeerOutcome& peer : simulate(experiment, Duration{0}).peers)
        expected += std::to_string(peer.model_digest) + " ";
      CHECK(observed.text == expected);
    }
  }

  TEST_CASE("cluster: evaluations pass the emulated network of hosts that share no clock, too") {
    const Addresses addresses = {free_address(), free_address(), free_address()};
    auto experiment =
        with_addresses(quadratic_experiment<float>("dcd-psgd", "ring", 3, 500), addresses, free_address());
    experiment.settings.network.bandwidth_up = experiment.settings.network.bandwidth_down = Bandwidth{1e5};
    experiment.settings.network.latency = std::chrono::milliseconds(20);
    experiment.settings.evaluations = EvaluationFrames::shaped;
    std::vector<Process> peers;
    for (const PeerId id : {0u, 1u, 2u}) peers.push_back(start_peer(experiment, id));
    std::string expected;
    for (const PeerOutcome& peer : simulate(experiment, Duration{0}).peers)
      expected += std::to_string(peer.model_digest) + " ";
    const Ended observed = peers[0].join();
    CHECK(observed.exit_code == 0);
    CHECK(observed.text == expected);
    for (const PeerId id : {1u, 2u}) CHECK(peers[id].join().exit_code == 0);
  }

  TEST_CASE(
      "cluster: nobody takes the observer for lost while it evaluates for longer than failure.lost_after") {
    const Addresses addresses = {free_address(), free_address(), free_address()};
    auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 3, 50), addresses, free_address());
    experiment.settings.failure.lost_after = std::chrono::milliseconds(500);
    auto& first = experiment.problem.objectives.front();
    first = std::make_unique<SlowToEvaluate>(std::move(first), 1500);
    std::vector<Process> peers;
    for (const PeerId id : {0u, 1u, 2u}) peers.push_back(start_peer(experiment, id));
    for (const Process& peer : peers) {
      const Ended ended = peer.join();
      CHECK_MESSAGE(ended.exit_code == 0, ended.text);
    }
  }

  TEST_CASE("cluster: a peer that dies before the run begins may be started anew") {
    const Addresses addresses = {free_address(), free_address(), free_address()};
    const auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 3, 50), addresses, free_address());
    const Process third = start_peer(experiment, 2);
    come_and_go(experiment, addresses);
    const Process second = start_peer(experiment, 1);
    const Process first = start_peer(experiment, 0);
    for (const Process* process : {&first, &second, &third}) {
      const Ended ended = process->join();
      CHECK_MESSAGE(ended.exit_code == 0, ended.text);
    }
  }

  TEST_CASE(
      "cluster: a peer that dies in the last iteration, when nobody may wait for it any more, is named") {
    const Addresses addresses = {free_address(), free_address(), free_address()};
    auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 3, 50), addresses, free_address());
    // The message of peer 1 takes 3 s. Once it has come, the others wait only for the end of the run.
    experiment.iterations = 1;
    experiment.settings.run.evaluate_every = 1;
    experiment.settings.network.latency = std::chrono::seconds(3);
    experiment.settings.failure.lost_after = std::chrono::seconds(6);
    std::array<int, 2> begun{};
    REQUIRE(pipe(begun.data()) == 0);
    RunControl control;
    control.on_evaluation = [&](const Evaluation&) { REQUIRE(write(begun[1], "x", 1) == 1); };
    const Process first = start_peer(experiment, 0, short_patience, control);
    const Process second = start_peer(experiment, 1);
    const Process third = start_peer(experiment, 2);
    char trains = 0;
    REQUIRE(read(begun[0], &trains, 1) == 1);
    kill(second.pid(), SIGSTOP);
    for (const Process* process : {&first, &third}) {
      const Ended ended = process->join();
      CHECK(ended.exit_code == 3);
      CHECK_MESSAGE(ended.text.find("peer 1 was lost") != std::string::npos, ended.text);
    }
    kill(second.pid(), SIGKILL);
    CHECK(second.join().exit_code == -1);
    close(begun[0]);
    close(begun[1]);
  }

  TEST_CASE("cluster: peers with different run files refuse each other and say what differs") {
    const Addresses addresses = {free_address(), free_address()};
    const std::string observer = free_address();
    const auto mine =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 2, 50), addresses, observer);
    const auto theirs =
        with_addresses(quadratic_experiment<float>("dcd-psgd", "ring", 2, 50), addresses, observer);
    const Process first = start_peer(mine, 0);
    const Process second = start_peer(theirs, 1);
    for (const Ended& ended : {first.join(), second.join()}) {
      CHECK(ended.exit_code == 2);
      CHECK(ended.text.find("algorithm.kind") != std::string::npos);
      CHECK(ended.text.find("dcd-psgd") != std::string::npos);
    }
  }

  TEST_CASE("cluster: peers that want different numbers of iterations say so before they train") {
    const Addresses addresses = {free_address(), free_address()};
    auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 2, 50), addresses, free_address());
    const Process first = start_peer(experiment, 0);
    experiment.iterations = 30;
    const Process second = start_peer(experiment, 1);
    CHECK(second.join().text.find("peer 0 runs 20 iterations, peer 1 30") != std::string::npos);
    CHECK(first.join().exit_code == 2);
  }

  TEST_CASE("cluster: a peer that never comes up is named") {
    const Addresses addresses = {free_address(), free_address()};
    const auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 2, 50), addresses, free_address());
    const Ended alone = start_peer(experiment, 0, {std::chrono::milliseconds(300)}).join();
    CHECK(alone.exit_code == 3);
    CHECK(alone.text.find("peer 1 (" + addresses[1] + ") did not come up within 300 ms") !=
          std::string::npos);
  }

  TEST_CASE("cluster: a peer that never comes up ends the run for those, too, who are not its neighbors") {
    const Addresses addresses = {free_address(), free_address(), free_address(), free_address(),
                                 free_address()};
    const auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 5, 50), addresses, free_address());
    const HostsPatience patience{std::chrono::milliseconds(1500)};
    std::vector<Process> started;
    for (const PeerId id : {0u, 1u, 2u, 4u}) started.push_back(start_peer(experiment, id, patience));
    for (Process& process : started) {
      const Ended ended = process.join();
      CHECK(ended.exit_code == 3);
      CHECK_MESSAGE(ended.text.find("peer 3") != std::string::npos, ended.text);
    }
  }

  TEST_CASE("cluster: a peer that is to take sockets of its machine is refused") {
    auto experiment = with_addresses(quadratic_experiment<float>("d-psgd", "ring", 3, 50),
                                     {free_address(), free_address(), free_address()}, free_address());
    experiment.settings.transport = Transport::ipc;
    CHECK(misuse_text([&] { run_hosts_peer(experiment, 1, short_patience); }) ==
          "network.transport = ipc: hearsay peer connects its peers by TCP; expected \"auto\" or \"tcp\"");
  }

  TEST_CASE("cluster: a peer that falls silent is named by all, and by its own name") {
    const Addresses addresses = {free_address(), free_address(), free_address(), free_address(),
                                 free_address()};
    auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 5, 50), addresses, free_address());
    experiment.iterations = 1'000'000'000;  // so many that no peer finishes
    experiment.settings.run.evaluate_every = 100;
    experiment.settings.failure.lost_after = std::chrono::seconds(3);
    std::array<int, 2> evaluations{};
    REQUIRE(pipe(evaluations.data()) == 0);
    RunControl control;
    control.on_evaluation = [&](const Evaluation& evaluation) {
      if (evaluation.iteration == 100) REQUIRE(write(evaluations[1], "x", 1) == 1);
    };

    std::vector<Process> others;
    for (const PeerId id : {0u, 1u, 2u, 4u})
      others.push_back(start_peer(experiment, id, short_patience, control));
    const Process silent = start_peer(experiment, 3);
    char trains = 0;
    REQUIRE(read(evaluations[0], &trains, 1) == 1);
    kill(silent.pid(), SIGSTOP);
    for (const Process& other : others) {
      const Ended ended = other.join();
      CHECK(ended.exit_code == 3);
      CHECK_MESSAGE(ended.text.find("peer 3 was lost") != std::string::npos, ended.text);
    }
    kill(silent.pid(), SIGKILL);
    CHECK(silent.join().exit_code == -1);
    close(evaluations[0]);
    close(evaluations[1]);
  }
}

}  // namespace hearsay::test::hosts_run_test
