// hearsay launch brings home the models of earlier iterations.
#include <doctest/doctest.h>

#include "tests/program/launch_cluster.hpp"

namespace hearsay::test::launch_models_test {

namespace fs = std::filesystem;

TEST_SUITE("net") {
  TEST_CASE("launch: the kept models of the mean, or of each peer, come home as the simulator's") {
    if (skipped_without_namespaces("launch with kept models")) return;
    for (const std::string kept : {"every 20", "every 20, peers"}) {
      CAPTURE(kept);
      Cluster cluster;
      const std::string setting = "run.keep_models=" + kept;
      const auto launcher = cluster.launch({"--set", setting});
      REQUIRE_MESSAGE(launcher->wait() == 0, launcher->complained());
      REQUIRE(
          run_program(cluster.folder.path(), {"simulate", "run.toml", "--output", "sim", "--set", setting})
              .code == 0);
      const fs::path brought = cluster.folder.path() / "out/models";
      std::size_t files = 0;
      for (const auto& entry : fs::directory_iterator(cluster.folder.path() / "sim/models")) {
        CAPTURE(entry.path());
        ++files;
        CHECK(content_of(brought / entry.path().filename()) == content_of(entry.path()));
      }
      CHECK(files == (kept == "every 20" ? 1 + 4 : 1 + 4 * host_count));
      CHECK(std::distance(fs::directory_iterator(brought), {}) == static_cast<std::ptrdiff_t>(files));
      CHECK(run_program(cluster.folder.path(), {"influence", "out", "--quiet"}).code == 0);
      for (std::size_t host = 0; host < host_count; ++host) CHECK(fs::is_empty(cluster.directory(host)));
    }
  }
}

}  // namespace hearsay::test::launch_models_test
