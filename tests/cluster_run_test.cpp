#include "runtime/cluster_run.hpp"

#include <arpa/inet.h>
#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "runtime/simulator.hpp"
#include "tests/support/experiments.hpp"

using namespace hearsay;

namespace {

/// A port of loopback that nobody listens on.
std::string free_address() {
  const int probe = socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  REQUIRE(bind(probe, reinterpret_cast<sockaddr*>(&address), length) == 0);
  REQUIRE(getsockname(probe, reinterpret_cast<sockaddr*>(&address), &length) == 0);
  close(probe);
  return "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

/// The same run as several hosts would start it.
Experiment<float> with_addresses(Experiment<float> experiment, const Addresses& addresses,
                                 const std::string& observer) {
  for (PeerId id = 0; id < experiment.peer_count(); ++id)
    experiment.cluster.peers[id].address = addresses[id];
  experiment.cluster.observer = observer;
  return experiment;
}

/// What `main` returns, computed in a process of its own: exit code and one line of text.
struct Ended {
  int exit_code;
  std::string text;
};

class Process {
 public:
  template <class Main>
  explicit Process(const Main& main) {
    REQUIRE(pipe(pipe_.data()) == 0);
    pid_ = fork();
    REQUIRE(pid_ >= 0);
    if (pid_ == 0) {
      const Ended ended = main();
      [[maybe_unused]] const auto written = write(pipe_[1], ended.text.data(), ended.text.size());
      _exit(ended.exit_code);
    }
    close(pipe_[1]);
  }
  Ended join() const {
    Ended ended{0, std::string(4096, '\0')};
    const ssize_t length = read(pipe_[0], ended.text.data(), ended.text.size());
    ended.text.resize(length > 0 ? static_cast<std::size_t>(length) : 0);
    int status = 0;
    waitpid(pid_, &status, 0);
    ended.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    close(pipe_[0]);
    return ended;
  }

 private:
  std::array<int, 2> pipe_{};
  pid_t pid_ = -1;
};

const ClusterPatience short_patience{std::chrono::seconds(20), std::chrono::seconds(20)};

Process start_peer(const Experiment<float>& experiment, PeerId id,
                   const ClusterPatience& patience = short_patience) {
  return Process([&experiment, id, patience] {
    const ClusterPeerEnd<float> ended = run_cluster_peer(experiment, id, patience);
    std::string text = ended.end.reason;
    if (ended.outcome)
      for (const PeerOutcome& peer : ended.outcome->peers) text += std::to_string(peer.model_digest) + " ";
    return Ended{ended.end.exit_code, text};
  });
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("cluster: three peers started one by one, in any order, end with the simulator's bits") {
    const Addresses addresses = {free_address(), free_address(), free_address()};
    const auto experiment =
        with_addresses(quadratic_experiment<float>("dcd-psgd", "ring", 3, 50), addresses, free_address());
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

  TEST_CASE("cluster: a peer that never comes up is named") {
    const Addresses addresses = {free_address(), free_address()};
    const auto experiment =
        with_addresses(quadratic_experiment<float>("d-psgd", "ring", 2, 50), addresses, free_address());
    const Ended alone =
        start_peer(experiment, 0, {std::chrono::milliseconds(300), std::chrono::seconds(20)}).join();
    CHECK(alone.exit_code == 3);
    CHECK(alone.text.find("peer 1 (" + addresses[1] + ") did not come up within 300 ms") !=
          std::string::npos);
  }
}
