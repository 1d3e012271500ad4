#include <doctest/doctest.h>
#include <sys/resource.h>

#include <string>

#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::memory_program_test {

namespace {

constexpr double parameters = 4e6;

/// Returns the peak memory of the largest process, in vectors of d floats, of three iterations.
double peak_in_vectors(const std::string& method, int peers) {
  const DataFolder folder;
  folder.write("run.toml",
               "[run]\niterations = 3\nevaluate_every = 10\n"
               "[model]\nkind = \"quadratic(4000000)\"\n"
               "[algorithm]\nkind = \"" +
                   method + "\"\nbatch = \"full\"\n[topology]\npeers = " + std::to_string(peers) + "\n");
  REQUIRE(run_program(folder.path(), {"run", "run.toml", "--quiet", "--output", "out"}).code == 0);
  return record_of(folder.path() / "out").summary["peak_memory_bytes"].get<double>() / (4 * parameters);
}

}  // namespace

TEST_CASE("memory: a process holds the data of its own peer, however many peers there are") {
  // The objective of a peer has 2 d numbers, and both rings have two neighbors a peer.
  CHECK(peak_in_vectors("d-psgd", 6) <= peak_in_vectors("d-psgd", 3) + 2.0);
}

TEST_CASE("memory: a run that this machine cannot hold is one sentence, before any memory is taken") {
  const DataFolder folder;
  folder.write("run.toml", "[model]\nkind = \"quadratic(429496729)\"\n[topology]\npeers = 1000\n");
  const auto little_memory = [] {
    const rlimit limit{std::size_t{1} << 30, std::size_t{1} << 30};
    setrlimit(RLIMIT_AS, &limit);
  };
  for (const char* command : {"check", "run", "simulate"}) {
    CAPTURE(command);
    const ProgramEnd end = run_program(folder.path(), {command, "run.toml"}, little_memory);
    CHECK(end.code == 2);
    CHECK(end.complained.starts_with(
        "hearsay: model.kind = quadratic(429496729): the objectives and models of 1000 peers need 68"));
    CHECK(end.complained.ends_with("tells times and bytes without them\n"));
  }
}

}  // namespace hearsay::test::memory_program_test
