#include "runtime/settings/run_settings_file.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/dpsvrg.hpp"
#include "algorithms/methods/ecd_psgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/settings/key_samples.hpp"
#include "tests/settings/run_file_text.hpp"
#include "tests/support/temporary_folder.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::test::config_test {

namespace {

namespace fs = std::filesystem;

std::string assigned(const std::string& key, const std::string& value) { return key + " = " + value + "\n"; }

/// Draws settings that a file can express, with odd names, paths and numbers among them.
class RandomSettings {
 public:
  explicit RandomSettings(std::uint64_t seed) : random_(seed, 0, 0, Purpose::data) {}

  RunSettings draw() {
    RunSettings s;
    draw_run(s.run);
    draw_data(s.data);
    draw_model(s.model);
    s.topology = {text(), static_cast<PeerId>(4 + below(100)), text(), text(), {}, random_.uniform()};
    draw_algorithm(s.algorithm);
    draw_failure(s.failure);
    if (chance()) s.security = {"/keys/" + text(), "/keys/" + text()};
    s.network = network();
    s.framing = chance() ? Framing::none : Framing::ethernet;
    s.evaluations = chance() ? EvaluationFrames::free : EvaluationFrames::shaped;
    for (PeerId peer = 0; peer < 4; ++peer)
      if (chance()) s.peer_networks[peer] = network();
    if (chance()) s.link_overrides = {{0, 1, duration(), bandwidth()}, {1, 0, duration(), std::nullopt}};
    return s;
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_.below(end); }
  bool chance() { return below(2) == 1; }
  double number() { return std::ldexp(random_.uniform() + 1e-9, static_cast<int>(below(40)) - 20); }
  Duration duration() { return Duration{static_cast<std::int64_t>(below(3'000'000'000))}; }
  Bandwidth bandwidth() { return chance() ? Bandwidth{} : Bandwidth{number() * 1e6}; }
  std::string text() { return texts_[below(texts_.size())]; }
  std::string line() { return texts_[below(texts_.size() - 2)]; }

  NetworkSettings network() {
    NetworkSettings net{
        bandwidth(), bandwidth(), duration(), duration(), max_message_loss * random_.uniform(), {}};
    if (chance()) {
      net.bandwidth_up = net.bandwidth_down = {};
      net.trace = BandwidthTrace(
          {{Duration{0}, number() * 1e6}, {Duration{1} + duration(), chance() ? 0.0 : number() * 1e6}});
    }
    net.compute.kind = static_cast<ComputeTime::Kind>(below(3));
    if (net.compute.kind != ComputeTime::Kind::measured) net.compute.median = duration();
    if (net.compute.kind == ComputeTime::Kind::lognormal) net.compute.sigma = number();
    return net;
  }

  void draw_run(RunSettings::Run& run) {
    run.name = line();
    run.seed = below(std::uint64_t{1} << 63);
    run.scalar = chance() ? ScalarKind::float32 : ScalarKind::float64;
    if (chance())
      run.epochs = number();
    else
      run.iterations = 1 + below(1'000'000);
    run.evaluate_every = 1 + below(1000);
    if (chance()) {
      run.evaluate_every = 1;
      run.evaluate_period = Duration{1} + duration();
    }
    if (chance()) run.target_loss = number() - 1.0;
    if (chance()) run.evaluate = RunSettings::Run::Evaluate::peers;
    if (chance()) run.patience = 1 + below(100);
    if (chance()) run.min_improvement = random_.uniform();
    if (chance()) run.keep = RunSettings::Run::Keep::best;
    if (chance()) run.keep_models = {1 + below(100), chance()};
    run.output = "/out/" + text();
  }

  void draw_data(RunSettings::Data& data) {
    data.source = chance() ? "libsvm:/data/" + text() : "idx:/da$ta/images,/data/labels";
    data.test = chance() ? "" : "csv:/data/" + text();
    data.partition = text();
    if (chance()) data.scale = number();
    if (chance()) data.samples = 1 + below(1000);
    if (chance()) data.features = 1 + below(1000);
    if (chance()) data.classes = 2 + below(1000);
  }

  void draw_model(RunSettings::Model& model) {
    model = {text(), number(), number(), text(), chance() ? "zeros" : "/models/" + text() + ".npy", {}, {}};
    if (chance()) model.program = {"python3", text()};
    if (!model.program.empty() || chance()) model.directory = "/code/" + text();
  }

  void draw_algorithm(RunSettings::Algorithm& algorithm) {
    algorithm = {text(),  chance() ? "" : text(), number(), text(), below(10), 1 + below(100), {}, {},
                 chance()};
    if (chance()) algorithm.clip = number();
    if (chance()) algorithm.options.set(option::restart_every, below(10));
    if (chance()) algorithm.options.set(option::feedback, text());
    if (chance()) algorithm.options.set(option::consensus_step, 2.0 * random_.uniform() + 1e-9);
    if (chance()) algorithm.batch = std::nullopt;
  }

  void draw_failure(RunSettings::Failure& failure) {
    failure.policy = chance() ? RunSettings::Failure::Policy::wait : RunSettings::Failure::Policy::drop;
    failure.checkpoint_every = below(1000);
    failure.lost_after = shortest_lost_after + duration();
    if (!chance()) return;
    failure.checkpoint_every = 0;
    failure.checkpoint_period = Duration{1} + duration();
  }

  RandomStream random_;
  // The last two are no lines.
  std::vector<std::string> texts_ = {
      "plain", "with \"quotes\" and \\", "\xc3\xa9t\xc3\xa9", "$dollar", "a,b = c # d", "t\tab", "new\nline"};
};

}  // namespace

TEST_CASE("config: an empty file is the built-in example, every key with its default") {
  RunSettings defaults;
  defaults.run.output = fs::current_path() / "runs" / "quickstart";
  CHECK(parse("") == defaults);
  CHECK(parse("[run]\n[network]\n# nothing\n") == defaults);
}

TEST_CASE("config: the spelled settings parse back to the same, from anywhere") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    CAPTURE(seed);
    const RunSettings settings = RandomSettings(seed).draw();
    CAPTURE(to_toml(settings));
    CHECK(parse_run(to_toml(settings), "/elsewhere", {}, "test.toml") == settings);
  }
}

TEST_CASE("config: the samples cover every key") {
  CHECK(key_samples().size() == run_file_keys().size());
  for (const std::string& key : run_file_keys()) CHECK_MESSAGE(key_samples().contains(key), key);
}

TEST_CASE("config: every key is read, and survives being spelled") {
  const RunSettings defaults = parse("");
  for (const auto& entry : key_samples()) {
    const std::string& key = entry.first;
    const KeySample& sample = entry.second;
    CAPTURE(key);
    const RunSettings settings = parse(assigned(key, sample.good));
    CHECK(settings != defaults);
    CHECK(parse(to_toml(settings)) == settings);
    CHECK(parse("", {key + "=" + sample.good}) == settings);
  }
}

TEST_CASE("config: every key of a wrong type is refused with file, line, key, value and expectation") {
  for (const auto& entry : key_samples()) {
    const std::string& key = entry.first;
    const KeySample& sample = entry.second;
    CAPTURE(key);
    const std::string message = refusal("# a comment\n\n" + assigned(key, sample.wrong_type));
    CAPTURE(message);
    if (sample.wrong_type.front() == '{') {
      CHECK(message.starts_with("test.toml:3: " + key));
    } else {
      const std::size_t equals = message.find(" = ");
      CHECK(message.substr(0, equals) == "test.toml:3: " + key);
      CHECK(contains(message, ": expected "));
    }
  }
}

TEST_CASE("config: of a key that is near to none, the keys of its table are listed, or the tables") {
  CHECK(contains(refusal("run.foo = 1"),
                 "test.toml:1: run.foo: unknown key; expected one of run.name, run.seed"));
  CHECK(contains(refusal("foo.bar = 1"),
                 "test.toml:1: unknown table [foo]; expected one of [algorithm], [data]"));
  CHECK(contains(refusal("", {"foo.bar=1"}), "foo.bar: unknown key; expected a key of [algorithm], [data]"));
}

TEST_CASE("config: every misspelt key is refused and the right one named") {
  for (const auto& entry : key_samples()) {
    const std::string& key = entry.first;
    const KeySample& sample = entry.second;
    CAPTURE(key);
    const std::size_t dot = key.find('.');
    const std::string table = key.substr(0, dot);
    const std::string name = key.substr(dot + 1);
    const std::string misspelt = key.substr(0, key.size() - 1) + "x" + key.back();
    const std::string message = refusal("\n" + assigned(misspelt, sample.good));
    CHECK(message == "test.toml:2: " + misspelt + ": unknown key, did you mean " + key + "?");
    // For a misspelt table, the message names the table. (Of arrays: refused_keys_test.cpp.)
    if (dot == std::string::npos) continue;
    CHECK(refusal("[" + table + "s]\n" + assigned(name, sample.good)) ==
          "test.toml:1: unknown table [" + table + "s], did you mean [" + table + "]?");
  }
  CHECK(refusal("algorithm.compresor = \"none\"") ==
        "test.toml:1: algorithm.compresor: unknown key, did you mean algorithm.compressor?");
  // The right key in a wrong table.
  CHECK(contains(refusal("[network]\nstep_size = 1"), "did you mean algorithm.step_size?"));
  CHECK(contains(refusal("seed = 1"), "did you mean run.seed?"));
  CHECK(contains(refusal("[algoritm]\nkind = 1"), "[algorithm]?"));
  CHECK(contains(refusal("", {"topologie.kind=\"ring\""}), "did you mean topology.kind?"));
  CHECK(contains(refusal("run = 3"), "test.toml:1: run = 3: expected a table, [run]"));
  // Both the table and the key are misspelt, or the key of another table is.
  CHECK(contains(refusal("", {"topolgy.pers=3"}), "did you mean topology.peers?"));
  CHECK(contains(refusal("[network]\nstepsize = 1"), "did you mean algorithm.step_size?"));
  CHECK(contains(refusal("[run.seed]\nx = 3"), "run.seed.x: unknown key"));
  CHECK(contains(refusal("[[network.peer]]\nid = 1\nlatncy = \"5 ms\""),
                 "test.toml:3: network.peer.latncy: unknown key, did you mean network.peer.latency?"));
}

TEST_CASE("config: a number of gossip rounds needs no quotes") {
  CHECK(
      parse_run("algorithm.consensus = 20", ".", {}, "test.toml").algorithm.options.find(option::consensus) ==
      "20");
  CHECK(
      parse_run("", ".", {"algorithm.consensus=7"}, "test.toml").algorithm.options.find(option::consensus) ==
      "7");
}

TEST_CASE("config: values out of range are refused at the door") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"run.name", "\"\""},
      {"run.name", "\"a/b\""},
      {"run.name", "\"..\""},
      {"run.name", "\"t\\tab\""},
      {"run.name", "\"new\\nline\""},
      {"run.seed", "-1"},
      {"run.iterations", "0"},
      {"run.epochs", "0"},
      {"run.epochs", "inf"},
      {"run.evaluate_every", "0"},
      {"run.target_loss", "nan"},
      {"run.scalar", "\"half\""},
      {"run.output", "\"\""},
      {"data.source", "\"\""},
      {"data.source", "\"idx:a\""},
      {"data.source", "\"npy:a,b,c\""},
      {"data.source", "\"csv:\""},
      {"data.scale", "0"},
      {"data.memory", "\"8\""},
      {"data.memory", "\"120%\""},
      {"model.l1", "-1e-9"},
      {"model.l2", "inf"},
      {"model.init", "\"random\""},
      {"algorithm.consensus_step", "0"},
      {"algorithm.consensus_step", "2.5"},
      {"algorithm.momentum", "1"},
      {"algorithm.inner_growth", "0.9"},
      {"algorithm.local_steps", "0"},
      {"algorithm.estimator", "\"svgr\""},
      {"topology.peers", "0"},
      {"topology.peers", "4294967296"},
      {"topology.kind", "\"\""},
      {"algorithm.step_size", "0"},
      {"algorithm.step_size", "nan"},
      {"algorithm.step_size", "inf"},
      {"algorithm.batch", "0"},
      {"algorithm.batch", "\"half\""},
      {"algorithm.warm_up", "-1"},
      {"network.bandwidth", "\"0 Mbit/s\""},
      {"network.latency", "\"-1 ms\""},
      {"network.message_loss", "0.991"},
      {"network.message_loss", "\"100%\""},
      {"network.message_loss", "-0.1"},
      {"network.framing", "\"wifi\""},
      {"network.evaluations", "\"slow\""},
      {"network.compute", "\"slow\""},
      {"network.compute", "\"lognormal(20 ms)\""},
      {"network.compute", "\"lognormal(20 ms, -1)\""},
      {"network.compute", "\"lognormal(20, 0.3)\""},
      {"network.compute", "\"lognormal(20 ms, x)\""},
      {"network.peer", "[{latency = \"5 ms\"}]"},
      {"network.peer", "[{id = 8}]"},
      {"network.peer", "[3]"},
      {"network.peer", "[{id = 1}, {id = 1}]"},
      {"network.peer", "[{}]"},
      {"network.link", "[{from = 1, to = 1}]"},
      {"network.link", "[{from = 1}]"},
      {"network.link", "[{from = 1, to = 2}, {from = 1, to = 2}]"},
      {"fault", "[3]"},
      {"fault", "[{}]"},
      {"fault", "[{peer = 1, kind = \"kill\"}]"},
      {"fault", "[{at = \"1 s\", kind = \"kill\"}]"},
      {"fault", "[{at = \"1 s\", peer = 1}]"},
      {"fault", "[{at = 1, peer = 1, kind = \"kill\"}]"},
      {"fault", "[{at = \"1 s\", peer = 8, kind = \"kill\"}]"},
      {"fault", "[{at = \"1 s\", peer = -1, kind = \"kill\"}]"},
      {"fault", "[{at = \"1 s\", peer = [], kind = \"kill\"}]"},
      {"fault", "[{at = \"1 s\", peer = [1, 1], kind = \"kill\"}]"},
      {"fault", "[{at = \"1 s\", peer = 1, kind = \"murder\"}]"},
      {"fault", "[{at = \"1 s\", peer = 1, kind = \"kill\", for = \"0 s\"}]"},
      {"fault", "[{at = \"1 s\", peer = 1, kind = \"freeze\"}]"},
      {"fault", "[{at = \"1 s\", peer = 1, kind = \"rejoin\", for = \"1 s\"}]"},
      {"fault", "[{at = \"1 s\", peer = [0, 1, 2, 3, 4, 5, 6, 7], kind = \"partition\"}]"},
      {"fault", "[{at = \"1 s\", peer = 1, kind = \"kill\", whom = 3}]"},
      {"fault", "[{random = {kills = 3}}]"},
      {"fault", "[{random = {kills = 0, within = \"1 s\"}}]"},
      {"fault", "[{random = {kills = 3, within = \"0 s\"}}]"},
      {"fault", "[{random = {kills = 3, within = \"1 s\"}, peer = 3}]"},
      {"run.seed", "2024-01-01"}};
  for (const auto& entry : bad) {
    const std::string& key = entry.first;
    const std::string& value = entry.second;
    CAPTURE(value);
    const std::string message = refusal(assigned(key, value));
    CAPTURE(message);
    CHECK(message.starts_with("test.toml:1: " + key));
  }
}

