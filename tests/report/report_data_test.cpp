#include "tools/report/report_data.hpp"

#include <doctest/doctest.h>

#include <set>

#include "tests/support/data_files.hpp"
#include "tests/support/program.hpp"
#include "tools/report/shown_peers.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::report_data_test {

using Json = nlohmann::ordered_json;

namespace {

const std::string quadratic_run =
    "[run]\niterations = 20\nevaluate_every = 5\n[model]\nkind = \"quadratic(50)\"\n[topology]\npeers = 4\n"
    "[algorithm]\nbatch = \"full\"\n[network]\ncompute = \"1 ms\"\n";

std::string evaluation_line(int iteration, const std::string& loss) {
  return "{\"iteration\":" + std::to_string(iteration) + ",\"epoch\":0.5,\"seconds\":2.0,\"loss\":" + loss +
         ",\"accuracy\":null,\"consensus_distance\":0.25,\"bytes_sent\":4000000}\n";
}

/// Makes a folder `name` with a run that was cut off, and returns its path.
std::filesystem::path cut_off_run(const DataFolder& folder, const std::string& name,
                                  const std::string& metrics) {
  std::filesystem::create_directories(folder.path() / name);
  folder.write(name + "/run.toml", quadratic_run);
  folder.write(name + "/metrics.jsonl", metrics);
  return folder.path() / name;
}

Json only_point(const std::filesystem::path& folder) {
  return report_data({folder}).json()["groups"][0]["points"][0];
}

}  // namespace

TEST_CASE("report: a line of the metrics that is no evaluation is left out, and said, the later ones stay") {
  const DataFolder folder;
  const auto run = cut_off_run(folder, "bad",
                               evaluation_line(0, "2") + "not a line\n" + evaluation_line(10, "1") + "[3]\n" +
                                   evaluation_line(15, "0.5") + "{\"iteration\":20,\"lo");
  const Json point = only_point(run);
  CHECK(point["evaluations"] == 3);
  CHECK(point["defect"] == "metrics.jsonl, line 2: no evaluation, left out (and 1 more)");
  // What a run that goes on has not written to its end is no defect.
  const auto cut = cut_off_run(folder, "cut", evaluation_line(0, "2") + "{\"iteration\":5,\"lo");
  CHECK(only_point(cut)["evaluations"] == 1);
  CHECK(only_point(cut)["defect"] == "");
}

TEST_CASE("report: a run that was cut off says who began it, if that was written whole") {
  const DataFolder folder;
  const auto run = cut_off_run(folder, "cut", evaluation_line(0, "2"));
  CHECK(only_point(run)["provenance"].is_null());
  folder.write("cut/provenance.json", "{\"host\":\"here\",\"ended\":null}");
  CHECK(only_point(run)["provenance"]["host"] == "here");
  folder.write("cut/provenance.json", "{\"host\":\"he");
  CHECK(only_point(run)["provenance"].is_null());
}

TEST_CASE("report: a run that has not ended has the spectral gap of its topology") {
  const DataFolder folder;
  const auto run = cut_off_run(folder, "cut", evaluation_line(0, "2"));
  CHECK(only_point(run)["facts"]["spectral_gap"].get<double>() == doctest::Approx(2.0 / 3.0));
}

TEST_CASE("report: the points of a sweep with repeats say their seeds, and the group what intervals need") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
repeat = 3
"network.latency" = ["1 ms", "2 ms"]
)toml");
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--output", "out"}).code == 0);
  const Json group = report_data({folder.path() / "out"}).json()["groups"][0];
  CHECK(group["repeats"] == 3);
  REQUIRE(group["quantiles"].size() == 2);  // of two seeds, and of three
  CHECK(group["quantiles"][0].get<double>() == doctest::Approx(12.706).epsilon(1e-4));
  CHECK(group["quantiles"][1].get<double>() == doctest::Approx(4.303).epsilon(1e-4));
  CHECK(group["axes"].size() == 1);
  REQUIRE(group["points"].size() == 6);
  for (std::size_t k = 0; k < 6; ++k) CHECK(group["points"][k]["seed"] == 1 + k % 3);
  // What was learned with a seed stands once, for all networks.
  CHECK(group["points"][0]["learned"] == group["points"][3]["learned"]);
  CHECK(group["points"][0]["learned"] != group["points"][1]["learned"]);
}

