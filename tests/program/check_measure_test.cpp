#include <doctest/doctest.h>
#include <signal.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>
#include <zmq.hpp>

#include "runtime/cluster/address.hpp"
#include "runtime/cluster/links_file.hpp"
#include "runtime/wire/frame.hpp"
#include "runtime/zmq/frames.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/process.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::check_measure_test {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t peers = 3;

/// Three peers on loopback, and a folder for the output of each.
struct Desk {
  DataFolder folder;
  std::array<DataFolder, peers> of_peer;
  std::array<std::string, peers> addresses = {free_address(), free_address(), free_address()};
  std::string observer = free_address();

  Desk() {
    folder.write("run.toml",
                 "run.iterations = 3\nmodel.kind = \"quadratic(50)\"\nalgorithm.batch = \"full\"\n"
                 "topology.file = \"cluster.toml\"\n");
    std::string cluster = "family = \"ring\"\nobserver = \"" + observer + "\"\n";
    for (std::size_t id = 0; id < peers; ++id)
      cluster += "[[peer]]\nname = \"" + std::string(1, static_cast<char>('a' + id)) + "\"\naddress = \"" +
                 addresses[id] + "\"\n";
    folder.write("cluster.toml", cluster);
  }

  std::filesystem::path links() const { return folder.path() / "links.toml"; }

