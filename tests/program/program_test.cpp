#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/methods/registry.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "tests/program/quadratic_run.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/program.hpp"
#include "tools/manual_tables.hpp"

namespace hearsay::test::program_test {

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

Json json_of(const std::string& text) { return Json::parse(text); }

std::size_t lines_of(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

Words keys_of(const Json& object) {
  Words keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

const Words summary_keys = {"schema",
                            "status",
                            "run",
                            "driver",
                            "virtual",
                            "algorithm",
                            "compressor",
                            "topology",
                            "weights",
                            "peers",
                            "dimension",
                            "scalar",
                            "iterations",
                            "epochs",
                            "spectral_gap",
                            "seconds",
                            "evaluated",
                            "data",
                            "loss",
                            "loss_samples",
                            "accuracy",
                            "accuracy_of",
                            "accuracy_samples",
                            "loss_worst",
                            "loss_spread",
                            "consensus_distance",
                            "kept_iteration",
                            "kept_loss",
                            "kept_accuracy",
                            "bytes_sent",
                            "evaluation_bytes",
                            "bytes_received",
                            "messages_sent",
                            "retransmitted",
                            "restarts",
                            "dropped",
                            "returned",
                            "one_sided_mixing",
                            "joined",
                            "took_over",
                            "events",
                            "round_deadline",
                            "resyncs",
                            "refused",
                            "garbage",
                            "gradient_evaluations",
                            "gossip_rounds",
                            "seconds_to_target",
                            "bytes_to_target",
                            "rounds_to_target",
                            "bits_per_parameter_and_gradient",
                            "computing_share",
                            "samples_per_second",
                            "model_digest",
                            "replicas_consistent",
                            "peak_memory_bytes",
                            "congestion",
                            "slowest_link",
                            "hub_port",
                            "per_peer",
                            "provenance"};

/// A summary's own file says how to prove the record, too.
Words with_checksums(Words keys) {
  keys.insert(keys.end(), {"crc32_of", "crc32"});
  return keys;
}

const Words evaluation_keys = {"iteration",     "epoch",
                               "seconds",       "loss",
                               "accuracy",      "loss_worst",
                               "loss_spread",   "consensus_distance",
                               "bytes_sent",    "evaluation_bytes",
                               "messages_sent", "gradient_evaluations",
                               "gossip_rounds", "peer_seconds",
                               "crc32"};

}  // namespace

TEST_CASE("run: the output directory holds the run, its evaluations, its models and its summary") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const ProgramEnd end = run_program(folder.path(), {"run", "q.toml", "--output", "out", "--save", "peers"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(files_in(folder.path() / "out") ==
        std::set<std::string>{"run.toml", "metrics.jsonl", "consensus.jsonl", "summary.json", "model.npy",
                              "model-0.npy", "model-1.npy", "model-2.npy", "model-3.npy"});

  const Json summary = json_of(content_of(folder.path() / "out/summary.json"));
  Words keys = summary_keys;
  keys.insert(keys.end(), {"transport", "predicted_seconds"});  // of real processes only
  CHECK(keys_of(summary) == with_checksums(keys));
  CHECK(summary["status"] == "done");
  CHECK(summary["driver"] == "zmq");
  CHECK(summary["virtual"] == false);
  CHECK(summary["transport"] == "ipc");
  CHECK(summary["iterations"] == 20);
  CHECK(summary["seconds_to_target"].is_null());
  CHECK(summary["replicas_consistent"] == true);
  CHECK(summary["per_peer"].size() == 4);
  CHECK(summary["bytes_sent"] == summary["bytes_received"]);

  const std::string metrics = content_of(folder.path() / "out/metrics.jsonl");
  REQUIRE(lines_of(metrics) == 5);
  const Json last = json_of(metrics.substr(metrics.rfind('\n', metrics.size() - 2) + 1));
  CHECK(keys_of(last) == evaluation_keys);
  CHECK(keys_of(last["peer_seconds"]) == Words{"compute", "wait", "wire"});
  CHECK(last["loss"] == summary["loss"]);
  CHECK(last["iteration"] == 20);
}

TEST_CASE("run, simulate: an output's own run.toml repeats the run, bit for bit, on both drivers") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const auto digest_of = [&](const Words& words) {
    const ProgramEnd end = run_program(folder.path(), words);
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    return json_of(end.said)["model_digest"];
  };
  const Json first = digest_of({"run", "q.toml", "--json", "--output", "a"});
  CHECK(first.size() == 4);
  CHECK(digest_of({"run", "a/run.toml", "--json", "--output", "b"}) == first);
  CHECK(digest_of({"simulate", "a/run.toml", "--json", "--output", "c"}) == first);
  const Json summary = json_of(content_of(folder.path() / "c/summary.json"));
  CHECK(summary["driver"] == "simulator");
  CHECK(summary["virtual"] == true);
  CHECK(keys_of(summary) == with_checksums(summary_keys));
}

TEST_CASE("run: a target ends the run and dates it") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const ProgramEnd end = run_program(
      folder.path(), {"simulate", "q.toml", "--json", "--output", "out", "--set", "run.target_loss=1e9"});
  REQUIRE(end.code == 0);
  const Json summary = json_of(end.said);
  CHECK(summary["status"] == "target");
  CHECK(summary["seconds_to_target"] == 0.0);
  CHECK(summary["bytes_to_target"] == 0.0);
  CHECK(summary["iterations"] == 5);
}

TEST_CASE("run: --quiet says nothing, --json one record, and plain words say where the output is") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  ProgramEnd end = run_program(folder.path(), {"simulate", "q.toml", "--output", "a", "--quiet"});
  CHECK(end.code == 0);
  CHECK(end.said + end.complained == "");
  end = run_program(folder.path(), {"simulate", "q.toml", "--output", "b", "--json"});
  CHECK(lines_of(end.said) == 1);
  CHECK(keys_of(json_of(end.said)) == summary_keys);
  end = run_program(folder.path(), {"simulate", "q.toml", "--output", "c"});
  CHECK(end.said.find((folder.path() / "c").string()) != std::string::npos);
}

