#include <doctest/doctest.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "runtime/foundation/file_descriptor.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/network_namespaces.hpp"
#include "tests/support/program.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test::kernel_sweep_program_test {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

/// The text of a sweep file. It asks for the simulator; --network kernel overrides that with real processes.
std::string sweep_file(const std::string& iterations) {
  return "run.iterations = " + iterations + R"toml(
run.evaluate_every = 2
model.kind = "quadratic(500)"
topology.peers = 4
algorithm.batch = "full"
network.compute = "1 ms"
[sweep]
driver = "simulate"
"network.bandwidth" = ["5 Mbit/s", "20 Mbit/s"]
)toml";
}

/// Returns the cookie of a network namespace. Unlike its inode, a cookie is never used twice. Returns 0 if
/// the file is gone, or is no network namespace.
std::uint64_t cookie_of(const fs::path& network) {
  const FileDescriptor home("/proc/thread-self/ns/net", O_RDONLY);
  const FileDescriptor place(network, O_RDONLY);
  std::uint64_t cookie = 0;
  if (!place || setns(place.number(), CLONE_NEWNET) != 0) return 0;
  const int asking = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  socklen_t length = sizeof cookie;
  ensure(getsockopt(asking, SOL_SOCKET, SO_NETNS_COOKIE, &cookie, &length) == 0,
         "every network has a cookie");
  close(asking);
  ensure(setns(home.number(), CLONE_NEWNET) == 0, "a thread finds home");
  return cookie;
}

/// Returns one file for each network namespace of the machine: each that has a process in it, an open
/// descriptor, or a name.
std::set<fs::path> networks_of_this_machine() {
  std::map<fs::path, fs::path> by_target;  // "net:[4026531840]" and one of its files
  const auto find = [&](const fs::path& link) {
    std::error_code gone;
    const std::string target = fs::read_symlink(link, gone);
    if (target.starts_with("net:[")) by_target.emplace(target, link);
  };
  std::error_code gone;
  for (const fs::directory_entry& process : fs::directory_iterator("/proc")) {
    if (!std::isdigit(static_cast<unsigned char>(process.path().filename().string()[0]))) continue;
    find(process.path() / "ns/net");
    for (fs::directory_iterator file(process.path() / "fd", gone), end; !gone && file != end;
         file.increment(gone))
      find(file->path());
  }
  std::set<fs::path> found;
  for (const auto& [target, link] : by_target) found.insert(link);
  std::ifstream mounts("/proc/self/mountinfo");  // number parent device root place ...
  for (std::string line; std::getline(mounts, line);) {
    std::istringstream fields(line);
    std::string ignored, root, place;
    fields >> ignored >> ignored >> ignored >> root >> place;
    if (root.starts_with("net:[")) found.insert(place);
  }
  return found;
}

/// Returns the names of the interfaces of this process.
std::set<std::string> interfaces() {
  std::set<std::string> found;
  for (const fs::directory_entry& interface : fs::directory_iterator("/sys/class/net"))
    found.insert(interface.path().filename());
  return found;
}

/// A sweep that never ends, under the limits of the kernel. The constructor returns when its peers train.
class EndlessSweep {
 public:
  EndlessSweep() {
    folder_.write("s.toml", sweep_file("100000000"));
    program_.emplace(folder_.path(),
                     std::vector<std::string>{"sweep", "s.toml", "--network", "kernel", "--output", "out",
                                              "--set", "sweep.network.bandwidth=[\"5 Mbit/s\"]"});
    REQUIRE_MESSAGE(program_->wait_until([this] {
      const std::string record = content_of(folder_.path() / "out/5-mbit-s/metrics.jsonl");
      return std::ranges::count(record, '\n') >= 2;
    }),
                    program_->complained());
    for (const pid_t peer : program_->children())
      networks_.insert(cookie_of(fs::path("/proc") / std::to_string(peer) / "ns/net"));
  }

  Program& program() { return *program_; }
  /// The cookies of the network namespaces of its peers.
  const std::set<std::uint64_t>& networks() const { return networks_; }

 private:
  DataFolder folder_;
  std::optional<Program> program_;
  std::set<std::uint64_t> networks_;
};

bool any_is_left(const std::set<std::uint64_t>& networks) {
  return std::ranges::any_of(networks_of_this_machine(),
                             [&](const fs::path& network) { return networks.contains(cookie_of(network)); });
}

}  // namespace