TEST_CASE(
    "report: a sweep has a series per variant, its axes in numbers, and what networks share only once") {
  const DataFolder folder;
  folder.write("s.toml", quadratic_run + R"toml(
[sweep]
driver = "simulate"
baseline = "plain"
"network.bandwidth" = ["1 Mbit/s", "100 Mbit/s", "unlimited"]
"network.latency" = ["1 ms", "20 ms"]
[[sweep.variant]]
name = "dcd"
algorithm.kind = "dcd-psgd"
[[sweep.variant]]
name = "plain"
algorithm.kind = "d-psgd"
[[sweep.variant]]
name = "too coarse"
algorithm.kind = "dcd-psgd"
algorithm.compressor = "dither(l2, bits=2, bucket=50)"
)toml");
  REQUIRE(run_program(folder.path(), {"sweep", "s.toml", "--quiet", "--output", "out"}).code == 0);
  const Json data = report_data({folder.path() / "out"}).json();
  REQUIRE(data["groups"].size() == 1);
  const Json& group = data["groups"][0];
  CHECK(group["kind"] == "sweep");
  CHECK(group["driver"] == "simulator");
  CHECK(group["series"] == Json({"dcd", "plain", "too coarse"}));
  CHECK(group["baseline"] == 1);
  REQUIRE(group["axes"].size() == 2);
  CHECK(group["axes"][0]["key"] == "network.bandwidth");
  CHECK(group["axes"][0]["numbers"].is_null());  // unlimited has no place on an axis of numbers
  CHECK(group["axes"][1]["values"] == Json({"1 ms", "20 ms"}));
  CHECK(group["axes"][1]["numbers"] == Json({0.001, 0.02}));
  REQUIRE(group["points"].size() == 18);
  CHECK(group["points"][3]["at"] == Json({1, 1}));
  CHECK(group["points"][3]["seconds"].size() == 5);
  CHECK(group["points"][0]["seconds"] != group["points"][3]["seconds"]);
  CHECK(group["points"][17]["status"] == "refused");
  CHECK(group["points"][17]["note"].get<std::string>().find("allow_unsound") != std::string::npos);
  CHECK(data["learned"].size() == 2);  // two variants were trained, the same on every network
  CHECK(data["pictures"].size() == 1);
  CHECK(data["pictures"][0]["links"] == 4);
  std::string run_file;
  for (const Json& line : group["points"][0]["run_file"])
    run_file += data["lines"][line.get<std::size_t>()].get<std::string>() + "\n";
  CHECK(run_file ==
        content_of(folder.path() / "out" / group["points"][0]["folder"].get<std::string>() / "run.toml"));
}

TEST_CASE("report: runs are one group, by name, and by folder, too, where two are of one name") {
  const DataFolder folder;
  const auto one = cut_off_run(folder, "one", evaluation_line(0, "1.0"));
  const auto two = cut_off_run(folder, "two", evaluation_line(0, "2.0"));
  const Json data = report_data({one, two}).json();
  REQUIRE(data["groups"].size() == 1);
  CHECK(data["groups"][0]["series"] ==
        Json({"quickstart (" + one.string() + ")", "quickstart (" + two.string() + ")"}));
  CHECK(report_data({one}).json()["groups"][0]["series"] == Json({"quickstart"}));
}

