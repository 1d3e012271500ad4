#include "tools/export/chrome_trace.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"

namespace hearsay::test::chrome_trace_test {

using Json = nlohmann::json;

namespace {

using namespace std::chrono_literals;

const std::string run_of_four = R"toml(
run = { name = "four", iterations = 10 }
model.kind = "quadratic(1000)"
topology.peers = 4
algorithm.batch = "full"
network = { bandwidth = "8 Mbit/s", latency = "1 ms", compute = "2 ms" }
)toml";

std::vector<Json> events_of(const Json& trace, const std::string& phase) {
  std::vector<Json> events;
  for (const Json& event : trace["traceEvents"])
    if (event["ph"] == phase) events.push_back(event);
  return events;
}

/// Returns the nanoseconds of a time in microseconds.
std::int64_t nanoseconds(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000.0);
}

/// Checks the trace of a run against its summary: per peer the sums of gradients, waits and of its sending
/// port; on each thread one span after the other; an arrow for every message that was received.
void check_trace(const std::filesystem::path& folder, const std::string& output) {
  const Json trace = Json::parse(content_of(folder / "trace.json"));
  const Json summary = Json::parse(content_of(folder / output / "summary.json"));
  std::map<int, std::string> thread_name;
  for (const Json& event : events_of(trace, "M"))
    if (event["name"] == "thread_name") thread_name[event["tid"]] = event["args"]["name"];
  REQUIRE(thread_name.size() == 16);

  std::map<std::pair<int, std::string>, std::int64_t> sums;
  std::map<int, std::int64_t> free_at;
  std::size_t received = 0;
  for (const Json& event : events_of(trace, "X")) {
    const std::string thread = thread_name.at(event["tid"]);
    sums[{event["pid"].get<int>() - 1, thread}] += nanoseconds(event["dur"]);
    std::int64_t& free = free_at[event["tid"]];
    CHECK(nanoseconds(event["ts"]) >= free);
    free = nanoseconds(event["ts"]) + nanoseconds(event["dur"]);
    if (thread == "port down") ++received;
  }
  for (const Json& peer : summary["per_peer"])
    for (const auto& sum : {std::pair("gradients", "compute_seconds"), std::pair("waits", "wait_seconds"),
                            std::pair("port up", "wire_seconds")}) {
      CAPTURE(sum.first);
      CHECK(sums[{peer["peer"].get<int>(), sum.first}] == std::llround(peer[sum.second].get<double>() * 1e9));
    }
  CHECK(received == 80);  // 10 iterations, 4 peers, 2 neighbors
  CHECK(events_of(trace, "s").size() == received);
  CHECK(events_of(trace, "f").size() == received);
}

}  // namespace

TEST_CASE(
    "trace: a peer is a process with four threads, spans have microseconds with all their nanoseconds") {
  const std::vector<Activity> activities = {
      {ActivityKind::sends, 0, 3, 2, 7, 1000, 1234567ns, 89ns},
      {ActivityKind::computes, 3, Activity::nobody, 0, 8, 0, 2ms, 1us},
      {ActivityKind::waits, 3, 0, 0, 8, 0, 3ms, 5ns},
      {ActivityKind::receives, 3, 0, 2, 7, 1000, 4ms, 0ns},
  };
  const std::string text = chrome_trace(activities, "a \"quoted\" name");
  CHECK(text.starts_with(trace_mark));
  const Json trace = Json::parse(text);
  CHECK(trace["otherData"]["run"] == "a \"quoted\" name");
  const std::vector<Json> spans = events_of(trace, "X");
  REQUIRE(spans.size() == 4);
  CHECK(contains(text, "\"ts\":1234.567,\"dur\":0.089,"));
  CHECK(spans[0]["name"] == "to peer 3");
  CHECK(spans[0]["args"] == Json({{"iteration", 7}, {"slot", 2}, {"bytes", 1000}}));
  CHECK(spans[1]["name"] == "gradient");
  CHECK(spans[2]["name"] == "wait for peer 0");
  CHECK(spans[3]["name"] == "from peer 0");
  CHECK(spans[0]["pid"] != spans[1]["pid"]);
  CHECK(spans[1]["pid"] == spans[2]["pid"]);
  CHECK(spans[1]["tid"] != spans[2]["tid"]);
  // The arrow begins at the one span and ends at the other.
  const Json start = events_of(trace, "s").at(0);
  const Json finish = events_of(trace, "f").at(0);
  CHECK(start["id"] == finish["id"]);
  CHECK(start["tid"] == spans[0]["tid"]);
  CHECK(finish["tid"] == spans[3]["tid"]);
  CHECK(events_of(trace, "M").size() == 2 * (2 + 4 * 2));  // name and place of each peer and of its threads
}

TEST_CASE("trace: a run in which nothing happened is a trace without events") {
  CHECK(Json::parse(chrome_trace({}, "none"))["traceEvents"].empty());
}

TEST_CASE("trace: of real processes its sums are those of the record, one span after the other") {
  const DataFolder folder;
  folder.write("four.toml", run_of_four);
  const ProgramEnd end = run_program(folder.path(), {"run", "four.toml", "--trace", "trace.json"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(contains(end.said, "trace.json  "));
  check_trace(folder.path(), "runs/four");
}

TEST_CASE("trace: of a simulation, too, and its results are those without a trace") {
  const DataFolder folder;
  folder.write("four.toml", run_of_four);
  REQUIRE(run_program(folder.path(), {"simulate", "four.toml", "--trace", "trace.json", "--quiet"}).code ==
          0);
  check_trace(folder.path(), "runs/four");
  REQUIRE(run_program(folder.path(), {"simulate", "four.toml", "--output", "plain", "--quiet"}).code == 0);
  CHECK(content_of(folder.path() / "runs/four/metrics.jsonl") ==
        content_of(folder.path() / "plain/metrics.jsonl"));
}

TEST_CASE(
    "trace: a file of another program is refused before the run, an earlier trace without --overwrite") {
  const DataFolder folder;
  folder.write("four.toml", run_of_four);
  folder.write("mine.json", "{}");
  const ProgramEnd mine =
      run_program(folder.path(), {"simulate", "four.toml", "--trace", "mine.json", "--overwrite"});
  CHECK(mine.code == 2);
  CHECK(contains(mine.complained, "no trace of hearsay"));
  CHECK(content_of(folder.path() / "mine.json") == "{}");
  CHECK_FALSE(std::filesystem::exists(folder.path() / "runs"));
  folder.write("trace.json", trace_mark);
  CHECK(run_program(folder.path(), {"simulate", "four.toml", "--trace", "trace.json"}).code == 2);
  CHECK(run_program(folder.path(), {"simulate", "four.toml", "--trace", "trace.json", "--overwrite"}).code ==
        0);
}

TEST_CASE("trace: a long run says where its trace ends") {
  CHECK(cut_text("trace.json", {{ActivityKind::computes, 0, Activity::nobody, 0, 57, 0, 1500ms, 1ms},
                                {ActivityKind::waits, 1, 0, 0, 56, 0, 1200ms, 9ms}}) ==
        "trace.json holds the beginning of the run only, 2 spans: 1.50 s, up to iteration 57; "
        "fewer peers or iterations fit as a whole");
}

}  // namespace hearsay::test::chrome_trace_test