TEST_CASE("run, evaluate: what a loss and an accuracy are of is said") {
  const DataFolder folder;
  folder.write("train.csv", "1,1\n2,1\n-1,0\n-2,0\n");
  folder.write("test.csv", "1,0\n2,1\n3,0\n");
  folder.write("d.toml",
               "run = { iterations = 5 }\nmodel.kind = \"logistic\"\ntopology.peers = 2\n"
               "algorithm = { kind = \"d-psgd\", batch = \"full\" }\ndata.source = \"csv:train.csv\"\n");
  const Words tested = {"--set", "data.test=csv:test.csv"};
  const auto output_of = [&](Words words, bool with_test) {
    if (with_test) words.insert(words.end(), tested.begin(), tested.end());
    const ProgramEnd end = run_program(folder.path(), words);
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    return end.said;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string plain = output_of({"simulate", "d.toml", "--output", "plain"}, false);
  CHECK(has(plain, " (4 training samples)\naccuracy "));
  CHECK(has(plain, " % (4 training samples)\n"));
  CHECK(has(output_of({"simulate", "d.toml", "--output", "tested"}, true), " % (3 test samples)\n"));
  const Json summary = json_of(content_of(folder.path() / "tested/summary.json"));
  CHECK(summary["loss_samples"] == 4);
  // A quadratic is of no samples.
  folder.write("q.toml", quadratic_run);
  CHECK(output_of({"simulate", "q.toml", "--output", "drawn"}, false).find("samples)") == std::string::npos);
  CHECK(summary["accuracy_of"] == "test");
  CHECK(summary["accuracy_samples"] == 3);
  const std::string judged = output_of({"evaluate", "tested/model.npy", "d.toml"}, true);
  CHECK(has(judged, "training data  csv:"));
  CHECK(has(judged, "test data      csv:"));
  CHECK(has(judged, " % (3 test samples)\n"));
  const Json record = json_of(output_of({"evaluate", "tested/model.npy", "d.toml", "--json"}, true));
  CHECK(record["accuracy"] == summary["accuracy"]);
  CHECK(record["accuracy_of"] == "test");
  CHECK(record["loss_samples"] == 4);
}

TEST_CASE("check: its bytes are those of simulate and of run") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const std::vector<Words> runs = {
      {"algorithm.kind=allreduce-sgd", "topology.peers=3"},
      {"algorithm.kind=d-psgd", "topology.kind=star", "topology.peers=5"},
      {"algorithm.kind=ecd-psgd", "algorithm.restart_every=7", "algorithm.compressor=none",
       "algorithm.allow_unsound=true"},
  };
  for (const Words& assignments : runs) {
    CAPTURE(assignments.front());
    const auto record = [&](const Words& command) {
      Words words = {command.front(), "q.toml", "--json"};
      words.insert(words.end(), command.begin() + 1, command.end());
      for (const std::string& assignment : assignments) words.insert(words.end(), {"--set", assignment});
      const ProgramEnd end = run_program(folder.path(), words);
      REQUIRE_MESSAGE(end.code == 0, end.complained);
      return json_of(end.said);
    };
    const Json plan = record({"check"});
    CHECK(plan["bytes_exact"] == true);
    for (const std::string driver : {"simulate", "run"}) {
      const Json summary = record({driver, "--output", "out", "--overwrite"});
      CHECK(summary["bytes_sent"] == plan["bytes_sent"]);
      for (std::size_t id = 0; id < summary["per_peer"].size(); ++id)
        CHECK(summary["per_peer"][id]["bytes_sent"] == plan["bytes_per_peer"][id]);
      if (driver == "simulate")
        CHECK(summary["seconds"].get<double>() == doctest::Approx(plan["seconds"].get<double>()));
    }
  }
}