TEST_CASE("report: its title names four folders, and of more the first three and how many more") {
  const DataFolder folder;
  std::vector<std::filesystem::path> runs;
  for (const char* name : {"a", "b", "c", "d"})
    runs.push_back(cut_off_run(folder, name, evaluation_line(0, "1.0")));
  CHECK(report_data(runs).json()["title"] == "a, b, c, d");
  runs.push_back(cut_off_run(folder, "e", evaluation_line(0, "1.0")));
  const Json data = report_data(runs).json();
  CHECK(data["title"] == "a, b, c and 2 more");
  CHECK(data["learned"].size() == 1);  // they learned the same
}

TEST_CASE("report: the course of a run that was cut off ends before the line that is only half there") {
  const DataFolder folder;
  const std::string whole = evaluation_line(0, "3.5") + evaluation_line(5, "2.5");
  const Json point = only_point(cut_off_run(folder, "run", whole + "{\"iteration\":10,\"epo"));
  CHECK(point["status"] == "unfinished");
  CHECK(point["facts"]["loss"] == 2.5);
  CHECK(point["facts"]["iterations"] == 5);
  CHECK(point["facts"]["iterations_planned"] == 20);
  CHECK(point["seconds"].size() == 2);
  CHECK(point["peers"].is_null());
}

TEST_CASE("report: what a diverged run does not know is null, and so are columns of nothing else") {
  const DataFolder folder;
  const auto run = cut_off_run(folder, "run", evaluation_line(0, "3.5") + evaluation_line(5, "null"));
  const Json learned = report_data({run}).json()["learned"][0];
  CHECK(learned["loss"] == Json({3.5, nullptr}));
  CHECK(learned["accuracy"].is_null());
  CHECK(learned["megabytes"] == Json({1.0, 1.0}));  // of each of 4 peers
}

TEST_CASE("report: a run whose settings are another version's is shown without its topology") {
  const DataFolder folder;
  const auto run = cut_off_run(folder, "run", evaluation_line(0, "1.0"));
  folder.write("run/run.toml", "[run]\nspeed_of_light = 3\n");
  folder.write("run/summary.json", "{\"status\":\"done\",\"run\":\"old\",\"peers\":2,\"loss\":1.0}");
  const Json point = only_point(run);
  CHECK(point["picture"].is_null());
  CHECK(point["status"] == "done");
  CHECK(point["run_file"].size() == 2);
}

TEST_CASE("report: the worst peer's loss and the spread are columns if an evaluation has them, else null") {
  const Course measured = {{{"iteration", 0}, {"loss_worst", 2.5}, {"loss_spread", 0.0}},
                           {{"iteration", 5}, {"loss_worst", 1.5}, {"loss_spread", 0.25}}};
  const auto columns = learned_columns(measured, 4.0);
  CHECK(columns["loss_worst"] == nlohmann::ordered_json({2.5, 1.5}));
  CHECK(columns["loss_spread"] == nlohmann::ordered_json({0.0, 0.25}));
  const Course plain = {{{"iteration", 0}, {"loss_worst", nullptr}, {"loss_spread", nullptr}}};
  CHECK(learned_columns(plain, 4.0)["loss_worst"].is_null());
  CHECK(learned_columns(plain, 4.0)["loss_spread"].is_null());
}

