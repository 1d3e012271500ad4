#include "bench/faults_drop.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <exception>
#include <string>

#include "runtime/process/hosts_run.hpp"
#include "runtime/process/local_run.hpp"
#include "runtime/settings/run_settings_file.hpp"

namespace hearsay {

namespace {

using Clock = std::chrono::steady_clock;

constexpr PeerId peer_count = 4;
constexpr PeerId victim = 2;
constexpr int repetitions = 5;
constexpr std::uint64_t fault_at = 30;
constexpr double lost_after_seconds = 1.0;

/// Returns the experiment of four peers in a ring, evaluated in every iteration.
Experiment<float> dropping_experiment() {
  return prepare<float>(
      parse_run("model.kind = \"quadratic(1000)\"\ntopology = { kind = \"ring\", peers = 4 }\n"
                "algorithm = { kind = \"dcd-psgd\", batch = \"full\" }\n"
                "run = { iterations = 100, evaluate_every = 1 }\nnetwork.compute = \"5 ms\"\n"
                "failure = { policy = \"drop\", lost_after = \"1 s\" }\n",
                ".", {}, "bench"));
}

struct PortHolder {
  int socket;
  std::string address;
};

/// Returns a port of loopback, which no other process gets while the socket is open.
PortHolder free_port() {
  const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in at{};
  at.sin_family = AF_INET;
  at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof at;
  bind(probe, reinterpret_cast<sockaddr*>(&at), length);
  getsockname(probe, reinterpret_cast<sockaddr*>(&at), &length);
  return {probe, "tcp://127.0.0.1:" + std::to_string(ntohs(at.sin_port))};
}

Placement place_of_all() {
  std::vector<PortHolder> ports;
  for (PeerId id = 0; id <= peer_count; ++id) ports.push_back(free_port());
  Placement place;
  for (const PortHolder& port : ports) {
    place.addresses.push_back(port.address);
    close(port.socket);
  }
  place.observer = place.addresses.back();
  place.addresses.pop_back();
  return place;
}

/// Runs peer `id` as `hearsay peer` does, and ends the process. Writes the number of each evaluated iteration
/// to the descriptor `evaluated`.
[[noreturn]] void be_peer(const Experiment<float>& experiment, PeerId id, const Placement& place,
                          int evaluated) {
  RunControl control;
  control.notice = [](const std::string& sentence) { std::fprintf(stderr, "%s\n", sentence.c_str()); };
  control.on_evaluation = [&](const Evaluation& evaluation) {
    [[maybe_unused]] const auto written =
        write(evaluated, &evaluation.iteration, sizeof evaluation.iteration);
  };
  int code = 3;
  try {
    code = run_hosts_peer(experiment, id, {}, control, place).end.exit_code;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "peer %u: %s\n", id, error.what());
  }
  _exit(code);
}

/// Returns how long the run stood still after the signal `fault`: the longest time in seconds between two
/// evaluations from then on. Negative if another peer than the victim did not end well.
double stands_on_hosts(int fault) {
  const Experiment<float> experiment = dropping_experiment();
  const Placement place = place_of_all();
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) return -1.0;
  std::vector<pid_t> peers;
  for (PeerId id = 0; id < peer_count; ++id) {
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process == 0) {
      const int silent = open("/dev/null", O_WRONLY | O_CLOEXEC);
      dup2(silent, STDERR_FILENO);
      be_peer(experiment, id, place, ends[1]);
    }
    peers.push_back(process);
  }
  close(ends[1]);
  Clock::time_point last{};
  double longest = 0.0;
  std::uint64_t iteration = 0;
  while (iteration < experiment.iterations &&
         read(ends[0], &iteration, sizeof iteration) == sizeof iteration) {
    const Clock::time_point now = Clock::now();
    if (iteration == fault_at) kill(peers[victim], fault);
    if (iteration > fault_at) longest = std::max(longest, std::chrono::duration<double>(now - last).count());
    last = now;
  }
  close(ends[0]);
  bool well = iteration == experiment.iterations;
  for (PeerId id = 0; id < peer_count; ++id) {
    if (id == victim) kill(peers[id], SIGKILL);
    int status = 0;
    waitpid(peers[id], &status, 0);
    if (id != victim) well = well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return well ? longest : -1.0;
}

/// Returns the same for `hearsay run`, whose parent process sees the end of its child. The victim is its
/// third child. Negative if the run did not end well without the victim.
double stands_on_one_machine(const std::function<std::vector<pid_t>()>& children) {
  const Experiment<float> experiment = dropping_experiment();
  Clock::time_point last{};
  double longest = 0.0;
  RunControl control;
  control.on_evaluation = [&](const Evaluation& evaluation) {
    const Clock::time_point now = Clock::now();
    if (evaluation.iteration == fault_at) kill(children()[victim], SIGKILL);
    if (evaluation.iteration > fault_at)
      longest = std::max(longest, std::chrono::duration<double>(now - last).count());
    last = now;
  };
  const auto outcome = run_local(experiment, control);
  return outcome.status == RunStatus::done && outcome.dropped == std::vector<PeerId>{victim} ? longest : -1.0;
}

