#include "runtime/program/program_process.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/program/program_groups.hpp"
#include "tests/support/data_files.hpp"
#include "topology/foundation/host_refusal.hpp"

namespace hearsay::test::program_process_test {

namespace {

/// Starts two processes that hold 50 MB each, writes their numbers down, and ends once they have it.
const std::string leaves_two_behind = R"sh(
mkfifo holding ending
exec 3<> holding
for each in 1 2; do
  ( held=$(head -c 50000000 /dev/zero | tr '\0' x); echo ready >&3; read -r end < ending ) &
  echo $! >> left_behind
done
read -r one <&3; read -r two <&3
)sh";

bool has_ended(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(')');
  return name_end == text.npos || text.substr(name_end + 2, 1) == "Z";
}

/// What a process does in the middle of the fork of its program, and on a signal that comes then.
struct Interrupted {
  FileDescriptor killed_comes, killed_goes;  // ends once it has killed the groups that it knows of
  FileDescriptor said_comes, said_goes;      // what the program says; ends with it
};
Interrupted* interrupted = nullptr;

/// Starts a program that forks, in a process that is interrupted meanwhile: the program goes on once its
/// starter has killed all that it knows of. Returns what the program then says.
[[noreturn]] void start_interrupted() {
  std::array<int, 2> killed{}, said{};
  if (pipe2(killed.data(), O_CLOEXEC) != 0 || pipe2(said.data(), O_CLOEXEC) != 0) _exit(2);
  static Interrupted pipes{FileDescriptor(killed[0]), FileDescriptor(killed[1]), FileDescriptor(said[0]),
                           FileDescriptor(said[1])};
  interrupted = &pipes;
  signal(SIGTERM, [](int) {
    kill_program_groups();
    interrupted->killed_goes.close();
    interrupted->said_goes.close();
    std::array<char, 64> words{};
    const ssize_t length = read(interrupted->said_comes.number(), words.data(), words.size() - 1);
    if (length <= 0) _exit(0);
    kill(atoi(words.data()), SIGKILL);
    _exit(1);  // the program has forked, and this process knew nothing of it
  });
  pthread_atfork(
      nullptr, [] { raise(SIGTERM); },
      [] {
        interrupted->killed_goes.close();
        char none = 0;
        if (read(interrupted->killed_comes.number(), &none, 1) != 0) _exit(2);
      });
  ProgramProcess::start({.words = {"sh", "-c", "sleep 1000 & echo $!; exec sleep 1000"},
                         .directory = "/",
                         .output = pipes.said_goes.number()});
  _exit(2);
}

}  // namespace

TEST_CASE("program: a process that is interrupted while it starts one leaves nothing behind") {
  const pid_t starter = fork();
  if (starter == 0) start_interrupted();
  int status = 0;
  REQUIRE(waitpid(starter, &status, 0) == starter);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("program: one that is not on this host may be on another") {
  CHECK_THROWS_AS(ProgramProcess::start({.words = {"/nowhere/program"}, .directory = "/"}), HostRefusal);
}

TEST_CASE("program: when it has ended, so has what it has forked, its memory given back") {
  const DataFolder folder;
  ProgramProcess::Started program =
      ProgramProcess::start({.words = {"sh", "-c", leaves_two_behind}, .directory = folder.path()});
  REQUIRE(program.process.has_ended(-1));
  CHECK_FALSE(program.process.ended_badly());
  std::ifstream left_behind(folder.path() / "left_behind");
  int counted = 0;
  for (std::string process; left_behind >> process; ++counted) CHECK(has_ended(process));
  CHECK(counted == 2);
}

}  // namespace hearsay::test::program_process_test
