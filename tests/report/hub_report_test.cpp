#include <doctest/doctest.h>

#include "tests/support/data_files.hpp"
#include "tools/report/report_data.hpp"

namespace hearsay::test::hub_report_test {

using Json = nlohmann::ordered_json;

namespace {

const std::string an_evaluation = "{\"iteration\":0,\"seconds\":0.0,\"loss\":1.0}\n";

/// Makes a folder with a run that has not ended, and returns its path.
std::filesystem::path begun_run(const DataFolder& folder, const std::string& name,
                                const std::string& run_file) {
  std::filesystem::create_directories(folder.path() / name);
  folder.write(name + "/run.toml", run_file);
  folder.write(name + "/metrics.jsonl", an_evaluation);
  return folder.path() / name;
}

}  // namespace

TEST_CASE("report: the hub of a method that has one is drawn as such, on the same star as others") {
  const DataFolder folder;
  std::vector<std::filesystem::path> runs;
  const auto add = [&](const std::string& topology, const std::string& method) {
    runs.push_back(
        begun_run(folder, "run" + std::to_string(runs.size()),
                  "topology = { kind = \"star\", " + topology + " }\nalgorithm.kind = \"" + method + "\"\n"));
  };
  add("peers = 6", "fed-avg");
  add("peers = 6", "d-psgd");
  add("peers = 40, hub = \"dedicated\"", "fed-avg");
  add("peers = 2", "fed-avg");
  add("peers = 500", "fed-avg");
  add("peers = 6", "artemis");
  const Json data = report_data(runs).json();
  const Json& points = data["groups"][0]["points"];
  CHECK(points[5]["picture"] == points[0]["picture"]);
  const auto picture = [&](std::size_t k) {
    return data["pictures"][points[k]["picture"].get<std::size_t>()];
  };
  CHECK(picture(0)["hub"] == "peer 0, a worker, too");
  CHECK(picture(1)["hub"].is_null());
  CHECK(picture(2)["hub"] == "peer 0, without data");
  for (const std::size_t k : {0, 2, 3}) {
    CAPTURE(k);
    CHECK(picture(k)["svg"].get<std::string>().find(">hub</text>") != std::string::npos);
    CHECK_FALSE(picture(k).contains("weights"));
  }
  CHECK(picture(0)["svg"].get<std::string>().find("<circle cx=\"0.0\" cy=\"0.0\" r=\"17\"") !=
        std::string::npos);
  CHECK(picture(1)["svg"].get<std::string>().find("hub") == std::string::npos);
  CHECK(picture(1)["weights"] == "metropolis");
  CHECK(picture(4)["svg"].is_null());
  // Whose model is judged is known before the run has ended.
  CHECK(points[0]["facts"]["evaluated"] == "hub's model");
  CHECK(points[1]["facts"]["evaluated"] == "mean model");
}

TEST_CASE("report: when the rounds of a hub end is told, before the run has ended and after it") {
  const DataFolder folder;
  const auto run = begun_run(folder, "run",
                             "algorithm.kind = \"fed-avg\"\ntopology = { kind = \"star\", peers = 4, "
                             "round_deadline = \"1500 ms\" }\n");
  const auto facts = [&] { return report_data({run}).json()["groups"][0]["points"][0]["facts"]; };
  CHECK(facts()["round_deadline"] == Json::parse(R"({"seconds":1.5})"));
  const std::string record = R"({"seconds":1.5,"clock":"real","late_answers":3})";
  folder.write("run/summary.json", R"({"schema":1,"status":"done","round_deadline":)" + record + "}");
  CHECK(facts()["round_deadline"] == Json::parse(record));
  folder.write("run/summary.json", R"({"schema":1,"status":"done","round_deadline":null})");
  CHECK_FALSE(facts().value("round_deadline", Json()).is_object());
}

TEST_CASE("report: what went through the hub's port is told, and a record without it is read") {
  const DataFolder folder;
  const auto run = begun_run(folder, "run", "algorithm.kind = \"fed-avg\"\n");
  const auto facts = [&](const std::string& summary) {
    folder.write("run/summary.json", summary);
    return report_data({run}).json()["groups"][0]["points"][0]["facts"];
  };
  const std::string port = R"({"bytes_to_workers":7,"share_to_workers":0.25,"share_from_workers":null})";
  CHECK(facts(R"({"schema":1,"status":"done","hub_port":)" + port + "}")["hub_port"] == Json::parse(port));
  CHECK_FALSE(facts(R"({"schema":1,"status":"done","hub_port":null})").value("hub_port", Json()).is_object());
  CHECK_FALSE(facts(R"({"schema":1,"status":"done"})").contains("hub_port"));
}

}  // namespace hearsay::test::hub_report_test