TEST_CASE("check: sizes that depend on the data are tried out, and told beside the most they may be") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const auto said = [&](const std::string& command, const std::string& compressor, const Words& more) {
    Words words = {
        command, "q.toml", "--set", "run.iterations=10", "--set", "algorithm.compressor=" + compressor};
    words.insert(words.end(), more.begin(), more.end());
    const ProgramEnd end = run_program(folder.path(), words);
    REQUIRE_MESSAGE(end.code == 0, end.complained);
    return end.said;
  };
  for (const std::string compressor : {"qsgd(4) | gap", "qsgd(4)"}) {
    const bool varies = compressor != "qsgd(4)";
    const Json plan = json_of(said("check", compressor, {"--json"}));
    CHECK(plan["bytes_exact"] == !varies);
    CHECK((plan["predicted_bits_per_coordinate"] < plan["bits_per_coordinate"]) == varies);
    for (const char* of_peers : {"min", "mean", "max"})
      CHECK((plan["predicted_bytes_per_iteration"][of_peers] < plan["bytes_per_iteration"][of_peers]) ==
            varies);
    // A run as short as the dry run is simulated as a whole.
    const Json summary = json_of(said("simulate", compressor, {"--json", "--output", "out", "--overwrite"}));
    CHECK(plan["predicted_bytes_sent"].get<double>() ==
          doctest::Approx(summary["bytes_sent"].get<double>()).epsilon(1e-9));
    const double payload = summary["bytes_sent"].get<double>() - 64 * summary["messages_sent"].get<double>();
    CHECK(plan["predicted_bits_per_coordinate"].get<double>() ==
          doctest::Approx(8 * payload / (50 * summary["messages_sent"].get<double>())).epsilon(1e-9));
    const std::string text = said("check", compressor, {});
    CHECK((text.find(" bits per coordinate, at most ") != std::string::npos) == varies);
    CHECK((text.find(" bytes a peer, at most ") != std::string::npos) == varies);
  }
  // A bound of 40 bits tells little about a grid. A grid so fine that it sends as much as no compressor draws
  // a warning.
  const auto warnings = [&](const std::string& grid) {
    return json_of(said("check", grid, {"--json", "--set", "algorithm.kind=ecd-psgd"}))["warnings"].size();
  };
  CHECK(warnings("grid(0.1)") == 0);
  CHECK(warnings("grid(1e-8)") == 1);
}

TEST_CASE("check, run: both name the transport, and congestion control is asked for where it is TCP") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const auto said = [&](const std::string& command, const std::string& transport, const Words& more) {
    Words words = {command, "q.toml", "--set", "network.transport=" + transport};
    words.insert(words.end(), more.begin(), more.end());
    return run_program(folder.path(), words);
  };
  CHECK(contains(said("check", "ipc", {}).said, "ipc, sockets of this machine"));
  CHECK_FALSE(contains(said("check", "ipc", {}).said, "congestion"));
  CHECK(contains(said("check", "tcp", {}).said, "tcp, its congestion control: "));
  const Json over_ipc = json_of(said("check", "ipc", {"--json"}).said);
  CHECK(over_ipc["transport"] == "ipc");
  CHECK(over_ipc["congestion"].is_null());
  const Json over_tcp = json_of(said("check", "tcp", {"--json"}).said);
  CHECK(over_tcp["transport"] == "tcp");
  CHECK(over_tcp["congestion"].is_string());

  // No kernel has it.
  const Words unknown = {"--set", "network.congestion=cubik"};
  const std::string warning = "network.congestion = \"cubik\" has no effect";
  CHECK(said("check", "tcp", unknown).code == 2);
  const ProgramEnd checked = said("check", "ipc", unknown);
  CHECK(checked.code == 0);
  CHECK_MESSAGE(contains(checked.said, warning), checked.said);
  const ProgramEnd run = said("run", "auto", {"--set", "network.congestion=cubik", "--output", "out"});
  CHECK(run.code == 0);
  CHECK_MESSAGE(contains(run.complained, warning), run.complained);
}

TEST_CASE("check: a run whose first iterations end badly is told so, its time is not made up") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const Words words = {"check", "q.toml",
                       "--set", "algorithm.kind=ecd-psgd",
                       "--set", "algorithm.compressor=grid(0.1)",
                       "--set", "algorithm.step_size=1e30"};
  const ProgramEnd end = run_program(folder.path(), words);
  CHECK(end.code == 0);
  CHECK(end.said.find("the first iterations, tried out, end badly: a value left the finite range") !=
        std::string::npos);
  CHECK(end.said.find("not predicted") != std::string::npos);
  Words in_json = words;
  in_json.push_back("--json");
  CHECK(json_of(run_program(folder.path(), in_json).said)["seconds"] == nullptr);
}