TEST_CASE("config: a syntax error is refused with line and column") {
  CHECK(refusal("[run]\nseed = \n").starts_with("test.toml:2:"));
  CHECK(refusal("[run]\nseed = 1\nseed = 2\n").starts_with("test.toml:3:"));
  CHECK(refusal("[run\n").starts_with("test.toml:1:"));
  CHECK(refusal(std::string("a\0b = 1", 7)).starts_with("test.toml:1:"));
}

TEST_CASE("config: any text is a run or a Misuse, never anything else") {
  std::size_t refused = 0;
  const std::size_t trials = 3000;
  for (std::uint64_t seed = 0; seed < trials; ++seed) {
    RandomStream random(seed, 1, 0, Purpose::data);
    std::string text = to_toml(RandomSettings(seed % 20).draw());
    for (std::uint64_t slip = 0; slip <= random.below(3); ++slip) {
      const std::size_t at = random.below(text.size());
      if (random.below(3) == 0)
        text.erase(at, 1 + random.below(20));
      else if (random.below(2) == 0)
        text.insert(at, 1, static_cast<char>(random.below(256)));
      else
        text[at] = "\"[]{}=.#\n'0-"[random.below(12)];
    }
    try {
      const RunSettings settings = parse(text);
      CHECK(parse(to_toml(settings)) == settings);
    } catch (const Misuse&) {
      ++refused;
    }
  }
  CHECK((refused > trials / 10 && refused < trials));
}

