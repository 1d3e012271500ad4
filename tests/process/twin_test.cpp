#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/peer/replica_watch.hpp"
#include "runtime/process/drive_peer.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/record/summary.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/methods/method_variants.hpp"
#include "tests/process/own_network.hpp"
#include "tests/process/twins.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/process.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::twin_test {

namespace {

constexpr Duration patience = std::chrono::seconds(20);

/// The processes that this one has started, in ascending pid.
std::vector<pid_t> children() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
    std::ifstream stat(entry.path() / "stat");
    std::string text;
    std::getline(stat, text);
    // "pid (name) state ppid ...", and the name may hold anything
    std::istringstream rest(text.substr(std::min(text.size(), text.rfind(')') + 1)));
    char state = 0;
    pid_t parent = 0;
    if (rest >> state >> parent && parent == getpid()) found.push_back(std::stoi(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

/// Bytes received on the loopback of this network namespace.
std::uint64_t loopback_bytes() {
  std::ifstream devices("/proc/net/dev");
  for (std::string line; std::getline(devices, line);)
    if (const auto at = line.find("lo:"); at != std::string::npos) return std::stoull(line.substr(at + 3));
  return 0;
}

/// Starts peer `id` of a run of two in a process of its own.
Process start_peer(const Experiment<float>& experiment, PeerId id, const Addresses& addresses,
                   const std::string& observer) {
  return Process([&experiment, id, addresses, observer] {
    const PeerEnd end = drive_peer(experiment, id,
                                   {.bind_address = addresses[id],
                                    .same_machine = true,
                                    .start_patience = patience,
                                    .meet = [&](const std::string&) {
                                      return RunAddresses{addresses, observer};
                                    }});
    return Ended{end.exit_code, end.reason};
  });
}

/// Starts two peers that do not agree; both must say so.
void check_refusal(const Experiment<float>& first, const Experiment<float>& second, const std::string& key,
                   const std::string& value, const std::string& other_value) {
  CAPTURE(key);
  const Addresses addresses = {free_address(), free_address()};
  const std::string observer = free_address();  // no observer: the peers end before they need one
  const Process zero = start_peer(first, 0, addresses, observer);
  const Process one = start_peer(second, 1, addresses, observer);
  for (const Ended& ended : {zero.join(), one.join()}) {
    CAPTURE(ended.text);
    CHECK(ended.exit_code == 2);
    for (const std::string& word : {key, value, other_value})
      CHECK(ended.text.find(word) != std::string::npos);
  }
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("twin: digests of replicas travel on both drivers, and none differs") {
    for (const std::string method : {"dcd-psgd", "choco-sgd", "beer"})
      for (const char* compressor : {"", "grid(0.01)"}) {
        Plan plan{.compressor = compressor, .iterations = 2 * digest_every + 1};
        if (!plan.compressor.empty() && method != "beer") plan.options.set(option::side_information, "last");
        const auto twins = check_twins(quadratics_in<float>({"ring", 3}, method, plan));
        for (const PeerOutcome& peer : twins.real.peers) CHECK(peer.meters.counters.digests_compared == 4);
      }
  }

  TEST_CASE("twin: messages that travel in pieces change no bit, and count as ever") {
    for (const char* method : {"d-psgd", "allreduce-sgd"}) {
      // 12 MB a model: three pieces, the last one shorter; of the all-reduce, a half is two.
      const auto twins = check_twins(quadratic_experiment<float>(method, "ring", 2, 3'000'000));
      for (const PeerOutcome& peer : twins.real.peers) CHECK(peer.meters.retransmitted == 0);
    }
  }

  TEST_CASE("twin: evaluations by time change no bit of a model") {
    for (const auto evaluate : {RunSettings::Run::Evaluate::mean, RunSettings::Run::Evaluate::own}) {
      auto experiment = quadratics_in<float>({"ring", 4}, "choco-sgd", {.iterations = 300});
      experiment.settings.run.evaluate_every = 1;
      experiment.settings.run.evaluate_period = std::chrono::milliseconds(5);
      experiment.settings.run.evaluate = evaluate;
      const TemporaryFolder folder("hearsay_twins");
      experiment.settings.run.output = folder.path();
      const RunOutcome<float> real = run_local(experiment);
      const RunOutcome<float> simulated = simulate(experiment, Duration{1000});
      CHECK_MESSAGE(real.status == RunStatus::done, real.reason);
      for (PeerId id = 0; id < 4; ++id)
        CHECK(real.peers[id].model_digest == simulated.peers[id].model_digest);
      std::vector<std::uint64_t> iterations;
      for (const Evaluation& evaluation : real.evaluations) iterations.push_back(evaluation.iteration);
      REQUIRE(iterations.size() > 6);
      CHECK(std::vector(iterations.begin(), iterations.begin() + 3) == std::vector<std::uint64_t>{0, 1, 2});
      CHECK(std::ranges::is_sorted(iterations, std::less_equal<>()));
      CHECK(iterations.back() == 300);
    }
  }

  TEST_CASE("twin: both drivers stop at the same iteration when the target loss is reached") {
    for (const MethodInfo& method : synchronous_methods()) {
      auto experiment = quadratics_in<double>({"ring", 3}, method.name, {.iterations = 60});
      experiment.settings.run.evaluate_every = 4;
      const auto whole = simulate(experiment, Duration{0});
      experiment.settings.run.target_loss = whole.evaluations[5].loss;
      const auto twins = check_twins(experiment);
      CHECK(twins.real.status == RunStatus::target);
      REQUIRE(twins.real.target);
      CHECK(twins.real.target->iteration <= 20);
      CHECK(twins.real.peers[0].iterations == twins.real.target->iteration + 4);
    }
  }

  TEST_CASE("twin: both drivers stop at the same plateau, keep the same best model and know the worst peer") {
    for (const char* method : {"d-psgd", "dcd-psgd", "gradient-tracking"}) {
      CAPTURE(method);
      // With steps that fall, the loss levels off.
      auto experiment =
          regressions_in<float>({"ring", 4}, method, {.iterations = 300, .step_size = 0.4, .batch = 2}, 19);
      experiment.settings.algorithm.clip = 0.5;
      experiment.settings.run.evaluate_every = 3;
      experiment.settings.run.evaluate = RunSettings::Run::Evaluate::peers;
      experiment.settings.run.patience = 5;
      experiment.settings.run.keep = RunSettings::Run::Keep::best;
      const auto twins = check_twins(experiment);
      CHECK(twins.real.status == RunStatus::plateau);
      CHECK(twins.real.reason == twins.simulated.reason);
      REQUIRE(twins.real.best);
      CHECK(twins.real.best->iteration == twins.simulated.best->iteration);
      CHECK(twins.real.best_model == twins.simulated.best_model);
      CHECK(twins.real.kept_model() != twins.real.mean_model);
      REQUIRE(twins.real.evaluations.size() == twins.simulated.evaluations.size());
      for (std::size_t k = 0; k < twins.real.evaluations.size(); ++k) {
        CHECK(twins.real.evaluations[k].loss_worst == twins.simulated.evaluations[k].loss_worst);
        CHECK(twins.real.evaluations[k].loss_spread == twins.simulated.evaluations[k].loss_spread);
      }
      CHECK(*twins.real.evaluations.back().loss_spread > 0.0);
      // The verdict takes effect one evaluation later.
      CHECK(twins.real.peers[0].iterations == twins.real.best->iteration + 3 * (5 + 1));
    }
  }

  TEST_CASE("twin: ECD with restarts, and D-PSGD on a directed schedule, end with the same bits") {
    check_twins(quadratics_in<float>({"ring", 8}, "ecd-psgd", {.iterations = 25, .restart_every = 7}));
    check_twins(quadratics_in<double>({"exponential", 6, "metropolis", "one-peer-exponential"}, "d-psgd",
                                      {.iterations = 25}));
  }

  TEST_CASE("twin: on a tree below a hub both drivers end with the same bits") {
    for (const MethodInfo& method : synchronous_methods())
      for (const HubData hub : {HubData::its_own, HubData::none}) {
        if (!method.permits_tree) continue;
        auto run = settings_of(method.name, {.family = "hub-tree(2)", .peers = 7}, {.iterations = 10});
        run.topology.hub = hub;
        if (method.permits_time_varying) run.topology.participation = 0.5;
        const std::vector<PeerId> all = {0, 1, 2, 3, 4, 5, 6}, workers = {1, 2, 3, 4, 5, 6};
        const std::vector<PeerId>& ids = hub == HubData::none ? workers : all;
        check_twins(prepare<double>(run, quadratic_problem<double>(300, ids, Shared::nothing)));
      }
  }

  // lgc hung for ever: its basis of 8 vectors was longer than what a receiver took for a message.
  TEST_CASE("twin: the longest message of every method arrives") {
    constexpr Index dimension = 12'000;  // 65,536 bytes more or less do not matter
    for (const MethodInfo& method : synchronous_methods()) {
      CAPTURE(method.name);
      const bool has_hub = method.pattern.has_hub;
      auto run = settings_of(method.name, {.family = has_hub ? "star" : "ring", .peers = 3},
                             {.iterations = 4, .step_size = 0.01});
      MethodOptions& options = run.algorithm.options;
      if (method.options.has(option::dense_rounds)) options.set(option::dense_rounds, 2);
      if (method.options.has(option::rank)) options.set(option::rank, 8);
      if (method.options.has(option::rounds)) options.set(option::rounds, 64);
      run.algorithm.allow_unsound = true;
      check_twins(prepare<double>(run, quadratic_problem<double>(dimension, {0, 1, 2}, Shared::nothing)));
    }
    auto repeated = settings_of("double-squeeze", {.family = "star", .peers = 3},
                                {.compressor = "repeat(32){topk(10%)}", .iterations = 3});
    check_twins(prepare<double>(repeated, quadratic_problem<double>(dimension, {0, 1, 2}, Shared::nothing)));
  }

  TEST_CASE("twin: with staleness both drivers end with the same bits, and no message is late") {
    for (const std::uint64_t staleness : {1, 2, 5}) {
      CAPTURE(staleness);
      const Plan plan{.iterations = 25,
                      .options = {{option::consensus_step, 0.2}, {option::staleness, staleness}}};
      auto experiment = quadratics_in<float>({"ring", 6}, "d-psgd", plan);
      check_twins(experiment);
      experiment.settings.network.compute = {ComputeTime::Kind::lognormal, std::chrono::milliseconds(2), 1.0};
      experiment.settings.network.jitter = std::chrono::milliseconds(3);
      experiment.settings.run.evaluate_every = 10;
      check_twins(experiment);
      check_twins(quadratics_in<double>({"ring", 2}, "d-psgd", plan));
    }
  }

  TEST_CASE("twin: replicas that catch up at meetings end with the same bits on both drivers") {
    const std::vector<World> worlds = {{"exponential", 8, "metropolis", "one-peer-exponential"},
                                       {"complete", 5, "metropolis", "random-matchings"},
                                       {"ring", 6, "metropolis", "static", 0.5}};
    for (const World& world : worlds)
      for (const char* method : {"dcd-psgd", "ecd-psgd", "choco-sgd", "choco-gossip"}) {
        CAPTURE(world.name());
        const auto twins = check_twins(quadratics_in<float>(world, method, {.iterations = 25}));
        CHECK(replicas_consistent(twins.real.peers) == true);
        check_twins(quadratics_in<double>(world, method, {.iterations = 25}));
      }
  }

  TEST_CASE("twin: error feedback, packets of varying size and a rotating leader end with the same bits") {
    for (const PeerId peers : {1, 2, 3, 5})
      for (const char* feedback : {"ef", "low-pass(0.1)", "dgd-def"})
        for (const char* compressor : {"topk(10%)", "leader_topk(20%)", "grid(0.1)"}) {
          CAPTURE(feedback);
          CAPTURE(compressor);
          check_twins(quadratics_in<float>({"ring", peers}, "qsgd-allreduce",
                                           {.compressor = compressor, .feedback = feedback}));
        }
  }

  TEST_CASE("twin: sums by recursive doubling end with the same bits, with and without a fold") {
    for (const PeerId peers : {2, 3, 5, 6, 8})
      for (const char* method : {"allreduce-sgd", "powersgd", "diloco"}) {
        CAPTURE(method);
        check_twins(quadratics_in<float>({"ring", peers}, method,
                                         {.iterations = 20, .options = {{option::reduce, "doubling"}}}));
      }
  }

  TEST_CASE("twin: a diverging run ends so on both drivers, and says in which iteration") {
    for (const MethodInfo& method : methods()) {
      if (!method.trains) continue;  // an average does not diverge
      if (divides_by_roots(method) || method.name == "fed-vote")
        continue;  // its steps, or weights, are bounded
      CAPTURE(method.name);
      // With mod, moniqua ends when neighbors can no longer decode each other's messages, long before it
      // leaves the finite range.
      const std::string compressor = method.name == "moniqua" ? "none" : "";
      auto experiment = quadratics_in<float>(
          {"ring", 3}, method.name, {.compressor = compressor, .iterations = 100'000, .step_size = 1e3});
      experiment.settings.run.evaluate_every = 50;
      for (const RunOutcome<float>& outcome : {run_local(experiment), simulate(experiment, Duration{0})}) {
        CAPTURE(outcome.reason);
        CHECK(outcome.status == RunStatus::diverged);
        CHECK(outcome.reason.find("left the finite range") != std::string::npos);
        CHECK(outcome.reason.find("iteration ") != std::string::npos);
      }
    }
  }

  TEST_CASE("local run: a peer that is killed is named") {
    auto experiment = quadratics_in<float>({"ring", 4}, "d-psgd", {.iterations = 100'000'000});
    experiment.settings.run.evaluate_every = 100;
    std::vector<pid_t> peers;
    RunControl control;
    control.on_evaluation = [&](const Evaluation& evaluation) {
      if (evaluation.iteration != 200) return;
      peers = children();
      REQUIRE(peers.size() == 4);
      kill(peers[2], SIGKILL);
    };
    const auto outcome = run_local(experiment, control);
    CHECK(outcome.status == RunStatus::lost);
    CHECK(outcome.reason == "peer 2 was lost: killed by signal 9");
    CHECK(children().empty());  // no process is left behind
  }

  TEST_CASE("handshake: two peers that disagree refuse each other, and name the key and both values") {
    const World pair{"ring", 2};
    const auto mine = quadratics_in<float>(pair, "d-psgd", {.seed = 11});
    check_refusal(mine, quadratics_in<float>(pair, "d-psgd", {.seed = 12}), "run.seed", "11", "12");
    check_refusal(mine, quadratics_in<float>(pair, "allreduce-sgd", {.seed = 11}), "algorithm.kind", "d-psgd",
                  "allreduce-sgd");
    check_refusal(mine, quadratics_in<float>(pair, "d-psgd", {.step_size = 0.25, .seed = 11}),
                  "algorithm.step_size", "0.1", "0.25");
  }

  TEST_CASE("bytes: the kernel counts what we count, and framing, and no model of an evaluation") {
    const Process counted([] {
      if (!enter_own_network()) return Ended{77, ""};
      auto experiment =
          quadratics_in<float>({"ring", 4}, "d-psgd", {.iterations = 40}, Shared::nothing, 50'000);
      experiment.settings.run.evaluate_every = 40;
      experiment.settings.transport = Transport::tcp;
      const std::uint64_t before = loopback_bytes();
      const auto outcome = run_local(experiment);
      const std::uint64_t kernel = loopback_bytes() - before;
      std::uint64_t ours = 0;
      for (const PeerOutcome& peer : outcome.peers) ours += peer.meters.bytes_sent;
      return Ended{outcome.status == RunStatus::done ? 0 : 1,
                   std::to_string(ours) + " " + std::to_string(kernel)};
    });
    const Ended ended = counted.join();
    if (ended.exit_code == 77) {
      MESSAGE(
          "skipped: no network namespace to be had here, so the kernel's counters see other traffic, too");
      return;
    }
    REQUIRE(ended.exit_code == 0);
    double ours = 0.0;
    double kernel = 0.0;
    std::istringstream(ended.text) >> ours >> kernel;
    CAPTURE(ended.text);
    // By hand: 40 iterations x 8 messages x (64 + 200,000) bytes.
    CHECK(ours == 40.0 * 8 * 200'064);
    // The kernel also counts the headers of Ethernet, IP and TCP (segments of up to 64 KiB,
    // acknowledgements), handshakes and verdicts.
    CHECK(kernel > ours);
    CHECK(kernel < 1.02 * ours);
  }
}

}  // namespace hearsay::test::twin_test
