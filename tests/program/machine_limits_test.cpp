#include <doctest/doctest.h>
#include <sys/resource.h>

#include <filesystem>

#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"

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

}  // namespace hearsay::test::machine_limits_test
