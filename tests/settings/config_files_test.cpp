#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/settings/run_settings_file.hpp"
#include "tests/settings/run_file_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::config_files_test {

namespace fs = std::filesystem;

TEST_CASE("config: paths start at the run file, and $NAME is an environment variable") {
  setenv("HEARSAY_TEST_FOLDER", "/env", 1);
  unsetenv("HEARSAY_TEST_UNSET");
  CHECK(parse("data.source = \"libsvm:a9a.gz\"").data.source == "libsvm:/runfiles/a9a.gz");
  CHECK(parse("data.source = \"cifar10:../x\"").data.source == "cifar10:/x");
  CHECK(parse("data.source = \"idx:a,/b\"").data.source == "idx:/runfiles/a,/b");
  CHECK(parse("data.source = \"npy:$HEARSAY_TEST_FOLDER/a,${HEARSAY_TEST_FOLDER}b\"").data.source ==
        "npy:/env/a,/envb");
  CHECK(parse("data.test = \"csv:$$x\"").data.test == "csv:/runfiles/$x");
  CHECK(parse("data.source = \"synthetic(samples=1)\"").data.source == "synthetic(samples=1)");
  CHECK(parse("model.init = \"m.npy\"").model.init == "/runfiles/m.npy");
  CHECK(parse("run.output = \"out\"").run.output == "/runfiles/out");
  CHECK(parse("run.name = \"n\"").run.output == fs::current_path() / "runs" / "n");
  CHECK(contains(refusal("model.init = \"$HEARSAY_TEST_UNSET/m.npy\""), "HEARSAY_TEST_UNSET to be set"));
  for (const std::string path : {"$", "a$", "${", "${}", "${HEARSAY_TEST_FOLDER", "$-"})
    CHECK(contains(refusal("run.output = \"" + path + "\""), "environment variable"));
}

TEST_CASE("config: checkpoints come every so many iterations, or every so much time") {
  const auto failure = [](const std::string& value) {
    return parse("failure.checkpoint_every = " + value).failure;
  };
  CHECK(failure("7").checkpoint_every == 7);
  CHECK(failure("\"1 min\"").checkpoint_every == 0);
  CHECK(failure("\"1 min\"").checkpoint_period == std::chrono::minutes(1));
  CHECK_THROWS_AS(failure("\"0 s\""), Misuse);
  CHECK_THROWS_AS(failure("1.5"), Misuse);
}

TEST_CASE("config: evaluations come every so many iterations, or every so much time") {
  CHECK(parse("run.evaluate_every = 7").run.evaluate_every == 7);
  CHECK(!parse("run.evaluate_every = 7").run.evaluates_by_time());
  CHECK(parse("run.evaluate_every = \"30 s\"").run.evaluate_period == std::chrono::seconds(30));
  for (const std::string value : {"0", "1.5", "\"0 s\"", "\"often\"", "\"-1 s\""})
    CHECK_THROWS_AS(parse("run.evaluate_every = " + value), Misuse);
}

TEST_CASE("config: --set takes TOML where it parses, else a string, and wins over the file") {
  const std::string file = "[run]\nseed = 1\nepochs = 3\n[network]\nbandwidth_up = \"1 Mbit/s\"\n";
  CHECK(parse(file, {"run.seed=5"}).run.seed == 5);
  CHECK(parse(file, {"run.seed=5", "run.seed=6"}).run.seed == 6);
  CHECK(parse(file, {"network.latency=5 ms"}).network.latency == Duration{5'000'000});
  CHECK(parse(file, {"network.latency=\"5 ms\""}).network.latency == Duration{5'000'000});
  CHECK(parse(file, {"algorithm.batch=full"}).algorithm.batch == std::nullopt);
  CHECK(parse(file, {"algorithm.compressor=topk(1%) | natural"}).algorithm.compressor ==
        "topk(1%) | natural");
  CHECK(parse(file, {"algorithm.compressor="}).algorithm.compressor.empty());
  CHECK(parse(file, {"data.partition=a=b"}).data.partition == "a=b");
  CHECK(parse(file, {"network={latency=\"5 ms\",jitter=\"1 ms\"}"}).network.jitter == Duration{1'000'000});
  // An assignment also replaces the keys that say the same thing in other words.
  CHECK(parse(file, {"run.iterations=7"}).run.epochs == std::nullopt);
  CHECK(parse(file, {"network.bandwidth=10 Mbit/s"}).network.bandwidth_up.bytes_per_s == 1.25e6);
  CHECK(parse("topology.file = \"missing.toml\"", {"topology.kind=path"}).topology.file.empty());
  // A second line is part of the value, not another key.
  CHECK(parse(file, {"algorithm.kind=x\nseed=3"}).algorithm.kind == "x\nseed=3");
  CHECK(refusal(file, {"run.seed"}) == "--set = run.seed: expected KEY=VALUE, such as run.seed=2");
  CHECK(contains(refusal(file, {"=3"}), "expected KEY=VALUE"));
  CHECK(refusal(file, {"run.sed=3"}) == "--set: run.sed: unknown key, did you mean run.seed?");
  CHECK(contains(refusal(file, {"run.seed=x"}), "--set: run.seed = \"x\": expected a whole number >= 0"));
}