TEST_CASE("config: iterations or epochs, a file or a kind of topology, never both") {
  CHECK(contains(refusal("[run]\niterations = 3\nepochs = 2"), "not both"));
  CHECK(contains(refusal("[topology]\nkind = \"ring\"\nfile = \"c.toml\""), "not both"));
  CHECK(contains(refusal("", {"run.iterations=3", "run.epochs=2"}), "not both"));
  CHECK(parse("[run]\nepochs = 2").run.epochs == 2.0);
}

TEST_CASE("config: --unset takes a key out, as if no file had it") {
  const std::string file = "[run]\nepochs = 2\n[algorithm]\nkind = \"choco-sgd\"\nstep_size = 0.7\nbatch = 8";
  const auto unset = [&](const std::vector<std::string>& assignments) {
    return parse_run(file, ".", assignments, "test.toml");
  };
  CHECK(unset({"unset algorithm.batch"}).algorithm.batch == 32);
  CHECK(unset({"unset run.epochs"}) == unset({"run.iterations=200"}));
  CHECK(unset({"unset algorithm.kind"}).algorithm.kind == RunSettings().algorithm.kind);
  CHECK(unset({"unset algorithm.kind"}).algorithm.step_size == 0.7);
  // Of two words on one key the later wins.
  CHECK(unset({"algorithm.batch=4", "unset algorithm.batch"}).algorithm.batch == 32);
  CHECK(unset({"unset algorithm.batch", "algorithm.batch=4"}).algorithm.batch == 4);
  CHECK(contains(refusal(file, {"unset algorithm.bach"}), "algorithm.batch"));
}

}  // namespace hearsay::test::config_test
