#include "bench/rivals/rival_programs.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <sstream>

// The build leaves these macros undefined if it did not find the rival; the rival is then not run.
#ifndef RIVAL_OPENMPI
#define RIVAL_MPIRUN ""
#define RIVAL_OPENMPI ""
#endif
#ifndef RIVAL_GLOO
#define RIVAL_GLOO ""
#endif

namespace hearsay {

namespace {

using Words = std::vector<std::string>;

/// A rival process, and the reading ends of its standard output and standard error.
struct Started {
  pid_t process;
  int said;
  int complained;
};

Started start(const Words& words, const std::function<void()>& prepare) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::array<int, 2> output{}, complaints{};
  if (pipe2(output.data(), O_CLOEXEC) != 0 || pipe2(complaints.data(), O_CLOEXEC) != 0) std::abort();
  std::fflush(nullptr);
  const pid_t process = fork();
  if (process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    prepare();
    dup2(output[1], STDOUT_FILENO);
    dup2(complaints[1], STDERR_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(output[1]);
  close(complaints[1]);
  return {process, output[0], complaints[0]};
}

std::string all_of(int pipe_end) {
  std::string text;
  std::array<char, 1024> piece{};
  for (ssize_t length = 0; (length = read(pipe_end, piece.data(), piece.size())) > 0;)
    text.append(piece.data(), static_cast<std::size_t>(length));
  close(pipe_end);
  return text;
}

/// Waits for the process to end. Returns the seconds and the loss that the process printed; empty if it
/// failed, and then prints its first words.
std::optional<RivalResult> end_of(const Started& started, const std::string& what) {
  const std::string said = all_of(started.said), complained = all_of(started.complained);
  int status = -1;
  waitpid(started.process, &status, 0);
  std::istringstream numbers(said);
  RivalResult result;
  if (status == 0 && numbers >> result.seconds >> result.loss) return result;
  constexpr std::size_t enough = 500;  // OpenMPI repeats its complaints
  std::printf("failed: %s: %s\n", what.c_str(), (said + complained).substr(0, enough).c_str());
  return std::nullopt;
}

std::optional<RivalResult> run_openmpi(const RivalPlace& place, const OpenMpiWay& way, const Words& task) {
  Words words = {RIVAL_MPIRUN, "--allow-run-as-root", "-np", std::to_string(place.peers),
                 // mpi_yield_when_idle: ranks that wait let others compute, since there are more ranks than
                 // cores.
                 "--mca", "mpi_yield_when_idle", "1", "--mca", "btl", "tcp,self", "--timeout", "900"};
  const auto add = [&](const Words& more) { words.insert(words.end(), more.begin(), more.end()); };
  if (place.network) {
    std::string hosts;
    for (PeerId id = 0; id < place.peers; ++id) hosts += (id == 0 ? "" : ",") + place.network->address(id);
    add({"--host", hosts, "--mca", "plm_rsh_agent", RIVAL_LOGIN, "--mca", "orte_keep_fqdn_hostnames", "1",
         "--mca", "oob_tcp_if_include", "10.78.0.0/16", "--mca", "btl_tcp_if_include", "eth0"});
  } else {
    add({"--oversubscribe", "--mca", "btl_tcp_if_include", "lo"});
  }
  for (const auto& [name, value] : way.parameters) add({"--mca", name, value});
  add({RIVAL_OPENMPI});
  add(task);
  std::string namespaces;  // found through this process, which holds them
  for (PeerId id = 0; place.network && id < place.peers; ++id)
    namespaces += place.network->peer(id).path() + " ";
  const Started started = start(words, [&] {
    if (!place.network) return;
    setenv("PMIX_MCA_gds", "hash", 1);  // the shared-memory store of PMIx would take all ranks for one host
    setenv("RIVAL_NAMESPACES", namespaces.c_str(), 1);
    place.network->hub().enter();
  });
  return end_of(started, "OpenMPI, " + way.name);
}

}  // namespace

std::vector<OpenMpiWay> openmpi_allreduce_ways() {
  std::vector<OpenMpiWay> ways;
  for (const auto& [number, name] :
       {std::pair("1", "linear"), std::pair("2", "non-overlapping"), std::pair("3", "recursive doubling"),
        std::pair("4", "ring"), std::pair("5", "segmented ring"), std::pair("6", "Rabenseifner")})
    for (const bool all_eager : {false, true}) {
      OpenMpiWay way{name,
                     {{"coll_tuned_use_dynamic_rules", "1"}, {"coll_tuned_allreduce_algorithm", number}}};
      if (all_eager) {
        way.name += ", all eager";
        way.parameters.push_back({"btl_tcp_eager_limit", "4000000"});
      }
      ways.push_back(std::move(way));
    }
  return ways;
}

bool has_openmpi() { return !std::string(RIVAL_OPENMPI).empty(); }
bool has_gloo() { return !std::string(RIVAL_GLOO).empty(); }

std::optional<RivalResult> openmpi_allreduce(const RivalPlace& place, const OpenMpiWay& way,
                                             std::size_t floats, int iterations) {
  return run_openmpi(place, way, {"allreduce", std::to_string(floats), std::to_string(iterations)});
}

std::optional<RivalResult> openmpi_neighbors(const RivalPlace& place, std::size_t bytes, int iterations) {
  return run_openmpi(place, {"neighbors", {}},
                     {"neighbors", std::to_string(bytes), std::to_string(iterations)});
}

std::optional<RivalResult> openmpi_sgd(const RivalPlace& place, const OpenMpiWay& way,
                                       const std::string& run_file, int iterations) {
  return run_openmpi(place, way, {"sgd", run_file, std::to_string(iterations)});
}

std::optional<RivalResult> gloo_allreduce(const RivalPlace& place, const std::string& algorithm,
                                          std::size_t floats, int iterations) {
  namespace fs = std::filesystem;
  const fs::path meeting = fs::temp_directory_path() / ("hearsay-rival-gloo-" + std::to_string(getpid()));
  fs::remove_all(meeting);
  fs::create_directories(meeting);
  std::vector<Started> ranks;
  for (PeerId id = 0; id < place.peers; ++id)
    ranks.push_back(start({RIVAL_GLOO, std::to_string(id), std::to_string(place.peers), meeting,
                           place.network ? place.network->address(id) : "127.0.0.1", algorithm,
                           std::to_string(floats), std::to_string(iterations)},
                          [&] {
                            if (place.network) place.network->peer(id).enter();
                          }));
  std::optional<RivalResult> result;
  for (const Started& rank : ranks) {
    const auto its = end_of(rank, "gloo, " + algorithm);
    if (&rank == &ranks.front()) result = its;
  }
  fs::remove_all(meeting);
  return result;
}

}  // namespace hearsay
