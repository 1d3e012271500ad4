#include "tests/house/bans.hpp"

#include <algorithm>

namespace hearsay {

namespace {

/// Something that only a few files may use: headers by the beginning of their names, identifiers by whole
/// words.
struct Ban {
  std::string what;
  std::vector<std::string> where;   ///< beginnings of paths
  std::vector<std::string> except;  ///< beginnings of paths, each with its reason in a comment
  std::vector<std::string> headers;
  std::vector<std::string> names;
};

const std::vector<std::string> socket_headers = {"<zmq",   "<sys/socket", "<sys/un", "<netinet/",
                                                 "<arpa/", "<netdb",      "<poll.h", "<sys/epoll"};
const std::vector<std::string> file_headers = {"<fstream", "<filesystem", "<iostream", "<fcntl.h",
                                               "<unistd.h"};
const std::vector<std::string> clock_headers = {"<chrono", "<ctime", "<time.h", "<sys/time"};
const std::vector<std::string> thread_headers = {
    "<thread",    "<mutex", "<shared_mutex", "<condition_variable", "<future",
    "<semaphore", "<latch", "<barrier",      "<stop_token",         "<pthread"};
const std::vector<std::string> real_clocks = {
    "clock_gettime", "steady_clock",    "system_clock", "high_resolution_clock",
    "gettimeofday",  "clock_nanosleep", "nanosleep",    "timerfd_create"};

const std::vector<std::string> process_calls = {"fork",   "vfork",  "execv",       "execvp",       "execve",
                                                "execl",  "popen",  "posix_spawn", "posix_spawnp", "waitpid",
                                                "execlp", "execle", "execvpe",     "system("};
/// Headers of the project whose functions open files.
const std::vector<std::string> rooms_files = {
    "\"runtime/foundation/whole_file", "\"runtime/foundation/line_file",
    "\"runtime/foundation/directory_lock", "\"runtime/foundation/file_descriptor",
    "\"runtime/record/run_directory"};

/// Rooms whose behavior depends on their arguments only, so that a simulator can run them.
const std::vector<std::string> pure_rooms = {
    "runtime/peer/", "runtime/wire/", "runtime/session/", "runtime/membership/", "runtime/participant/",
    "runtime/observer/", "runtime/supervision/", "runtime/survey/", "runtime/simulator/",
    // What is decided about a run's output directory.
    "runtime/record/output_rules.",
    // And when a program is started anew, whose answer counts, which end is a failure.
    "runtime/program/program_rules."};

const std::vector<Ban>& bans() {
  static const std::vector<Ban> all = {
      {"topology and algorithms know no sockets",
       {"topology/", "algorithms/"},
       {},
       socket_headers,
       {"socket"}},
      {"topology and algorithms know no files",
       {"topology/", "algorithms/"},
       {},
       file_headers,
       {"FILE", "fopen", "ifstream", "ofstream"}},
      {"topology and algorithms know no clocks", {"topology/", "algorithms/"}, {}, clock_headers, {"chrono"}},
      {"topology and algorithms know no threads",
       {"topology/", "algorithms/"},
       // The packet pool: a peer takes packets from it, and the thread of ZeroMQ gives them back. The sum
       // that the peers of a simulation share, which has a thread for every core.
       {"algorithms/compression/seam/packet.", "algorithms/seam/shared_sum."},
       thread_headers,
       {"thread", "mutex", "jthread"}},
      {"topology and algorithms do not log",
       {"topology/", "algorithms/"},
       {},
       {"<spdlog", "<fmt"},
       {"spdlog"}},
      {"topology and algorithms know no file formats",
       {"topology/", "algorithms/"},
       {},
       {"<toml++", "<nlohmann", "<zlib", "<CLI"},
       {"toml", "nlohmann"}},
      {"topology knows no models", {"topology/"}, {}, {}, {"model", "gradient", "Objective", "compressor"}},
      {"TOML is read in one file",
       {"runtime/", "tools/", "bench/"},
       {"runtime/toml/document.cpp"},
       {"<toml++"},
       {}},
      {"ZeroMQ belongs to runtime/zmq", {"runtime/", "tools/"}, {"runtime/zmq/"}, {"<zmq"}, {"zmq::"}},
      {"the real clock belongs to runtime/zmq/clock",
       {"topology/", "algorithms/", "runtime/", "tests/"},
       {"runtime/zmq/clock."},
       {},
       real_clocks},
      {"JSON belongs to runtime/record and tools",
       {"topology/", "algorithms/", "runtime/"},
       // What hearsay and the programs that it starts say of themselves.
       {"runtime/record/", "runtime/program/hello.cpp"},
       {"<nlohmann"},
       {"nlohmann"}},
      {"processes are started by runtime/process and program, tools/child, and runtime/network, which runs "
       "ip "
       "and tc",
       {"topology/", "algorithms/", "runtime/", "tools/"},
       // A sweep forks its peers, so its page needs a process of its own.
       {"runtime/process/", "runtime/program/", "runtime/network/", "tools/child/",
        "tools/report/live_sweep_page.cpp"},
       {"<spawn.h", "<sys/wait.h"},
       process_calls},
      {"pure rooms know no sockets", pure_rooms, {}, socket_headers, {"socket"}},
      {"pure rooms know no files",
       pure_rooms,
       {},
       file_headers,
       {"FILE", "fopen", "freopen", "ifstream", "ofstream"}},
      {"pure rooms open no files by others' hands", pure_rooms, {}, rooms_files, {}},
      {"pure rooms know neither clocks nor what the machine says",
       pure_rooms,
       {},
       {"<ctime", "<time.h", "<sys/time", "<sys/resource"},
       {"getrusage", "getenv", "std::time", "std::clock"}},
      {"pure rooms know no threads", pure_rooms, {}, thread_headers, {"thread", "mutex", "jthread", "async"}},
      {"pure rooms know no processes",
       pure_rooms,
       {},
       {"<csignal", "<signal.h"},
       {"getpid", "kill", "signal"}},
      {"Boost stays in topology's sources",
       {"algorithms/", "runtime/", "tools/", "bench/"},
       // The live page needs a little HTTP, and an interval Student's t.
       {"tools/report/http_server.cpp", "tools/statistics/estimate.cpp"},
       {"<boost/"},
       {"boost"}},
      {"the command line belongs to tools", {"topology/", "algorithms/", "runtime/"}, {}, {"<CLI"}, {"CLI"}},
      {"the library prints nothing: a Notice takes what is to be said",
       {"topology/", "algorithms/", "runtime/"},
       // The panic of a broken invariant; and what `ip` would say on a pipe, if it were there.
       {"topology/foundation/ensure.cpp", "runtime/network/network_namespace.cpp"},
       {"<iostream", "<print"},
       {"printf", "fprintf", "vprintf", "vfprintf", "dprintf", "puts", "fputs", "putchar", "perror", "stdout",
        "stderr", "cout", "cerr", "clog"}},
      {"random numbers are our own, so that every machine draws the same",
       {"topology/", "algorithms/", "runtime/", "tools/", "bench/", "tests/"},
       {},
       {"<random>"},
       {"random_device", "std::shuffle", "std::sample", "std::rand", "::Random", "setRandom"}},
      {"nothing sleeps to wait for something",
       {"topology/", "algorithms/", "runtime/", "tools/", "bench/", "tests/"},
       {},
       {},
       {"sleep_for", "usleep", "this_thread::sleep_until"}},
  };
  return all;
}

}  // namespace

Violations keep_bans(const SourceTree& tree) {
  Violations found;
  for (const Ban& ban : bans()) {
    for (const SourceFile& file : tree.files) {
      if (!begins_with_any(file.path, ban.where) || begins_with_any(file.path, ban.except)) continue;
      for (std::size_t k = 0; k < file.code.size(); ++k) {
        const std::string included = included_by(file.code[k]);
        if (!included.empty()) {
          if (begins_with_any(included, ban.headers))
            found.push_back(at(file, k, included + ": " + ban.what));
          continue;
        }
        for (const std::string& name : ban.names)
          if (mentions(file.code[k], name)) found.push_back(at(file, k, name + ": " + ban.what));
      }
    }
  }
  return found;
}

}  // namespace hearsay
