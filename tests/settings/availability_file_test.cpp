#include "runtime/settings/availability_file.hpp"

#include <doctest/doctest.h>

#include <string>

#include "runtime/settings/link_settings.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tests/settings/run_file_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::availability_file_test {

using namespace std::chrono_literals;

namespace {

std::vector<Availability> of_two(const std::string& csv) { return parse_availability(csv, "trace.csv", 2); }

/// Returns what is said of a file of two peers that is refused.
std::string refused(const std::string& csv) {
  return misuse_text([&] { of_two(csv); });
}

const std::string heading = "peer,from,to\n";
const std::string both = heading + "0,0,60\n1,0,30.5\n";

}  // namespace

TEST_CASE("availability file: a row says from when to when a peer is there, in any order") {
  const auto peers = of_two("slowdown, To ,\"peer\",from\r\n2.5,60,0,45\r\n\r\n1,20,0,10.5\r\n1,90,1,0\r\n");
  REQUIRE(peers.size() == 2);
  CHECK(peers[0] == Availability({{10500ms, 20s}, {45s, 60s, 2.5}}, 90s));  // anew at the latest `to`
  CHECK(peers[1].unlimited());
}

TEST_CASE("availability file: the columns of FedScale's trace are read as they are exported") {
  const auto peers = of_two(
      "client_id,duration,inactive,finish_time,active,model\n"
      "1,211625,\"[65881, 133574]\",518400,\"[12788, 100044]\",CPH1801\n"
      "0,1,[100],200,[0],\"Pixel 3, black\"\n");
  CHECK(peers[0] == Availability({{0s, 100s}}, 200s));
  CHECK(peers[1] == Availability({{12788s, 65881s}, {100044s, 133574s}}, 518400s));
}

TEST_CASE("availability file: a hole is refused: a peer without a row, an empty field, a row that is short") {
  CHECK(refused(heading + "0,0,60\n") ==
        "trace.csv: no row says when peer 1 is there; expected one for each of the 2 peers");
  CHECK(refused("client_id,active,inactive\n0,[0],[9]\n1,[],[]\n") ==
        "trace.csv: no time is in the rows of peer 1; expected one at least at which it is there");
  CHECK(refused(heading + "0,0,60\n1,,60\n") ==
        "trace.csv:3: from: there is no value; expected seconds since the start of the run, from 0 to 1e+09");
  CHECK(refused(heading + "0,0\n1,0,60\n") == "trace.csv:2: 2 fields; expected 3, as the first line has");
  CHECK(refused("") == "trace.csv: it is empty; expected a first line that names the columns, peer,from,to");
  CHECK(contains(refused("client_id,active,inactive\n0,[0, 7],[3, 9]\n"),
                 "5 fields; expected 3, as the first line has, and lists in quotes, \"[0, 7200]\""));
}

TEST_CASE("availability file: a negative number, and what is no number of seconds, are refused") {
  const std::string expected = ": expected seconds since the start of the run, from 0 to 1e+09";
  CHECK(refused(heading + "0,-5,60\n") == "trace.csv:2: from = -5" + expected);
  for (const std::string seconds :
       {"-1e-3", "nan", "inf", "1e10", "10 s", "1:30", "0x10", "+5", "[5", "\""}) {
    CAPTURE(seconds);
    CHECK(refused(heading + "0,0," + seconds + "\n") == "trace.csv:2: to = " + seconds + expected);
  }
  CHECK(refused("client_id,active,inactive\n0,\"[0, -7200]\",\"[3, 9000]\"\n") ==
        "trace.csv:2: active = -7200" + expected);
}

TEST_CASE("availability file: a peer that the run has not is refused") {
  const std::string expected = ": expected a peer's id, 0 to 1, since topology.peers = 2";
  for (const std::string peer : {"2", "-1", "a", "1.0", "4294967296", "18446744073709551616"}) {
    CAPTURE(peer);
    CHECK(refused(both + peer + ",70,80\n") == "trace.csv:4: peer = " + peer + expected);
  }
}

