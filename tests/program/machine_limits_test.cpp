#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"
#include "tests/support/sanitizers.hpp"

namespace hearsay::test::machine_limits_test {

TEST_CASE("run: too few open files for so many neighbors is one sentence, before anything begins") {
  const DataFolder folder;
  folder.write("q.toml", small_run);
  const auto few_files = [] {
    const rlimit limit{200, 200};
    setrlimit(RLIMIT_NOFILE, &limit);
  };
  const ProgramEnd end = run_program(
      folder.path(),
      {"run", "q.toml", "--output", "out", "--set", "topology.kind=complete", "--set", "topology.peers=60"},
      few_files);
  CHECK(end.code == 2);
  CHECK(end.complained ==
        "hearsay: peer 0, with 59 neighbors, opens up to 359 files, and this machine allows a process 200; "
        "expected a higher limit (ulimit -n), fewer peers or fewer neighbors\n");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
  // As many as are allowed run.
  CHECK(run_program(folder.path(),
                    {"run", "q.toml", "--output", "out", "--set", "topology.kind=complete", "--set",
                     "topology.peers=28"},
                    few_files)
            .code == 0);
}

#ifndef HEARSAY_TESTS_ARE_SANITIZED
TEST_CASE("simulate: more threads than the machine permits are fewer threads, with the same result") {
  const DataFolder folder;
  folder.write("q.toml", small_run);
  const auto simulated = [&](const std::string& output, const std::function<void()>& prepare) {
    const ProgramEnd end =
        run_program(folder.path(), {"simulate", "q.toml", "--threads", "300", "--output", output}, prepare);
    CHECK_MESSAGE(end.code == 0, end.complained);
    return content_of(folder.path() / output / "model.npy");
  };
  const auto little_room = [] {  // for 100 stacks of 8 MB
    const rlimit limit{1u << 30, 1u << 30};
    setrlimit(RLIMIT_AS, &limit);
  };
  CHECK(simulated("few", little_room) == simulated("many", [] {}));
}

TEST_CASE("run: a limit of each process is no limit of all of them together") {
  const DataFolder folder;
  folder.write("q.toml", small_run);
  const ProgramEnd end = run_program(
      folder.path(),
      {"run", "q.toml", "--output", "out", "--set", "model.kind=quadratic(4000000)", "--set",
       "run.iterations=2"},
      [] {
        const rlimit limit{1'000'000'000, 1'000'000'000};  // of which four processes need more together
        setrlimit(RLIMIT_AS, &limit);
      });
  CHECK_MESSAGE(end.code == 0, end.complained);
}

TEST_CASE("simulate: what does not fit into a limit of this process is refused before anything is taken") {
  const DataFolder folder;
  folder.write("q.toml", small_run);
  const ProgramEnd end = run_program(
      folder.path(), {"simulate", "q.toml", "--output", "out", "--set", "topology.peers=1000000"}, [] {
        const rlimit limit{1'500'000'000, 1'500'000'000};
        setrlimit(RLIMIT_AS, &limit);
      });
  CHECK(end.code == 2);
  CHECK_MESSAGE(contains(end.complained, "GB of memory, and this process may use 1.5; expected at most "),
                end.complained);
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out"));
}

#endif

}  // namespace hearsay::test::machine_limits_test