  std::unique_ptr<Program> measure(std::size_t id, const std::vector<std::string>& more = {}) const {
    return measure(id, more, links());
  }
  std::unique_ptr<Program> measure(std::size_t id, const std::vector<std::string>& more,
                                   const std::filesystem::path& written) const {
    std::vector<std::string> arguments = {"check", folder.path() / "run.toml", "--connect", "--measure",
                                          "--id",  std::to_string(id),         "--write",   written.string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return std::make_unique<Program>(of_peer[id].path(), arguments);
  }
  std::vector<std::unique_ptr<Program>> measure_all(const std::vector<std::string>& more) const {
    std::vector<std::unique_ptr<Program>> programs;
    for (std::size_t id = 0; id < peers; ++id) programs.push_back(measure(id, more));
    return programs;
  }
};

/// Waits until the program says that a step is under way.
bool measures(const Program& program) {
  return program.wait_until([&] { return contains(program.complained(), "measuring: "); });
}

const std::vector<std::string> briefly = {"--time", "200 ms", "--bytes", "2 MB"};
const std::vector<std::string> at_length = {"--time", "1 min", "--bytes", "1000 GB"};

/// Sends what is no frame, and what is none of this run, to a port of `peer`.
void molest(const std::string& address, PeerId peer) {
  zmq::context_t context;
  zmq::socket_t dealer(context, zmq::socket_type::dealer);
  dealer.set(zmq::sockopt::linger, 1000);
  dealer.set(zmq::sockopt::routing_id, new_routing_id(peer));
  dealer.connect(address);
  const std::vector<std::byte> bytes(2'000, std::byte{0x5a});
  FrameHeader header;
  header.kind = FrameKind::load;
  header.sender = peer;
  for (int k = 0; k < 20; ++k) {
    dealer.send(zmq::buffer(bytes));
    header.run_id = static_cast<std::uint32_t>(k);
    send_frame(dealer, {}, header, bytes);
  }
}

}  // namespace

TEST_CASE("measure: peers on loopback write one links file, which --fit and network.links take as it is") {
  const Desk desk;
  const auto programs = desk.measure_all(briefly);
  for (const auto& program : programs) CHECK_MESSAGE(program->wait() == 0, program->complained());
  CHECK(contains(programs[0]->complained(), "then 3 rounds of pairs, 200 ms each: about 600 ms"));
  CHECK(contains(programs[0]->said(), "links.toml: 6 links between 3 peers"));
  CHECK(contains(programs[1]->said(), "peer 0 has written the links file"));

  const LinksFile file = load_links_file(desk.links(), "--fit");
  CHECK(file.names == std::vector<std::string>{"a", "b", "c"});
  REQUIRE(file.links.size() == 6);
  for (const LinkOverride& link : file.links) {
    CHECK(link.latency > Duration{0});
    CHECK(link.bandwidth->bytes_per_s > 1e5);
  }
  for (const PortBandwidths& port : file.ports) CHECK_FALSE(port.up.unlimited());

  const auto& folder = desk.folder.path();
  const ProgramEnd fitted = run_program(
      folder, {"topology", "cluster.toml", "--fit", "links.toml", "--degree", "2", "--write", "fitted.toml"});
  CHECK_MESSAGE(fitted.code == 0, fitted.complained);
  const ProgramEnd simulated =
      run_program(folder, {"simulate", "run.toml", "--quiet", "--set", "network.links=links.toml", "--set",
                           "topology.file=fitted.toml"});
  CHECK_MESSAGE(simulated.code == 0, simulated.complained);
}

TEST_CASE("measure: --json says the links at peer 0, and an earlier file is replaced only if asked to") {
  const Desk desk;
  auto arguments = briefly;
  arguments.insert(arguments.end(), {"--json", "--quiet"});
  {
    const auto programs = desk.measure_all(arguments);
    for (const auto& program : programs) CHECK_MESSAGE(program->wait() == 0, program->complained());
    const Json record = Json::parse(programs[0]->said());
    REQUIRE(record["links"].size() == 6);
    CHECK(record["links"][0]["from"] == "a");
    CHECK(record["links"][0]["bits_per_second"] > 1e6);
    CHECK(record["links"][0]["latency_seconds"] > 0.0);
    CHECK(Json::parse(programs[2]->said()) == Json{{"peer", 2}, {"works", true}});
  }
  const auto refused = desk.measure(0, briefly);
  CHECK(refused->wait() == 2);
  CHECK(contains(refused->complained(), "--write"));
  CHECK(contains(refused->complained(), "--overwrite"));
  arguments.push_back("--overwrite");
  const auto programs = desk.measure_all(arguments);
  for (const auto& program : programs) CHECK_MESSAGE(program->wait() == 0, program->complained());
}

TEST_CASE("measure: if peer 0 cannot write the file, all say that it could not, and it prints the figures") {
  for (const bool as_json : {false, true}) {
    const Desk desk;
    const auto written = desk.folder.path() / "written";
    std::filesystem::create_directory(written);
    std::vector<std::string> arguments = briefly;
    if (as_json) arguments.push_back("--json");
    std::vector<std::unique_ptr<Program>> programs;
    programs.push_back(desk.measure(0, arguments, written / "links.toml"));
    REQUIRE(programs[0]->wait_until(
        [&] { return contains(programs[0]->complained(), "testing its connections"); }));
    std::filesystem::remove(written);
    for (std::size_t id = 1; id < peers; ++id) programs.push_back(desk.measure(id, arguments));
    for (const auto& program : programs) {
      CHECK(program->wait() == 2);
      CHECK_MESSAGE(
          contains(program->complained(), "peer 0: cannot write " + (written / "links.toml").string()),
          program->complained());
    }
    if (as_json) {
      const Json record = Json::parse(programs[0]->said());
      CHECK(record["works"] == false);
      CHECK(record["links"].size() == 6);
    } else {
      CHECK(contains(programs[0]->said(), "bandwidth"));
      CHECK(contains(programs[0]->said(), "bit/s"));
    }
  }
}

TEST_CASE("measure: without one of the peers there is no file, and both others name it") {
  const Desk desk;
  auto arguments = briefly;
  arguments.insert(arguments.end(), {"--wait", "3 s"});
  const auto first = desk.measure(0, arguments);
  const auto second = desk.measure(1, arguments);
  for (const auto* program : {&first, &second}) {
    CHECK((*program)->wait() == 2);
    CHECK(contains((*program)->said(), "connection refused: nobody listens there"));
  }
  CHECK_FALSE(std::filesystem::exists(desk.links()));
}

TEST_CASE("measure: one that is killed in the middle is named by all others, and no file is written") {
  const Desk desk;
  const auto programs = desk.measure_all(at_length);
  REQUIRE(measures(*programs[1]));
  REQUIRE(measures(*programs[0]));
  programs[2]->signal_group(SIGKILL);
  for (const std::size_t id : {0u, 1u}) {
    CHECK(programs[id]->wait() == 2);
    CHECK(contains(programs[id]->complained(),
                   "hearsay: peer 2 has not been heard of for 8 s; no links file is written"));
  }
  CHECK_FALSE(std::filesystem::exists(desk.links()));
}

TEST_CASE("measure: Ctrl-C at one peer ends it at all, at once, and no file is written") {
  const Desk desk;
  const auto programs = desk.measure_all(at_length);
  REQUIRE(measures(*programs[1]));
  programs[1]->signal_group(SIGINT);
  for (const auto& program : programs) CHECK(program->wait() == 130);
  CHECK(contains(programs[1]->complained(), "hearsay: interrupted; no links file is written"));
  for (const std::size_t id : {0u, 2u})
    CHECK(contains(programs[id]->complained(), "hearsay: peer 1 was interrupted; no links file is written"));
  CHECK_FALSE(std::filesystem::exists(desk.links()));
}

TEST_CASE("measure: other limits are named at both ends, and so is a peer that does not measure") {
  const Desk desk;
  const auto first = desk.measure(0, {"--wait", "5 s"});
  const auto second = desk.measure(1, {"--wait", "5 s", "--time", "3 s"});
  const auto third = std::make_unique<Program>(
      desk.of_peer[2].path(), std::vector<std::string>{"check", desk.folder.path() / "run.toml", "--connect",
                                                       "--id", "2", "--wait", "5 s"});
  for (const auto* program : {&first, &second, &third}) CHECK((*program)->wait() == 2);
  CHECK(contains(first->said(), "peer 1 runs with --time = 3 s, peer 0 with 4 s"));
  CHECK(contains(second->said(), "peer 0 runs with --time = 4 s, peer 1 with 3 s"));
  CHECK(contains(first->said(), "peer 2 runs with --measure = none, peer 0 with yes"));
  CHECK(contains(third->said(), "peer 0 runs with --measure = yes, peer 2 with none"));
}

TEST_CASE("measure: strangers' bytes are counted, and the result is one all the same") {
  const Desk desk;
  const auto programs = desk.measure_all({"--time", "2 s", "--bytes", "1000 GB"});
  REQUIRE(measures(*programs[0]));
  molest(desk.addresses[0], 1);
  molest(desk.observer, 2);
  for (const auto& program : programs) CHECK_MESSAGE(program->wait() == 0, program->complained());
  CHECK(contains(programs[0]->complained(), "from the network fitted nothing, and changed nothing"));
  CHECK(load_links_file(desk.links(), "--fit").links.size() == 6);
}

TEST_CASE("measure: one sentence for each wrong option") {
  const Desk desk;
  const auto complaint = [&](const std::vector<std::string>& more) {
    const auto program = desk.measure(0, more);
    CHECK(program->wait() == 2);
    return program->complained();
  };
  CHECK(contains(complaint({"--time", "1 ms"}), "--time = 1 ms: expected at least 200 ms"));
  CHECK(contains(complaint({"--bytes", "1 kB"}), "--bytes = 1 kB: expected at least 64 kB"));
  CHECK(contains(complaint({"--write", "/nowhere/links.toml"}), "--write"));
  const ProgramEnd alone = run_program(desk.folder.path(), {"check", "run.toml", "--measure"});
  CHECK(alone.code == 2);
  CHECK(contains(alone.complained, "--connect"));
}

}  // namespace hearsay::test::check_measure_test
