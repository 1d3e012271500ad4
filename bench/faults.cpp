// What faults cost: how long a run stands still if a peer is killed or dropped, and what checkpoints,
// heartbeats and digests cost if no peer fails. Then random campaigns of killed and stopped peers, each
// compared with the bits of the simulator. `bench_faults [CAMPAIGNS] [FIRST SEED]`, 50 campaigns by default.

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "algorithms/arithmetic/random.hpp"
#include "bench/faults_drop.hpp"
#include "runtime/experiment/experiment.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "runtime/simulator/simulator.hpp"
#include "runtime/wire/frame.hpp"

using namespace hearsay;

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

fs::path output() { return fs::temp_directory_path() / ("hearsay-bench-faults-" + std::to_string(getpid())); }

/// Returns the experiment of four peers in a ring, 8 bits a coordinate; `more` is TOML.
Experiment<float> experiment_of(int parameters, const std::string& more) {
  auto settings = parse_run(
      "model.kind = \"quadratic(" + std::to_string(parameters) +
          ")\"\ntopology = { kind = \"ring\", peers = 4 }\nalgorithm = { kind = \"dcd-psgd\", batch "
          "= \"full\", compressor = \"dither(linf, levels=127, bucket=512)\" }\n" +
          more,
      ".", {}, "bench");
  settings.run.output = output();
  fs::remove_all(
      output());  // a peer killed before the run begins would come back with an earlier run's checkpoints
  return prepare<float>(settings);
}

std::string keep(int every) { return "failure.checkpoint_every = " + std::to_string(every) + "\n"; }