/// Returns the seconds from the start of a process that replaces a killed and dropped peer until the process
/// has agreed on its first edge. Negative if not all peers end well.
double joins_on_hosts() {
  const Experiment<float> experiment = prepare<float>(
      parse_run("model.kind = \"quadratic(262144)\"\ntopology = { kind = \"ring\", peers = 4 }\n"
                "algorithm = { kind = \"dcd-psgd\", batch = \"full\" }\n"
                "run = { iterations = 150, evaluate_every = 1 }\nnetwork.compute = \"5 ms\"\n"
                "failure = { policy = \"drop\", lost_after = \"1 s\" }\n",
                ".", {}, "bench"));
  const Placement place = place_of_all();
  std::array<int, 2> evaluated{};
  std::array<int, 2> words{};
  if (pipe(evaluated.data()) != 0 || pipe(words.data()) != 0) return -1.0;
  const auto start = [&](PeerId id, bool is_heard) {
    std::fflush(nullptr);
    const pid_t process = fork();
    if (process != 0) return process;
    dup2(is_heard ? words[1] : open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
    be_peer(experiment, id, place, evaluated[1]);
  };
  std::vector<pid_t> peers;
  for (PeerId id = 0; id < peer_count; ++id) peers.push_back(start(id, false));
  const auto reach = [&](std::uint64_t wanted) {
    std::uint64_t iteration = 0;
    while (iteration < wanted && read(evaluated[0], &iteration, sizeof iteration) == sizeof iteration) {
    }
  };
  reach(fault_at);
  kill(peers[victim], SIGKILL);
  waitpid(peers[victim], nullptr, 0);
  reach(fault_at + 10);
  const Clock::time_point begun = Clock::now();
  peers[victim] = start(victim, true);
  close(words[1]);
  close(evaluated[1]);
  double seconds = -1.0;
  std::string said;
  std::array<char, 512> piece{};
  for (ssize_t length = 0; (length = read(words[0], piece.data(), piece.size())) > 0;) {
    said.append(piece.data(), static_cast<std::size_t>(length));
    if (seconds < 0.0 && said.find("is back at peer 2") != said.npos)
      seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  }
  close(words[0]);
  reach(experiment.iterations);
  close(evaluated[0]);
  bool well = true;
  for (const pid_t peer : peers) {
    int status = 0;
    waitpid(peer, &status, 0);
    well = well && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  return well ? seconds : -1.0;
}

struct Stood {
  double median;
  double worst;
  bool well;
};

template <class Measure>
Stood repeat(const Measure& measure) {
  std::vector<double> all;
  for (int repetition = 0; repetition < repetitions; ++repetition) all.push_back(measure());
  std::sort(all.begin(), all.end());
  return {all[all.size() / 2], all.back(), all.front() >= 0.0};
}

const char* mark(const Stood& stood, double wanted) {
  return !stood.well ? "LOST" : stood.worst <= wanted ? "ok" : "MISSED";
}

}  // namespace

void measure_drop(const std::function<std::vector<pid_t>()>& children) {
  constexpr double beyond = 0.2;
  const Stood killed = repeat([] { return stands_on_hosts(SIGKILL); });
  std::printf(
      "drop, kill -9 where only silence tells: the survivors stand %.3f s beyond failure.lost_after (median "
      "of %d; "
      "worst %.3f s), wanted: under %.1f s: %s\n",
      killed.median - lost_after_seconds, repetitions, killed.worst - lost_after_seconds, beyond,
      mark(killed, lost_after_seconds + beyond));
  const Stood frozen = repeat([] { return stands_on_hosts(SIGSTOP); });
  std::printf(
      "drop, a frozen peer costs the others %.3f of the deadline (median of %d; worst %.3f), wanted: at most "
      "it, and "
      "%.1f s to see it: %s\n",
      frozen.median / lost_after_seconds, repetitions, frozen.worst / lost_after_seconds, beyond,
      mark(frozen, lost_after_seconds + beyond));
  const Stood seen = repeat([&] { return stands_on_one_machine(children); });
  std::printf(
      "drop, kill -9 of a peer of hearsay run, whose parent sees it: the survivors stand %.3f s (median of "
      "%d; worst "
      "%.3f s), wanted: under %.1f s: %s\n",
      seen.median, repetitions, seen.worst, beyond, mark(seen, beyond));
  constexpr double join_seconds = 1.0;
  const Stood joined = repeat(joins_on_hosts);
  std::printf(
      "drop, a process started anew, 1 MB model: %.3f s from its start to its first edge (median of %d; "
      "worst "
      "%.3f s), wanted: under %.1f s: %s\n",
      joined.median, repetitions, joined.worst, join_seconds, mark(joined, join_seconds));
  std::fflush(stdout);
}

}  // namespace hearsay