TEST_CASE("availability file: times that do not ascend, or overlap, are refused") {
  CHECK(refused(heading + "0,60,60\n") ==
        "trace.csv:2: to = 60: expected a time after 60, from which it is there");
  CHECK(refused(both + "1,90,95\n1,30,31\n") ==
        "trace.csv:5: from = 30: peer 1 is there from 0 to 30.5 already; expected times that do not overlap");
  CHECK(refused("client_id,active,inactive\n0,\"[0, 7]\",[9]\n") ==
        "trace.csv:2: 2 times from which the peer is there, and 1 to which; expected as many of both");
}

TEST_CASE("availability file: a slowdown is a factor above 0") {
  const std::string slow = "peer,from,to,slowdown\n";
  const std::string expected = "expected how many times as long a gradient takes, from 1e-06 to 1e+06";
  for (const std::string factor : {"0", "-2", "1e-300", "fast", "inf", "1000001"})
    CHECK(refused(slow + "0,0,60," + factor + "\n") == "trace.csv:2: slowdown = " + factor + ": " + expected);
  CHECK(refused(slow + "0,0,60,\n") == "trace.csv:2: slowdown: there is no value; " + expected);
  CHECK(of_two(slow + "0,0,60,0.5\n1,0,60,1\n")[0].computed(4s, 0s) == 2s);
}

TEST_CASE("availability file: a finish time comes after all times of its peer, and is one") {
  const std::string timed = "peer,from,to,finish_time\n";
  CHECK(refused(timed + "0,0,60,50\n") ==
        "trace.csv:2: to = 60: expected at most the peer's finish_time, 50");
  CHECK(refused(timed + "0,0,60,70\n0,61,62,80\n") ==
        "trace.csv:3: finish_time = 80: expected 70, as in the rows of the peer above");
  CHECK(refused(timed + "0,0,60,0\n") == "trace.csv:2: finish_time = 0: expected a time after the start");
}

TEST_CASE("availability file: a column is known, there, and there once") {
  CHECK(refused("peer,from,to,slow down\n") ==
        "trace.csv:1: unknown column \"slow down\", did you mean slowdown?");
  CHECK(refused("peer,from\n") ==
        "trace.csv:1: there is no column to; expected a first line that names the columns, peer,from,to or "
        "client_id,active,inactive");
  CHECK(refused("peer,from,to,client_id\n") == "trace.csv:1: column client_id: expected each column once");
  CHECK(contains(refused("0,0,60\n1,0,60\n"), "unknown column \"0\""));
}

TEST_CASE("availability file: of a heading or a row that is garbage, the sentence shows the beginning") {
  const std::string long_name(100'000, 'x');
  CHECK(refused(long_name) == "trace.csv:1: unknown column \"" + long_name.substr(0, 80) +
                                  "\"; expected one of peer, from, to, slowdown, finish_time, client_id, "
                                  "active, inactive, duration, model");
  CHECK(
      contains(refused("peer,from,to\n0," + long_name + ",9\n"), "from = " + long_name.substr(0, 80) + ":"));
  CHECK(refused(heading + std::string(99'999, ',')) ==
        "trace.csv:2: 100000 fields; expected 3, as the first line has");
  CHECK(refused(std::string(99'999, ',')).starts_with("trace.csv:1: unknown column \"\""));
}

TEST_CASE("config: an availability file is read with the run, for its peers, and keeps its name") {
  const TemporaryFolder folder("hearsay_availability");
  const std::string file = folder.write("trace.csv", both).string();
  const std::string line = "topology.availability = \"" + file + "\"\n";
  const RunSettings settings = parse("topology.peers = 2\n" + line);
  CHECK(availability_of(settings, 0).unlimited());
  CHECK(availability_of(settings, 1) == Availability({{0s, 30500ms}}, 60s));
  CHECK(availability_of(settings, 2).unlimited());  // the observer
  CHECK(peers_come_and_go(settings));
  CHECK_FALSE(peers_come_and_go(parse("topology.peers = 2\n")));
  CHECK(parse(to_toml(settings)) == settings);
  CHECK(refusal("topology.peers = 3\n" + line) ==
        "test.toml:2: topology.availability: " + file +
            ": no row says when peer 2 is there; expected one for each of the 3 peers");
  CHECK(refusal("topology.peers = 1\n" + line) ==
        "test.toml:2: topology.availability: " + file +
            ":3: peer = 1: expected a peer's id, 0 to 0, since topology.peers = 1");
}

}  // namespace hearsay::availability_file_test