/// Returns the child processes of `parent` that are no zombies, ascending.
std::vector<pid_t> children_of(pid_t parent) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream in(entry.path() / "stat");
    const std::string status((std::istreambuf_iterator<char>(in)), {});
    const std::size_t end = status.rfind(')');
    if (end != std::string::npos && status.compare(end + 2, 1, "Z") != 0 &&
        std::stol(status.substr(end + 4)) == parent)
      found.push_back(std::stoi(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<pid_t> peers() {
  std::vector<pid_t> all = children_of(getpid());
  if (all.empty()) return all;
  const std::vector<pid_t> returned = children_of(all.front());
  all.erase(all.begin());
  all.insert(all.end(), returned.begin(), returned.end());
  return all;
}

double median_of(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Runs the experiment, which is evaluated in every iteration, and returns the seconds of each iteration.
/// Calls `fault` with the number of each iteration.
template <class Fault>
std::vector<double> iteration_seconds(const Experiment<float>& experiment, const Fault& fault) {
  std::vector<double> taken;
  Clock::time_point last = Clock::now();
  RunControl control;
  control.on_evaluation = [&](const Evaluation& evaluation) {
    const Clock::time_point now = Clock::now();
    if (evaluation.iteration > 0) taken.push_back(std::chrono::duration<double>(now - last).count());
    last = now;
    fault(evaluation.iteration);
  };
  const auto outcome = run_local(experiment, control);
  if (outcome.status != RunStatus::done) std::printf("LOST: %s\n", outcome.reason.c_str());
  return taken;
}

void measure_restart() {
  const auto experiment = experiment_of(
      262'144, "run.iterations = 200\nrun.evaluate_every = 1\nnetwork.compute = \"5 ms\"\n" + keep(10));
  std::vector<double> stood;
  const auto taken = iteration_seconds(experiment, [&](std::uint64_t iteration) {
    if (iteration % 40 == 25) kill(peers()[iteration / 40 % 4], SIGKILL);
  });
  for (std::size_t kill = 25; kill + 5 < taken.size(); kill += 40)
    stood.push_back(*std::max_element(taken.begin() + static_cast<std::ptrdiff_t>(kill),
                                      taken.begin() + static_cast<std::ptrdiff_t>(kill) + 5));
  std::printf(
      "restart, 1 MB model, checkpoint every 10: the run stands for %.3f s (median of %zu kills, worst %.3f "
      "s); "
      "an iteration takes %.3f s\n",
      median_of(stood), stood.size(), *std::max_element(stood.begin(), stood.end()), median_of(taken));
}

void measure_checkpoints() {
  const auto seconds_with = [](int every) {
    const auto experiment = experiment_of(
        262'144,
        "run.iterations = 100\nrun.evaluate_every = 100\nnetwork.compute = \"5 ms\"\n" + keep(every));
    std::vector<double> all;
    for (int repetition = 0; repetition < 3; ++repetition)
      all.push_back(run_local(experiment).evaluations.back().seconds);
    return median_of(all) / 100;
  };
  const double without = seconds_with(0);
  for (const int every : {100, 10, 1}) {
    const double with = seconds_with(every);
    std::printf("checkpoint every %3d, 1 MB model: %.2f ms an iteration, %.2f ms without (log included)\n",
                every, 1e3 * with, 1e3 * without);
  }
}

/// Measures what heartbeats and digests add to the traffic of a link. Counts frames with their ZeroMQ framing
/// (2 bytes for a short part, 9 for a long one), and leaves out TCP, whose overhead is the same for all
/// frames. The digest of replicas is a field in the header of every frame, and has a value in each 32nd
/// iteration only.
void measure_watchfulness() {
  for (const char* bandwidth : {"10 Mbit/s", "100 Mbit/s"}) {
    const auto experiment = experiment_of(
        272'474, std::string("run.iterations = 66\nrun.evaluate_every = 66\nnetwork.bandwidth = \"") +
                     bandwidth + "\"\n");
    const auto outcome = run_local(experiment);
    double bytes = 0.0, messages = 0.0;
    std::uint64_t compared = 0, differed = 0;
    for (const PeerOutcome& peer : outcome.peers) {
      bytes += static_cast<double>(peer.meters.bytes_sent);
      messages += static_cast<double>(peer.meters.messages_sent);
      compared += peer.meters.counters.digests_compared;
      differed += peer.meters.counters.digests_differed;
    }
    const double links = 8.0 * outcome.seconds;
    const double interval = seconds(heartbeat_interval(experiment.settings.failure.lost_after));
    const double alive = (static_cast<double>(header_bytes) + 4) / interval;
    const double digests = sizeof(FrameHeader::replica_digest) * messages / links;
    std::printf(
        "signs of life and digests, 272,474 parameters at 8 bit, %s: %.0f + %.0f bytes/s beside %.0f bytes/s "
        "of data on a link, %.5f %%; %llu digests compared, %llu differed\n",
        bandwidth, alive, digests, bytes / links, 100 * (alive + digests) / (bytes / links),
        static_cast<unsigned long long>(compared), static_cast<unsigned long long>(differed));
  }
}

/// Runs with kills and stops drawn from the seed. True if the run ends with the bits of the simulator.
bool campaign(std::uint64_t seed) {
  const auto experiment = experiment_of(1000,
                                        "run.iterations = 150\nrun.evaluate_every = 5\nnetwork.compute = \"2 "
                                        "ms\"\nfailure.lost_after = \"10 s\"\n" +
                                            keep(1 + static_cast<int>(seed % 9)));
  RandomStream random(seed, 0, 0, Purpose::data);
  std::string faults;
  std::uint64_t kills = 0;
  RunControl control;
  control.on_evaluation = [&](const Evaluation& evaluation) {
    if (evaluation.iteration >= 140 || random.below(4) != 0) return;
    const std::vector<pid_t> alive = peers();
    const pid_t victim = alive[random.below(alive.size())];
    const bool stops = random.below(3) == 0;
    faults += (stops ? " stop@" : " kill@") + std::to_string(evaluation.iteration);
    if (!stops) {
      kills += ::kill(victim, SIGKILL) == 0 ? 1 : 0;
      return;
    }
    ::kill(victim, SIGSTOP);
    poll(nullptr, 0, static_cast<int>(random.below(200)));  // the pause is the fault
    ::kill(victim, SIGCONT);
  };
  const auto outcome = run_local(experiment, control);
  const auto calm = simulate(experiment, Duration{0});
  bool same = outcome.status == RunStatus::done && outcome.restarts == kills &&
              outcome.evaluations.size() == calm.evaluations.size();
  for (std::size_t id = 0; same && id < calm.peers.size(); ++id)
    same = outcome.peers[id].model_digest == calm.peers[id].model_digest;
  for (std::size_t k = 0; same && k < calm.evaluations.size(); ++k)
    same = outcome.evaluations[k].loss == calm.evaluations[k].loss;
  std::printf("campaign %3llu: %s,%s %s\n", static_cast<unsigned long long>(seed),
              same ? "same bits" : "DIFFERS", faults.empty() ? " no fault" : faults.c_str(),
              outcome.reason.c_str());
  std::fflush(stdout);
  return same;
}

}  // namespace

int main(int count, char** words) {
  const std::uint64_t campaigns = count > 1 ? std::strtoull(words[1], nullptr, 10) : 50;
  const std::uint64_t first = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1;
  if (count < 3) {  // with a first seed, only the campaigns that it repeats
    measure_restart();
    measure_checkpoints();
    measure_watchfulness();
    measure_drop([] { return children_of(getpid()); });
  }
  std::uint64_t well = 0;
  for (std::uint64_t seed = first; seed < first + campaigns; ++seed) well += campaign(seed) ? 1 : 0;
  std::printf("%llu of %llu campaigns ended with the undisturbed run's bits\n",
              static_cast<unsigned long long>(well), static_cast<unsigned long long>(campaigns));
  std::error_code ignored;
  fs::remove_all(output(), ignored);
  return well == campaigns ? 0 : 1;
}