TEST_CASE("config: a sweep is not a run") {
  CHECK(contains(refusal("[sweep]\n"), "use `hearsay sweep test.toml`"));
  CHECK(contains(refusal("sweep = 3"), "test.toml:1: sweep = 3: expected a table, [sweep]"));
}

TEST_CASE("config: a bandwidth trace is read from its file, beside the run file, and written as its rows") {
  const TemporaryFolder folder("hearsay_config_trace");
  folder.write("uplink.csv", "seconds,bandwidth\r\n0,100 Mbit/s\r\n\r\n1.5, 0 Mbit/s\n2,unlimited\n");
  const std::string text =
      "network.bandwidth_trace = \"uplink.csv\"\n[[network.peer]]\nid = 1\nbandwidth = "
      "\"1 Mbit/s\"\n[[network.peer]]\nid = 2\nlatency = \"1 ms\"\n";
  const RunSettings settings = load_run_file(folder.write("run.toml", text), {});
  REQUIRE(settings.network.trace.rows().size() == 3);
  CHECK(settings.network.trace.rows()[0] == BandwidthTrace::Row{Duration{0}, 12.5e6});
  CHECK(settings.network.trace.rows()[1] == BandwidthTrace::Row{Duration{1'500'000'000}, 0.0});
  CHECK(settings.network.trace.period() == Duration{2'500'000'000});
  CHECK(settings.peer_networks.at(1).trace.empty());
  CHECK(settings.peer_networks.at(2).trace == settings.network.trace);
  const std::string resolved = to_toml(settings);
  CHECK(contains(resolved, "bandwidth_trace = [\"0,100 Mbit/s\", \"1.5,0 bit/s\", \"2,unlimited\"]"));
  std::filesystem::remove(folder.path() / "uplink.csv");
  CHECK(parse(resolved) == settings);
}

TEST_CASE("config: a bandwidth trace or a bandwidth, whichever comes later, in one place not both") {
  const std::string trace = "network.bandwidth_trace = [\"0,1 Mbit/s\"]\n";
  CHECK(parse(trace, {"network.bandwidth=10 Mbit/s"}).network.trace.empty());
  CHECK(parse(trace, {"network.bandwidth_up=10 Mbit/s"}).network.trace.empty());
  const NetworkSettings traced =
      parse("network.bandwidth = \"5 Mbit/s\"\n", {"network.bandwidth_trace=[\"0,1 Mbit/s\"]"}).network;
  CHECK(traced.bandwidth_up.unlimited());
  CHECK(traced.trace.rows().size() == 1);
  for (const std::string other : {"bandwidth", "bandwidth_up", "bandwidth_down"}) {
    CHECK(contains(refusal(trace + "network." + other + " = \"1 Mbit/s\""), "not both"));
    CHECK(contains(
        refusal("[[network.peer]]\nid = 1\nbandwidth_trace = [\"0,1 Mbit/s\"]\n" + other + " = \"1 Mbit/s\""),
        "not both"));
  }
}

TEST_CASE("config: a bandwidth trace that is none is refused, with the line") {
  const TemporaryFolder folder("hearsay_config_bad_trace");
  const auto refusal_of = [&](const std::string& content) {
    folder.write("t.csv", content);
    try {
      load_run_file(folder.write("run.toml", "[network]\nbandwidth_trace = \"t.csv\"\n"), {});
    } catch (const Misuse& misuse) {
      return std::string(misuse.what());
    }
    return std::string();
  };
  const std::string place = "run.toml:2: network.bandwidth_trace";
  const std::string file = (folder.path() / "t.csv").string();
  const auto says = [&](const std::string& content, const std::string& line, const std::string& expectation) {
    const std::string message = refusal_of(content);
    CAPTURE(message);
    CHECK(contains(message, place));
    CHECK(contains(message, file + ":" + line + " = "));
    CHECK(contains(message, expectation));
  };
  says("0,1 Mbit/s\n2,1 Mbit/s\n2,3 Mbit/s\n", "3",
       "\"2,3 Mbit/s\": expected a time at least 1 ns later than in the row before");
  says("1,1 Mbit/s\n", "1", "the first row begins at 0 seconds");
  says("0,1 Mbit/s\n1,5\n", "2", "expected a number > 0 and a unit (bit/s");
  says("0,1 Mbit/s\n\n1,5 furlongs\n", "3", "\"5 furlongs\"");
  says("0,1 Mbit/s\n-1,5 Mbit/s\n", "2", "expected a number >= 0 and a unit");
  says("0,1 Mbit/s\n1,. Mbit/s\n", "2", "\". Mbit/s\"");
  says("0,1 Mbit/s\n1,0.0.0 kbit/s\n", "2", "\"0.0.0 kbit/s\"");
  says("0 1\n", "1", "expected seconds,bandwidth such as \"1.5,10 Mbit/s\"");
  CHECK(contains(refusal_of("0,0 Mbit/s\n1,0 bit/s\n"), "its bandwidth is 0 for ever"));
  CHECK(contains(refusal_of("seconds,bandwidth\n"), "there are none"));
  CHECK(refusal_of("\xef\xbb\xbf\"Seconds\", \"Bandwidth\"\r\n0,1 Mbit/s\r\n") ==
        "");  // as spreadsheets write it
  CHECK(contains(refusal("network.bandwidth_trace = \"absent.csv\""),
                 "network.bandwidth_trace: cannot read /runfiles/absent.csv"));
  CHECK(contains(refusal("network.bandwidth_trace = [3]"),
                 "test.toml:1: network.bandwidth_trace = 3: expected text"));
}

TEST_CASE("config: a file that cannot be read is named") {
  const TemporaryFolder folder("hearsay_config_test");
  for (const fs::path& file : {folder.path() / "missing.toml", folder.path()}) {
    CAPTURE(file.string());
    CHECK_THROWS_WITH_AS(load_run_file(file, {}), doctest::Contains(("cannot read " + file.string()).c_str()),
                         Misuse);
  }
  CHECK(load_run_file(folder.write("run.toml", "model.init = \"m.npy\"\n"), {}).model.init ==
        (folder.path() / "m.npy").string());
  CHECK(load_run_file(folder.write("empty.toml", ""), {}) == parse(""));
}

TEST_CASE(
    "config: a topology file says how many peers there are, the run file what their links have of its own") {
  const TemporaryFolder folder("hearsay_config_topology");
  folder.write("five.toml", path_of_five);
  const std::string file = "topology.file = \"five.toml\"\ntopology.weights = \"lazy\"\n";
  const auto load = [&](const std::string& more) {
    return load_run_file(folder.write("run.toml", file + more), {});
  };
  const RunSettings settings = load("");
  CHECK(settings.topology.peers == 5);
  CHECK(settings.topology.weights == "lazy");
  CHECK(settings.link_overrides.empty());
  CHECK(parse(to_toml(settings)) == settings);

  const RunSettings own = load(
      "[[network.link]]\nfrom = 2\nto = 1\nbandwidth = \"1 MB/s\"\n"
      "[[network.link]]\nfrom = 0\nto = 4\nlatency = \"1 ms\"\n");
  CHECK(own.link_overrides ==
        std::vector<LinkOverride>{{0, 4, Duration{1'000'000}, {}}, {2, 1, {}, Bandwidth{1e6}}});
  CHECK(parse(to_toml(own)) == own);

  CHECK_THROWS_WITH_AS(load("network.peer = [{id = 5}]"), doctest::Contains("0 to 4"), Misuse);
  CHECK_THROWS_WITH_AS(load("topology.peers = 5"), doctest::Contains("not both"), Misuse);
  CHECK(refusal("topology.file = \"missing.toml\"") ==
        "test.toml:1: topology.file: cannot read /runfiles/missing.toml: No such file or directory");
}

TEST_CASE("config: a file that cannot be read is named with the key that names it") {
  const TemporaryFolder folder("hearsay_unreadable");
  const std::string here = folder.path().string();
  for (const std::string key :
       {"topology.file", "topology.availability", "network.links", "network.bandwidth_trace"}) {
    CAPTURE(key);
    CHECK(refusal(key + " = \"" + here + "\"") ==
          "test.toml:1: " + key + ": cannot read " + here + ": Is a directory");
    CHECK(refusal(key + " = \"" + here + "/none\"") ==
          "test.toml:1: " + key + ": cannot read " + here + "/none: No such file or directory");
  }
}

}  // namespace hearsay::config_files_test