TEST_SUITE("net") {
  TEST_CASE(
      "sweep --network kernel: real processes learn what the simulator says, and the record names the "
      "network") {
    if (skipped_without_namespaces("sweep in the kernel's network")) return;
    const DataFolder folder;
    folder.write("s.toml", sweep_file("6"));
    const auto sweep = [&](const std::vector<std::string>& more) {
      std::vector<std::string> words = {"sweep", "s.toml"};
      words.insert(words.end(), more.begin(), more.end());
      const ProgramEnd end = run_program(folder.path(), words);
      CHECK_MESSAGE(end.code == 0, end.complained);
      return end.complained;
    };
    const std::set<std::string> before = interfaces();
    sweep({"--network", "kernel", "--output", "kernel", "--set", "network.latency=1 ms"});
    sweep({"--output", "simulated"});
    CHECK(interfaces() == before);
    const Json real = Json::parse(content_of(folder.path() / "kernel/sweep.json"));
    const Json simulated = Json::parse(content_of(folder.path() / "simulated/sweep.json"));
    CHECK(real["driver"] == "zmq");
    CHECK(real["network"] == "kernel");
    CHECK(simulated["network"].is_null());
    REQUIRE(real["points"].size() == 2);
    for (const Json& point : real["points"]) {
      CHECK(point["status"] == "done");
      CHECK(point["slowed_by"].get<std::string>().starts_with("the kernel limits the bandwidth"));
      const std::string model = point["folder"].get<std::string>() + "/model.npy";
      CHECK(content_of(folder.path() / "kernel" / model) == content_of(folder.path() / "simulated" / model));
    }
    // A point that was measured on another network is measured again.
    CHECK(sweep({"--output", "kernel", "--resume"}).find("kept") == std::string::npos);
  }

  TEST_CASE("sweep --network kernel: the record says that connections were paced, and bits do not change") {
    if (skipped_without_namespaces("paced peers in the kernel's network")) return;
    const DataFolder folder;
    folder.write("s.toml", sweep_file("6"));
    const auto point_of = [&](const std::string& pace) {
      const ProgramEnd end = run_program(
          folder.path(), {"sweep", "s.toml", "--network", "kernel", "--output", pace, "--set",
                          "sweep.network.bandwidth=[\"5 Mbit/s\"]", "--set", "network.pace=" + pace});
      CHECK_MESSAGE(end.code == 0, end.complained);
      CHECK(end.complained.find("has no effect") == std::string::npos);
      return Json::parse(content_of(folder.path() / pace / "5-mbit-s/summary.json"));
    };
    const Json unpaced = point_of("unlimited");
    const Json paced = point_of("5 Mbit/s");
    CHECK(paced["congestion"] == Json::array({unpaced["congestion"].at(0).get<std::string>() + ", paced"}));
    CHECK(paced["model_digest"] == unpaced["model_digest"]);
  }

  TEST_CASE("sweep --network kernel: nothing is left of its networks after Ctrl-C") {
    if (skipped_without_namespaces("Ctrl-C in the kernel's network")) return;
    EndlessSweep sweep;
    CHECK(sweep.networks().size() == 4);
    CHECK(any_is_left(sweep.networks()));
    sweep.program().signal_group(SIGINT);
    CHECK(sweep.program().wait() == 130);
    CHECK(sweep.program().everyone_ended());
    CHECK_FALSE(any_is_left(sweep.networks()));
  }

  TEST_CASE("sweep --network kernel: nothing is left of its networks where it is killed") {
    if (skipped_without_namespaces("killed sweep in the kernel's network")) return;
    EndlessSweep sweep;
    kill(sweep.program().process(), SIGKILL);
    CHECK(sweep.program().wait() == -SIGKILL);
    CHECK(sweep.program().everyone_ended());
    CHECK_FALSE(any_is_left(sweep.networks()));
  }

  TEST_CASE("sweep --network kernel: nothing is left of its networks where a peer dies") {
    if (skipped_without_namespaces("killed peer in the kernel's network")) return;
    EndlessSweep sweep;
    std::vector<pid_t> peers;  // the kernel's list of them may be empty for a moment
    REQUIRE(sweep.program().wait_until([&] { return !(peers = sweep.program().children()).empty(); }));
    kill(peers.back(), SIGKILL);
    CHECK(sweep.program().wait() == 3);
    CHECK(sweep.program().everyone_ended());
    CHECK_FALSE(any_is_left(sweep.networks()));
  }

  TEST_CASE("sweep --network kernel: who is not root is told so in one sentence") {
    const DataFolder folder;
    fs::permissions(folder.path(), fs::perms::all);
    folder.write("s.toml", sweep_file("6"));
    const ProgramEnd end = run_program(
        folder.path(), {"sweep", "s.toml", "--network", "kernel", "--output", "out"}, become_ordinary_user);
    CHECK(end.code == 2);
    CHECK(std::ranges::count(end.complained, '\n') == 1);
    CHECK(end.complained.find("--network = kernel: ") != std::string::npos);
    CHECK(end.complained.find("expected root, or --network shaper") != std::string::npos);
    CHECK_FALSE(fs::exists(folder.path() / "out"));
  }
}

}  // namespace hearsay::test::kernel_sweep_program_test
