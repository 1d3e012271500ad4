#include <doctest/doctest.h>
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "runtime/network/congestion.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/network_namespaces.hpp"
#include "tests/support/program.hpp"
#include "tests/support/run_record.hpp"

namespace hearsay::test::faults_slow_network_test {

namespace fs = std::filesystem;

namespace {

/// A way in which a run can end.
struct Way {
  std::string status;
  int exit_code;
  std::string run;         ///< keys of [run]
  std::string method;      ///< keys of [algorithm]
  std::string topology;    ///< the family of the topology file
  std::string links = {};  ///< further keys of [topology]
};

/// Four peers, each with a program of its own beside it, on hosts whose cables the kernel slows down: a model
/// of 120 kB takes them a second.
class SlowHosts {
 public:
  explicit SlowHosts(const Way& way) {
    std::string peers;
    for (std::size_t id = 0; id < count; ++id) {
      network_.limit_bandwidth(id, "1mbit");
      peers += "[[peer]]\naddress = \"tcp://" + network_.address(id) + ":7000\"\n";
      fs::create_directory(folder_of(id));
    }
    folder_.write("cluster.toml", "observer = \"tcp://" + network_.address(0) + ":6999\"\nfamily = \"" +
                                      way.topology + "\"\n" + peers);
    folder_.write("run.toml", "[run]\niterations = 4\n" + way.run + "[topology]\nfile = \"cluster.toml\"\n" +
                                  way.links + "[algorithm]\nbatch = \"full\"\n" + way.method +
                                  "[failure]\nlost_after = \"20 s\"\n");
    for (std::size_t id = 0; id < count; ++id)
      peers_.push_back(std::make_unique<Program>(
          folder_of(id),
          std::vector<std::string>{"peer", "../run.toml", "--id", std::to_string(id), "--quiet", "--output",
                                   output(id).string(), "--", HEARSAY_ANSWERING_PROGRAM, "large"},
          Program::Output::file, network_.enter(id)));
  }

  static constexpr std::size_t count = 4;
  Program& peer(std::size_t id) { return *peers_[id]; }
  fs::path output(std::size_t id) const { return folder_of(id) / "out"; }

 private:
  fs::path folder_of(std::size_t id) const { return folder_.path() / std::to_string(id); }

  DataFolder folder_;
  NetworkNamespaces network_{count};
  std::vector<std::unique_ptr<Program>> peers_;  // they have to end before the network
};

const std::vector<Way>& ways() {
  const std::string gossip = "kind = \"d-psgd\"\nstep_size = 0.5\n";
  static const std::vector<Way> all = {
      {"done", 0, "evaluate_every = 4\n", gossip, "ring"},
      {"done", 0, "evaluate_every = 4\nevaluate = \"own\"\n", gossip, "ring"},
      {"done", 0, "evaluate_every = 4\n", gossip, "exponential", "schedule = \"one-peer-exponential\"\n"},
      {"target", 0, "evaluate_every = 1\ntarget_loss = 40000\n",
       "kind = \"allreduce-sgd\"\nstep_size = 0.5\n", "ring"},
      {"plateau", 0, "evaluate_every = 1\npatience = 1\nmin_improvement = 0.9\n",
       "kind = \"fed-avg\"\nstep_size = 0.01\n", "star"},
      {"diverged", 4, "evaluate_every = 2\n", "kind = \"d-psgd\"\nstep_size = 1e30\n", "ring"},
      {"interrupted", 130, "evaluate_every = 1\n", gossip, "ring"},
  };
  return all;
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE("faults: on a slow network a run with programs ends at all peers as it ends at the first") {
    if (skipped_without_namespaces("an ending over a slow network")) return;
    std::vector<std::unique_ptr<SlowHosts>> runs;  // all at once: they wait for their networks
    for (const Way& way : ways()) runs.push_back(std::make_unique<SlowHosts>(way));
    for (std::size_t k = 0; k < ways().size(); ++k) {
      const Way& way = ways()[k];
      CAPTURE(way.status);
      CAPTURE(way.run);
      SlowHosts& hosts = *runs[k];
      if (way.status == "interrupted") {
        REQUIRE(hosts.peer(0).wait_until([&] { return evaluations_in(hosts.output(0)) >= 2; }));
        kill(hosts.peer(2).process(), SIGINT);
      }
      for (std::size_t id = 0; id < SlowHosts::count; ++id) {
        CAPTURE(id);
        CHECK_MESSAGE(hosts.peer(id).wait() == way.exit_code, hosts.peer(id).complained());
        CHECK_MESSAGE(!contains(hosts.peer(id).complained(), "did not confirm"), hosts.peer(id).complained());
      }
      const auto summary = record_of(hosts.output(0)).summary;
      CHECK(summary["status"] == way.status);
      if (way.exit_code == 0)
        CHECK(summary["congestion"] == nlohmann::ordered_json::array({congestion_here("auto")}));
    }
  }
}

}  // namespace hearsay::test::faults_slow_network_test