TEST_CASE("check: the smallest eigenvalue stands beside what the method needs of it") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  Words words = {"check", "q.toml"};
  for (const char* assignment : {"algorithm.kind=d2", "algorithm.compressor=none", "topology.peers=9"})
    words.insert(words.end(), {"--set", assignment});
  const ProgramEnd end = run_program(folder.path(), words);
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CAPTURE(end.said);
  // 1/3 + 2/3 cos(8 pi / 9)
  CHECK(end.said.find("smallest eigenvalue -0.293 (d2 needs one above -0.333)") != std::string::npos);
  words.back() = "topology.peers=8";
  const ProgramEnd lazy = run_program(folder.path(), words);
  CHECK(lazy.said.find("lazy weights, spectral gap") != std::string::npos);
  CHECK(lazy.said.find("topology.weights = auto: lazy weights, since d2 needs") != std::string::npos);
  words.insert(words.end(), {"--set", "topology.weights=metropolis"});
  CHECK(run_program(folder.path(), words).code == 2);
}

TEST_CASE("check: the variance limit that it prints is the one the run is held to, on 130 peers, too") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  Words words = {"check", "q.toml", "--json", "--set", "topology.peers=130", "--set"};
  words.push_back("algorithm.compressor=dither(linf, bits=8, bucket=512)");
  const ProgramEnd end = run_program(folder.path(), words);
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  const double limit = json_of(end.said)["omega_limit"].get<double>();
  words.back() = "algorithm.compressor=dither(l2, bits=2, bucket=512)";
  const ProgramEnd refused = run_program(folder.path(), words);
  CHECK(refused.code == 2);
  char text[32];
  std::snprintf(text, sizeof text, "less than %.3g ", limit);
  CHECK_MESSAGE(refused.complained.find(text) != std::string::npos, refused.complained);
}

TEST_CASE("evaluate: a saved model has the loss of its run") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  const ProgramEnd run = run_program(folder.path(), {"simulate", "q.toml", "--json", "--output", "out"});
  REQUIRE(run.code == 0);
  const ProgramEnd end = run_program(folder.path(), {"evaluate", "out/model.npy", "out/run.toml", "--json"});
  REQUIRE_MESSAGE(end.code == 0, end.complained);
  CHECK(json_of(end.said)["loss"] == json_of(run.said)["loss"]);
}

TEST_CASE("codec: a model of a run, its message, and what receivers decode") {
  const DataFolder folder;
  folder.write("q.toml", quadratic_run);
  REQUIRE(run_program(folder.path(), {"simulate", "q.toml", "--quiet", "--output", "out"}).code == 0);
  const ProgramEnd whole = run_program(folder.path(), {"codec", "none", "out/model.npy", "--output",
                                                       "same.npy", "--json", "--scalar", "double"});
  REQUIRE_MESSAGE(whole.code == 0, whole.complained);
  const Json figures = json_of(whole.said);
  CHECK(figures["bytes"] == figures["dimension"].get<int>() * 8);
  CHECK(figures["relative_error"] == 0.0);
  const ProgramEnd one = run_program(folder.path(), {"codec", "topk(k=1)", "same.npy", "--json"});
  CHECK_MESSAGE(json_of(one.said)["bytes"] < figures["bytes"], one.complained);
  const ProgramEnd unknown = run_program(folder.path(), {"codec", "topq(1%)", "same.npy"});
  CHECK(unknown.code == 2);
  CHECK_MESSAGE(unknown.complained.find("topq") != std::string::npos, unknown.complained);
}

TEST_CASE("list: every method is there") {
  const DataFolder folder;
  const ProgramEnd end = run_program(folder.path(), {"list"});
  CHECK(end.code == 0);
  for (const MethodInfo& method : methods()) CHECK(end.said.find(method.name) != std::string::npos);
  CHECK(json_of(run_program(folder.path(), {"list", "--json"}).said)["algorithm.kind"].size() ==
        methods().size());
}

TEST_CASE("list: a table of the manual is printed as it stands there, an unknown one is refused by name") {
  const DataFolder folder;
  for (const ManualTable& table : manual_tables())
    CHECK(run_program(folder.path(), {"list", "--markdown", std::string(table.name)}).said == table.text());
  const ProgramEnd end = run_program(folder.path(), {"list", "--markdown", "weather"});
  CHECK(end.code == 2);
  CHECK(end.complained.find("weather") != std::string::npos);
}

}  // namespace hearsay::test::program_test