TEST_CASE("report: a long course is thinned evenly, and keeps its first and its last evaluation") {
  Course course;
  for (int k = 0; k <= 6000; ++k) course.push_back({{"iteration", 5 * k}});
  course.push_back({{"iteration", 30'003}});
  const Course kept = thinned(course);
  REQUIRE(kept.size() == 377);
  for (int k = 0; k < 376; ++k) CHECK(kept[k]["iteration"] == 80 * k);
  CHECK(kept.back()["iteration"] == 30'003);
  course.resize(600);
  CHECK(thinned(course) == course);
  // Not a record of any run, and shown nevertheless.
  Course repeated(1000, {{"iteration", 5}});
  CHECK(thinned(repeated).size() == 600);
  repeated[500]["iteration"] = -3.5;
  CHECK(thinned(repeated).size() <= 600);
}

TEST_CASE("report: of repetitions that end at different iterations, the same evaluations are kept") {
  const auto iterations_of = [](int last, int left_out) {
    Course course;
    for (int k = 0; k <= last; k += 2)
      if (k != left_out) course.push_back({{"iteration", k}});
    std::set<int> iterations;
    for (const Json& evaluation : thinned(course)) iterations.insert(evaluation["iteration"].get<int>());
    return iterations;
  };
  const std::set<int> longest = iterations_of(20'000, -1);
  for (const int last : {700, 1852, 5840}) {
    const std::set<int> shorter = iterations_of(last, 36);  // a line of its record could not be read
    CAPTURE(last);
    for (const int iteration : longest)
      CHECK_MESSAGE((iteration > last || shorter.contains(iteration)), iteration);
  }
}

TEST_CASE("report: of many peers those that waited longest are shown, in the order of their ids") {
  Json summary = {{"per_peer", Json::array()}};
  for (int k = 0; k < 200; ++k)
    summary["per_peer"].push_back({{"peer", k}, {"wait_seconds", k % 2 == 0 ? 1000.0 + k : k}});
  const Json peers = peers_of(summary);
  CHECK(peers["of"] == 200);
  REQUIRE(peers["peer"].size() == 128);
  CHECK(peers["peer"][0] == 0);
  CHECK(peers["peer"][127] == 199);
  CHECK(peers["peer"][126] == 198);
  CHECK(peers["links"].empty());
  CHECK(std::is_sorted(peers["peer"].begin(), peers["peer"].end()));
}

TEST_CASE("report: a link has the wait of the peer it leads to, and the bytes of the peer it comes from") {
  const Json summary = Json::parse(R"({"per_peer":[
    {"peer":0,"waited_for":[{"peer":1,"seconds":0.5}],"sent_to":[{"peer":1,"bytes":70}]},
    {"peer":1,"waited_for":[{"peer":0,"seconds":2.0}],"sent_to":[{"peer":0,"bytes":90},{"peer":2,"bytes":80}]}]})");
  CHECK(peers_of(summary)["links"] == Json::parse("[[0,1,2.0,70],[1,0,0.5,90],[1,2,0.0,80]]"));
}

TEST_CASE("report: the map of links has a cell per link, of more than 64 peers a cell per pair of blocks") {
  const Json few = Json::parse(R"({"per_peer":[
    {"peer":0,"waited_for":[{"peer":1,"seconds":0.5}],"sent_to":[{"peer":1,"bytes":70}]},
    {"peer":1,"waited_for":[{"peer":0,"seconds":2.0}],"sent_to":[{"peer":0,"bytes":90}]}]})");
  CHECK(peers_of(few)["map"] ==
        Json::parse(R"({"side":1.0,"blocks":2.0,"cells":[[0,1,2.0,70.0,1],[1,0,0.5,90.0,1]]})"));
  Json many = {{"per_peer", Json::array()}};  // a ring of one-way links, to the next peer
  for (int k = 0; k < 1000; ++k)
    many["per_peer"].push_back(
        {{"peer", k},
         {"waited_for", Json::array({{{"peer", (k + 999) % 1000}, {"seconds", k < 16 ? 2.0 : 1.0}}})},
         {"sent_to", Json::array({{{"peer", (k + 1) % 1000}, {"bytes", 10}}})}});
  const Json map = peers_of(many)["map"];
  CHECK(map["side"] == 16.0);
  CHECK(map["blocks"] == 63.0);
  CHECK(map["cells"].size() == 126);  // within each block, and to the next
  CHECK(map["cells"][0] == Json({0.0, 0.0, 2.0, 10.0, 15.0}));
  double links = 0.0;
  for (const Json& cell : map["cells"]) links += cell[4].get<double>();
  CHECK(links == 1000.0);
}

TEST_CASE("report: of more than 1,000 peers those that waited longest are shown, and the spread of all") {
  const Json summary = Json::parse(R"({"peer_statistics":{"peers":1001,
    "columns":{"wait_seconds":{"least":0.123456789,"median":2,"total":7,"worst":[9,3]},"garbage":{"least":0}},
    "worst":[{"peer":3,"wait_seconds":5},{"peer":4,"wait_seconds":0},{"peer":9,"wait_seconds":6.5}],
    "links":{"count":2,"longest_waits":[[9,3,6.5,70],[1,2],"x"],
             "map":{"side":16,"blocks":63,"cells":[[0,1,2.5,70.0,1],[1]]}}}})");
  const Json peers = peers_of(summary);
  CHECK(peers["of"] == 1001);
  CHECK(peers["peer"] == Json::parse("[3,9]"));
  CHECK(peers["wait_seconds"] == Json::parse("[5,6.5]"));
  CHECK(peers["links"] == Json::parse("[[9,3,6.5,70]]"));
  CHECK(peers["map"] == Json::parse(R"({"side":16,"blocks":63,"cells":[[0,1,2.5,70.0,1]]})"));
  CHECK(peers["spread"] ==
        Json::parse(R"({"wait_seconds":{"least":0.1234568,"median":2,"total":7,"worst":[9,3]}})"));
  CHECK(peers_of(Json::parse(R"({"peer_statistics":7})")).is_null());
  const Json damaged =
      peers_of(Json::parse(R"({"peer_statistics":{"columns":[],"worst":{"peer":1},"links":3}})"));
  CHECK(damaged["peer"].empty());
  CHECK(damaged["map"]["cells"].empty());
}

