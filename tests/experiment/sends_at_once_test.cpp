#include "runtime/experiment/sends_at_once.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/settings/run_settings_file.hpp"

namespace hearsay::test::sends_at_once_test {

namespace {

std::size_t of(const std::string& method, const std::string& topology, PeerId id = 0) {
  const Experiment<float> experiment =
      prepare<float>(parse_run("run.iterations = 4\nmodel.kind = \"quadratic(8)\"\ntopology = { peers = 8, " +
                               topology + " }\nalgorithm = { " + method + ", batch = \"full\" }\n"));
  return sends_at_once(experiment, id);
}

}  // namespace

TEST_CASE("sends at once: as many as hear a round, and one where messages follow each other") {
  const std::string gossip = "kind = \"d-psgd\"";
  CHECK(of(gossip, "kind = \"ring\"") == 2);
  CHECK(of(gossip, "kind = \"complete\"") == 7);
  CHECK(of(gossip, "kind = \"exponential\", schedule = \"one-peer-exponential\"") == 1);
  CHECK(of("kind = \"allreduce-sgd\", reduce = \"ring\"", "kind = \"complete\"") == 1);
  CHECK(of("kind = \"allreduce-sgd\", reduce = \"doubling\"", "kind = \"complete\"") == 1);
  CHECK(of("kind = \"ad-psgd\"", "kind = \"ring\"") == 1);
  CHECK(of("kind = \"fed-avg\"", "kind = \"star\"") == 7);
  CHECK(of("kind = \"fed-avg\"", "kind = \"star\"", 3) == 1);
}

}  // namespace hearsay::test::sends_at_once_test
