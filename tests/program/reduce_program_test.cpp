#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "tests/program/printed_record.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::reduce_program_test {

TEST_CASE(
    "reduce: the manual of a method that reads it tells of both ways: bytes, partners, and who they are") {
  const DataFolder folder;
  const auto lists = record_of(run_program(folder.path(), {"list", "--json"}));
  for (const auto& listed : lists["algorithm.kind"]) {
    const std::string name = listed["name"];
    CAPTURE(name);
    const bool reads = find_method(name).options.has(option::reduce);
    CHECK(contains(listed["bytes_per_iteration"], "by doubling") == reads);
    CHECK((listed["talks_to"] == "ring or doubling") == reads);
    const std::string page = run_program(folder.path(), {"list", name}).said;
    CHECK(contains(page, "or, by doubling, one other peer in each of log2 n steps") == reads);
  }
}

TEST_CASE("reduce: check names the sources of both ways, and has both times in its JSON") {
  const DataFolder folder;
  folder.write("r.toml",
               "run.iterations = 10\nalgorithm.kind = \"allreduce-sgd\"\n"
               "network = { bandwidth = \"10 Mbit/s\", latency = \"20 ms\", compute = \"0 s\" }\n"
               "model.kind = \"quadratic(1000)\"\ntopology.peers = 8\n");
  const std::string said = run_program(folder.path(), {"check", "r.toml"}).said;
  CHECK(contains(said, "reduce         doubling"));
  CHECK(contains(said, "doubling of Thakur"));
  const auto plan = record_of(run_program(folder.path(), {"check", "r.toml", "--json"}));
  CHECK(plan["reduce_seconds"]["ring"].get<double>() == doctest::Approx(14 * (20e-3 + 564 / 1.25e6)));
  CHECK(plan["reduce_seconds"]["doubling"].get<double>() == doctest::Approx(3 * (20e-3 + 4064 / 1.25e6)));
  const auto gossip =
      record_of(run_program(folder.path(), {"check", "r.toml", "--json", "--set", "algorithm.kind=d-psgd"}));
  CHECK(gossip["reduce_seconds"].is_null());
}

}  // namespace hearsay::test::reduce_program_test
