#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/data_files.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::memory_program_test {

namespace {

/// Writes a run file of a model: a quadratic, or of samples, which are few.
void write_run(const DataFolder& folder, const std::string& model, const std::string& method,
               const std::string& topology) {
  folder.write("run.toml", "[run]\niterations = 5\nevaluate_every = 10\n" + model +
                               "[algorithm]\nbatch = \"full\"\nkind = " + method + "\n[topology]\n" +
                               topology + "\n");
}

/// Returns the peak memory of the largest process.
double peak_of_run(const DataFolder& folder) {
  REQUIRE(run_program(folder.path(), {"run", "run.toml", "--quiet", "--output", "out"}).code == 0);
  return record_of(folder.path() / "out").summary["peak_memory_bytes"].get<double>();
}

/// Returns what check says that it is.
double stated_by_check(const DataFolder& folder) {
  const ProgramEnd end = run_program(folder.path(), {"check", "run.toml", "--json"});
  return nlohmann::json::parse(end.said)["process_memory_bytes"].get<double>();
}

const std::string six_million =
    "[data]\nsource = \"synthetic(samples=16, features=60000, classes=100)\"\n"
    "[model]\nkind = \"softmax\"\n";

}  // namespace

TEST_CASE("memory: a process holds the data of its own peer, however many peers there are") {
  // The objective of a peer has 2 d numbers, and both rings have two neighbors a peer.
  const auto peak = [](const std::string& peers) {
    const DataFolder folder;
    write_run(folder, "[model]\nkind = \"quadratic(2000000)\"\n", "\"d-psgd\"", "peers = " + peers);
    return peak_of_run(folder);
  };
  constexpr double vector_bytes = 4 * 2e6;
  CHECK(peak("7") <= peak("3") + 3.0 * vector_bytes);
}

TEST_CASE("memory: a process takes what check says of it, within a tenth and 32 MiB") {
  const std::string ring = "peers = 4";
  for (const auto& run :
       {std::pair(std::string("\"d-psgd\""), std::string("peers = 2")),
        std::pair(std::string("\"d-psgd\""), ring),
        std::pair(std::string("\"dcd-psgd\"\ncompressor = \"dither(linf, bits=4, bucket=512)\""), ring),
        std::pair(std::string("\"choco-sgd\"\ncompressor = \"sign(bucket=512)\""), ring),
        std::pair(std::string("\"allreduce-sgd\""), ring),
        std::pair(std::string("\"local-sgd\"\nlocal_steps = 4"), ring),
        std::pair(std::string("\"fed-avg\""), std::string("kind = \"star\"\npeers = 4"))}) {
    CAPTURE(run.first);
    const DataFolder folder;
    write_run(folder, six_million, run.first, run.second);
    const double stated = stated_by_check(folder);
    const double peak = peak_of_run(folder);
    CHECK(peak <= 1.1 * stated + 32 * 1048576.0);
    CHECK(peak >= 0.9 * stated - 32 * 1048576.0);
  }
}

TEST_CASE("memory: the observer of a run over hosts takes three models, however many peers tell theirs") {
  constexpr double model_bytes = 4 * 6e6;
  constexpr std::size_t peers = 6;
  const DataFolder folder;
  folder.write("run.toml", six_million +
                               "[run]\niterations = 4\nevaluate_every = 1\n[topology]\npeers = 6\n" +
                               "[algorithm]\nbatch = \"full\"\nkind = \"d-psgd\"\n");
  std::string addresses = free_address();
  while (std::ranges::count(addresses, ',') < 5) addresses += "," + free_address();
  const std::string observer = free_address();
  const auto place = [&] {
    setenv("HEARSAY_ADDRESSES", addresses.c_str(), 1);
    setenv("HEARSAY_OBSERVER", observer.c_str(), 1);
    setenv("TMPDIR", "/none", 1);
  };
  std::vector<std::unique_ptr<Program>> processes;
  for (std::size_t id = 0; id < peers; ++id)
    processes.push_back(
        std::make_unique<Program>(folder.path(),
                                  std::vector<std::string>{"peer", "run.toml", "--id", std::to_string(id),
                                                           "--output", "out-" + std::to_string(id)},
                                  Program::Output::file, place));
  const auto has_spool = [&] {
    const std::string there = std::filesystem::canonical(folder.path()).string() + "/";
    std::ifstream maps("/proc/" + std::to_string(processes[0]->process()) + "/maps");
    for (std::string line; std::getline(maps, line);)
      if (line.find(there) != line.npos && line.ends_with("(deleted)")) return true;
    return false;
  };
  CHECK(processes[0]->wait_until(has_spool));  // where the output will be
  for (const auto& process : processes) REQUIRE(process->wait() == 0);
  const auto told = record_of(folder.path() / "out-0").summary["per_peer"];
  double largest_of_others = 0.0;
  for (std::size_t id = 1; id < peers; ++id)
    largest_of_others = std::max(largest_of_others, told[id]["peak_memory_bytes"].get<double>());
  CHECK(told[0]["peak_memory_bytes"].get<double>() <=
        largest_of_others + 1.1 * 3 * model_bytes + 32 * 1048576.0);
  for (const auto& file : std::filesystem::directory_iterator(folder.path() / "out-0"))
    CHECK(file.path().filename().string().front() != '.');
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
    CHECK(end.complained.ends_with("which tells times and bytes without that memory\n"));
  }
}

}  // namespace hearsay::test::memory_program_test
