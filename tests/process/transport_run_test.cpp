#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "runtime/process/local_addresses.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/process/crowd_of_another_user.hpp"
#include "tests/process/own_network.hpp"
#include "tests/process/twins.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::test::transport_run_test {

namespace {

std::string run_over(const std::string& transport, const std::string& method) {
  return "run = { iterations = 12, evaluate_every = 4 }\nmodel.kind = \"quadratic(1000)\"\n"
         "topology = { kind = \"ring\", peers = 4 }\nalgorithm = { batch = \"full\", kind = \"" +
         method + "\" }\nnetwork.transport = \"" + transport + "\"\n";
}

/// How many sockets of this network namespace listen for TCP.
int tcp_listeners() {
  int count = 0;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream lines(table);
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string place, local, remote, state;
      words >> place >> local >> remote >> state;
      count += state == "0A";
    }
  }
  return count;
}

/// Runs in a network of its own, and says how many sockets listened for TCP in the middle; 77 if this process
/// may not make a network.
Ended tcp_listeners_of(const std::string& transport) {
  const Process alone([&] {
    if (!enter_own_network()) return Ended{77, ""};
    int most = 0;
    RunControl control;
    control.on_evaluation = [&](const Evaluation&) { most = std::max(most, tcp_listeners()); };
    const RunOutcome<float> outcome =
        run_local(experiment_from<float>(run_over(transport, "d-psgd")), control);
    return Ended{outcome.status == RunStatus::done ? 0 : 1, std::to_string(most)};
  });
  return alone.join();
}

}  // namespace

TEST_CASE("transport: over sockets of the machine and over TCP a run has the bits of the simulator") {
  for (const char* method : {"d-psgd", "dcd-psgd", "allreduce-sgd"})
    for (const char* transport : {"ipc", "tcp"}) {
      CAPTURE(transport);
      check_twins(experiment_from<float>(run_over(transport, method)));
    }
}

TEST_CASE("transport: over sockets of the machine nothing listens on a port") {
  const std::map<std::string, std::string> listeners = {{"auto", "0"}, {"ipc", "0"}, {"tcp", "5"}};
  for (const auto& listening : listeners) {  // over TCP the four peers and the observer
    CAPTURE(listening.first);
    const Ended ended = tcp_listeners_of(listening.first);
    if (ended.exit_code == 77) {
      MESSAGE("skipped: no network namespace to be had here, so other programs listen, too");
      return;
    }
    CHECK(ended.exit_code == 0);
    CHECK(ended.text == listening.second);
  }
}

TEST_CASE(
    "transport: sockets of the machine close a connection of another user at once, and the run goes on") {
  if (geteuid() != 0) {
    MESSAGE("skipped: a crowd of another user (only root can become one)");
    return;
  }
  const auto experiment = experiment_from<float>(run_over("ipc", "d-psgd"));
  const Process alone([&] {
    if (!enter_own_network()) return Ended{77, ""};
    const CrowdOfAnotherUser crowd;
    const rlimit fewer_files{200, 200};  // of a process of the run, and fewer than the crowd connects to it
    if (setrlimit(RLIMIT_NOFILE, &fewer_files) != 0) return Ended{1, "no limit"};
    std::string seen;
    RunControl control;
    control.on_evaluation = [&](const Evaluation& evaluation) {
      if (evaluation.iteration == 4) seen = crowd.comes();
    };
    const RunOutcome<float> outcome = run_local(experiment, control);
    const bool same_bits = outcome.mean_model == simulate(experiment, Duration{1000}).mean_model;
    return Ended{outcome.status == RunStatus::done && same_bits ? 0 : 1, seen + outcome.reason};
  });
  const Ended ended = alone.join();
  if (ended.exit_code == 77) {
    MESSAGE("skipped: no network namespace to be had here, so other programs listen, too");
    return;
  }
  CHECK(ended.exit_code == 0);
  CHECK(ended.text == "of 1250 connections to 5 sockets 1250 were closed without a word");
}

TEST_CASE("transport: who has read the names of some sockets of a run cannot guess that of another") {
  constexpr PeerId joins_later = 2;
  const auto experiment = experiment_from<float>(run_over("ipc", "d-psgd"));
  LocalAddresses addresses(experiment.settings, experiment.topology.peers, nullptr);
  const std::vector<std::string> names = {addresses.first_of(0), addresses.first_of(1),
                                          addresses.of_observer(), addresses.known_of(joins_later)};
  std::set<std::string> random_parts;
  for (const std::string& name : names) random_parts.insert(name.substr(0, name.rfind('-')));
  CHECK(random_parts.size() == names.size());
  CHECK(addresses.first_of(1) == names[1]);  // where it listens again after it was killed
  CHECK(addresses.of_observer() == names[2]);
  LocalAddresses of_another_run(experiment.settings, experiment.topology.peers, nullptr);
  CHECK(of_another_run.first_of(1) != names[1]);
}

TEST_CASE("transport: only a run over TCP needs a congestion control that the kernel has") {
  const auto run = [](const std::string& transport) {
    return misuse_text([&] {
      run_local(experiment_from<float>(run_over(transport, "d-psgd") + "network.congestion = \"cubik\"\n"));
    });
  };
  CHECK(run("ipc").empty());
  CHECK(contains(run("tcp"), "network.congestion = cubik: this kernel does not have it"));
}

}  // namespace hearsay::test::transport_run_test
