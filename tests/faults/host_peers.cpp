#include "tests/faults/host_peers.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include "tests/support/process.hpp"

namespace hearsay::test {

namespace fs = std::filesystem;

namespace {

const std::string cluster = R"toml(
[topology]
file = "cluster.toml"
[network]
compute = "2 ms"
)toml";

std::string line_of(const std::string& text) { return "\"" + text + "\"\n"; }

}  // namespace

HostPeers::HostPeers(const Setup& setup) {
  if (!setup.on_loopback && !NetworkNamespaces::why_not()) network_.emplace(count);
  std::string peers;
  for (std::size_t id = 0; id < count; ++id) {
    fs::create_directory(folder_of(id));
    std::string address = network_ ? "tcp://" + network_->address(id) + ":7000" : free_address();
    if (id == 1) bind_of_1_ = address;
    peers += "[[peer]]\n";
    if (id == 1 && !setup.address_of_1.empty()) {
      peers += "bind = " + line_of(address);
      address = setup.address_of_1;
    }
    peers += "address = " + line_of(address);
  }
  observer_bind_ = network_ ? "tcp://" + network_->address(0) + ":6999" : free_address();
  std::string observer = "observer = " + line_of(observer_bind_);
  if (!setup.address_of_observer.empty())
    observer =
        "observer_bind = " + line_of(observer_bind_) + "observer = " + line_of(setup.address_of_observer);
  folder_.write("cluster.toml", observer + "family = " + line_of(setup.family) + peers);
  folder_.write("run.toml", "[run]\niterations = " + setup.iterations + "\nevaluate_every = 10\n[data]\n" +
                                setup.data + cluster + "[algorithm]\n" + setup.algorithm + "[failure]\n" +
                                setup.failure);
}

Program& HostPeers::start(std::size_t id, const std::vector<std::string>& more) {
  std::vector<std::string> words = {"peer",     "../run.toml",      "--id", std::to_string(id), "--quiet",
                                    "--output", output(id).string()};
  words.insert(words.end(), more.begin(), more.end());
  peers_[id] = std::make_unique<Program>(
      folder_of(id), words, Program::Output::file, network_ ? network_->enter(id) : [] {});
  return *peers_[id];
}

void HostPeers::start_all(const std::vector<std::string>& more) {
  for (std::size_t id = 0; id < count; ++id) start(id, more);
}

void HostPeers::kill_peer(std::size_t id) {
  kill(peer(id).process(), SIGKILL);
  CHECK(peer(id).wait() == -SIGKILL);
}

bool HostPeers::reaches(std::size_t evaluations) const {
  return peers_[0]->wait_until([&] { return evaluations_in(output(0)) >= evaluations; });
}

void HostPeers::check_that_it_ends_well(std::size_t id) const {
  const int code = peer(id).wait();
  CAPTURE(id);
  CHECK_MESSAGE(code == 0, peer(id).complained());
}

RunRecord HostPeers::check_end(const std::string& iterations, Said said) {
  for (std::size_t id = 0; id < count; ++id) check_that_it_ends_well(id);
  std::vector<std::string> words = {"simulate", "run.toml", "--quiet", "--overwrite", "--output", "calm"};
  if (!iterations.empty()) {
    words.push_back("--set");
    words.push_back("run.iterations=" + iterations);
  }
  REQUIRE(run_program(folder_.path(), words).code == 0);
  const RunRecord record = record_of(output(0));
  check_same_run(record, record_of(folder_.path() / "calm"), said);
  return record;
}

}  // namespace hearsay::test