TEST_CASE("report: a topology is drawn once for all seeds, a random one for each") {
  const DataFolder folder;
  const std::string random = "family = \"random-regular(2)\"\npeers = 6\n";
  folder.write("random.toml", random);
  folder.write("listed.toml", "peers = 2\n[[link]]\nfrom = 0\nto = 1\n");
  const auto pictures_of = [&](const std::string& topology) {
    std::vector<std::filesystem::path> runs;
    for (const std::string seed : {"1", "2", "3", "2"}) {
      const std::string name = "run" + std::to_string(runs.size());
      runs.push_back(cut_off_run(folder, name, evaluation_line(0, "1.0")));
      folder.write(name + "/run.toml", "[run]\nseed = " + seed + "\n[topology]\n" + topology + "\n");
    }
    const Json data = report_data(runs).json();
    Json places = Json::array();
    for (const Json& point : data["groups"][0]["points"]) places.push_back(point["picture"]);
    REQUIRE(data["pictures"].size() > places[2]);
    return places;
  };
  CHECK(pictures_of("kind = \"ring\"") == Json({0, 0, 0, 0}));
  CHECK(pictures_of("file = \"../listed.toml\"") == Json({0, 0, 0, 0}));
  CHECK(pictures_of("kind = \"random-regular(4)\"") == Json({0, 1, 2, 1}));
  CHECK(pictures_of("file = \"../random.toml\"") == Json({0, 1, 2, 1}));
}

TEST_CASE("report: the record says who made it, when, where and how") {
  const DataFolder folder;
  folder.write("it's mine.toml", quadratic_run);
  REQUIRE(run_program(folder.path(),
                      {"simulate", "it's mine.toml", "--quiet", "--output", "out", "--set", "run.seed=7"})
              .code == 0);
  const Json made = only_point(folder.path() / "out")["provenance"];
  CHECK(made["command"].get<std::string>().ends_with(
      "hearsay simulate 'it'\\''s mine.toml' --quiet --output out --set run.seed=7"));
  CHECK(made["seed"] == 7);
  CHECK(made["version"].get<std::string>().find(" (commit ") != std::string::npos);
  CHECK(made["cores"] > 0);
  CHECK(made["memory_bytes"] > 1'000'000);
  CHECK_FALSE(made["host"].get<std::string>().empty());
  CHECK(made["warnings"].is_array());
  const std::string begun = made["begun"];
  CHECK(begun.size() == std::string("2026-11-22T18:00:00Z").size());
  CHECK(begun <= made["ended"].get<std::string>());
  const auto cut = cut_off_run(folder, "cut", evaluation_line(0, "2"));
  CHECK(only_point(cut)["provenance"].is_null());
}

TEST_CASE("report: a folder without a run, and a record that is none, are refused by name") {
  const DataFolder folder;
  std::filesystem::create_directories(folder.path() / "empty");
  CHECK_THROWS_WITH_AS(report_data({folder.path() / "empty"}),
                       doctest::Contains("empty: expected the output directory of a run"), Misuse);
  CHECK_THROWS_AS(report_data({folder.path() / "nowhere"}), Misuse);
  CHECK_THROWS_WITH_AS(report_data({folder.path() / "empty", folder.path() / "." / "empty"}),
                       doctest::Contains("it is given twice"), Misuse);
  for (const char* record :
       {"", "[]", "{}", R"({"points":7})", R"({"points":[]})", R"({"points":[7]})",
        R"({"points":[{"variant":"a","axes":{"x":"1"}},{"variant":"a","axes":{"y":"1"}}]})",
        R"({"points":[{"variant":"a","axes":{"x":"1"}},{"variant":"b","axes":{}}]})",
        R"({"points":[{"variant":"a","axes":{"x":1}}]})"}) {
    CAPTURE(record);
    std::filesystem::create_directories(folder.path() / "sweep");
    folder.write("sweep/sweep.json", record);
    CHECK_THROWS_WITH_AS(report_data({folder.path() / "sweep"}), doctest::Contains("sweep.json"), Misuse);
  }
}

TEST_CASE("report: a record of another version of hearsay is refused, one without a version is not") {
  const DataFolder folder;
  cut_off_run(folder, "run", "7\n");
  folder.write("run/summary.json", R"({"schema":3,"loss":1})");
  CHECK_THROWS_WITH_AS(report_data({folder.path() / "run"}), doctest::Contains("expected schema = 1"),
                       Misuse);
  folder.write("run/summary.json", R"({"loss":1})");
  CHECK_NOTHROW(report_data({folder.path() / "run"}));
}

TEST_CASE("report: a record with members of other types is shown as far as it makes sense") {
  const DataFolder folder;
  const auto run = cut_off_run(folder, "run", "7\n");
  folder.write("run/summary.json",
               R"({"status":"done","peers":"many","per_peer":[7,{"peer":0,"waited_for":[1,{"peer":{}}]}]})");
  const Json point = only_point(run);
  CHECK(point["seconds"].is_null());
  CHECK(point["peers"]["peer"] == Json::array({0}));
  CHECK(point["peers"]["links"].empty());
}

TEST_CASE(
    "report: what hearsay influence has told of a run is with it, 20 samples of a list, if it is such a "
    "record") {
  const DataFolder folder;
  const auto run = cut_off_run(folder, "cut", evaluation_line(0, "2"));
  CHECK_FALSE(only_point(run).contains("influence"));
  Json sample = {{"sample", 3}, {"peer", 0}, {"label", 1.0}, {"influence", 0.5}};
  const Json many(30, sample);
  Json told = {{"schema", 1},
               {"tests", {{{"proponents", many}, {"opponents", many}}}},
               {"on_itself", many},
               {"peers", Json::array()}};
  folder.write("cut/influence.json", told.dump());
  const Json shown = only_point(run)["influence"];
  CHECK(shown["on_itself"].size() == 20);
  CHECK(shown["tests"][0]["opponents"].size() == 20);
  told["schema"] = 2;
  folder.write("cut/influence.json", told.dump());
  CHECK_FALSE(only_point(run).contains("influence"));
  folder.write("cut/influence.json", "{\"schema\":1,\"tests\":[");
  CHECK_FALSE(only_point(run).contains("influence"));
}

}  // namespace hearsay::test::report_data_test
