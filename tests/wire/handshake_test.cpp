#include "runtime/wire/agreement.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "runtime/experiment/agreed_options.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "topology/foundation/misuse.hpp"

namespace hearsay::handshake_test {

using namespace std::chrono_literals;

namespace {

AgreedProblem of(std::uint64_t dimension, std::uint64_t data_digest) {
  return {.dimension = dimension, .model_digest = 0x30de1, .data_digest = data_digest};
}

Agreement agreement_of(const RunSettings& settings) {
  return make_agreement(settings, of(50'100, 0xda7a), 0x7090);
}

/// A change of one setting that must agree, and the text of its value on both sides.
struct Difference {
  std::string key, theirs, mine;
  std::function<void(RunSettings&)> change;
};

const std::vector<Difference> differences = {
    {"algorithm.kind", "d-psgd", "dcd-psgd", [](RunSettings& s) { s.algorithm.kind = "d-psgd"; }},
    {"algorithm.compressor", "qsgd(4)", "the method's default",
     [](RunSettings& s) { s.algorithm.compressor = "qsgd(4)"; }},
    {"algorithm.step_size", "0.30000000000000004", "0.1",
     [](RunSettings& s) { s.algorithm.step_size = 0.1 + 0.2; }},
    {"algorithm.step_schedule", "inverse-sqrt", "constant",
     [](RunSettings& s) { s.algorithm.step_schedule = "inverse-sqrt"; }},
    {"algorithm.warm_up", "7", "0", [](RunSettings& s) { s.algorithm.warm_up = 7; }},
    {"algorithm.batch", "full", "32", [](RunSettings& s) { s.algorithm.batch.reset(); }},
    {"run.seed", "18446744073709551615", "1", [](RunSettings& s) { s.run.seed = ~std::uint64_t{0}; }},
    {"run.scalar", "double", "float", [](RunSettings& s) { s.run.scalar = ScalarKind::float64; }},
    {"run.evaluate_every", "20", "10", [](RunSettings& s) { s.run.evaluate_every = 20; }},
    {"run.target_loss", "0.25", "none", [](RunSettings& s) { s.run.target_loss = 0.25; }},
    {"model.kind", "mlp(64)", "softmax", [](RunSettings& s) { s.model.kind = "mlp(64)"; }},
    {"model.l1", "0.001", "0", [](RunSettings& s) { s.model.l1 = 0.001; }},
    {"model.l2", "1e-10", "0", [](RunSettings& s) { s.model.l2 = 1e-10; }},
    {"model.regularizer", "non-negative", "none",
     [](RunSettings& s) { s.model.regularizer = "non-negative"; }},
    {"model.init", "a file", "zeros", [](RunSettings& s) { s.model.init = "warm/start.npy"; }},
    {"data.partition", "by-label", "iid", [](RunSettings& s) { s.data.partition = "by-label"; }},
    {"topology.peers", "4", "8", [](RunSettings& s) { s.topology.peers = 4; }},
    {"topology.schedule", "one-peer-exponential", "static",
     [](RunSettings& s) { s.topology.schedule = "one-peer-exponential"; }},
    {"topology.participation", "0.5", "1", [](RunSettings& s) { s.topology.participation = 0.5; }},
};

}  // namespace

TEST_CASE("handshake: peers of one run agree, and their agreement survives the wire") {
  const Agreement mine = agreement_of({});
  CHECK(disagreement(mine, agreement_of({}), "peer 3", "peer 4") == std::nullopt);
  const auto decoded = decode_agreement(encode_agreement(mine));
  REQUIRE(decoded);
  CHECK(*decoded == mine);
  CHECK(run_id(*decoded) == run_id(mine));
}

TEST_CASE("handshake: every setting that differs is named with both values, and changes the run id") {
  const Agreement mine = agreement_of({});
  for (const Difference& difference : differences) {
    RunSettings settings;
    difference.change(settings);
    const Agreement theirs = agreement_of(settings);
    CHECK(disagreement(mine, theirs, "peer 3", "peer 4") == "peer 3 runs with " + difference.key + " = " +
                                                                difference.theirs + ", peer 4 with " +
                                                                difference.mine);
    CHECK(run_id(theirs) != run_id(mine));
  }
}

TEST_CASE("handshake: every option of a method that differs is named with both values") {
  for (const OptionRow* const row : option_rows()) {
    RunSettings settings;
    settings.algorithm.kind = std::ranges::find_if(methods(), [&](const MethodInfo& method) {
                                return method.options.has(*row);
                              })->name;
    const Agreement mine = agreement_of(settings);
    if (std::holds_alternative<OptionRow::Number>(row->values))
      settings.algorithm.options.put({*row, OptionValue(0.25)});
    else if (std::holds_alternative<OptionRow::Count>(row->values))
      settings.algorithm.options.put({*row, OptionValue(std::uint64_t{25})});
    else
      settings.algorithm.options.put({*row, OptionValue("so")});
    const bool was_form =
        row == &option::order || row->name == "signs" || row->name == "memories" || row->name == "mixes";
    const std::string key = was_form ? "form" : row->name;
    const std::string sentence = disagreement(mine, agreement_of(settings), "peer 3", "peer 4").value_or("");
    if (row == &option::reduce) {  // which has a remedy of its own, below
      CHECK(sentence.starts_with("peer 3 runs with algorithm.reduce = so, peer 4 with unset; "));
      continue;
    }
    const std::string remedy =
        was_form                 ? "; that is algorithm.order, signs, memories or mixes of the run file"
        : row == &option::memory ? "; expected the same; where it is unset, it is \"replicas\""
                                 : "";
    CHECK(sentence == "peer 3 runs with algorithm." + key + " = " + settings.algorithm.options.text(*row) +
                          ", peer 4 with unset" + remedy);
  }
}

TEST_CASE("handshake: an option that protocol 7 does not list is agreed on by its own method alone") {
  const CountOption later("later", {0}, "");
  MethodInfo method = find_method("gas-loc");
  const std::vector<AgreedSetting> before = agreed_options(method.options, method);
  CHECK(std::ranges::find(before, AgreedSetting{"algorithm.form", "mixed"}) != before.end());
  method.options.set(later, 3);
  const std::vector<AgreedSetting> with = agreed_options(method.options, method);
  REQUIRE(with.size() == before.size() + 1);
  CHECK(with.back() == AgreedSetting{"algorithm.later", "3"});
  CHECK(agreed_options({}, method).back() == AgreedSetting{"algorithm.later", "unset"});
}

TEST_CASE(
    "handshake: dcd and ecd, which had no choice of memory, agree with older versions unless one sums up") {
  for (const char* name : {"dcd-psgd", "ecd-psgd"}) {
    const MethodInfo& method = find_method(name);
    MethodOptions options = method.options;
    const auto agrees_on = [&](const char* memory) {
      const auto agreed = agreed_options(options, method);
      return std::ranges::find(agreed, AgreedSetting{"algorithm.memory", memory}) != agreed.end();
    };
    CHECK(agrees_on("unset"));
    options.set(option::memory, "aggregate");
    CHECK(agrees_on("aggregate"));
  }
  const MethodInfo& choco = find_method("choco-sgd");
  const auto agreed = agreed_options(choco.options, choco);
  CHECK(std::ranges::find(agreed, AgreedSetting{"algorithm.memory", "replicas"}) != agreed.end());
}

TEST_CASE("handshake: another model size, other data and another topology are named") {
  const Agreement mine = agreement_of({});
  CHECK(disagreement(mine, make_agreement({}, of(7, 0xda7a), 0x7090), "peer 0", "peer 4") ==
        "peer 0 runs with model dimension = 7, peer 4 with 50100");
  CHECK(disagreement(mine, make_agreement({}, of(50'100, ~std::uint64_t{0}), 0x7090), "peer 0", "peer 4") ==
        "peer 0 runs with data (digest of samples and labels) = ffffffffffffffff, peer 4 with "
        "000000000000da7a");
  CHECK(disagreement(mine, make_agreement({}, of(50'100, 0xda7a), 0x123456789abcdef0), "peer 0", "peer 4") ==
        "peer 0 runs with topology (digest of links and weights) = 123456789abcdef0, peer 4 with "
        "0000000000007090");
  CHECK(disagreement(mine, make_agreement({}, {50'100, 7, 0xda7a}, 0x7090), "peer 0", "peer 4") ==
        "peer 0 runs with model (digest of the initial parameters and layers) = 0000000000000007, peer 4 "
        "with 0000000000030de1; expected the same model, made from the same seed");
  CHECK(disagreement(mine, make_agreement({}, {50'100, 0x30de1, {}}, 0x7090), "peer 0", "peer 4") ==
        "peer 0 runs with data (digest of samples and labels) = at home, peer 4 with 000000000000da7a");
}

TEST_CASE(
    "handshake: two ways of an all-reduce, which hosts with other networks may have chosen, have a remedy") {
  const auto by = [](const char* way) {
    RunSettings settings;
    settings.algorithm.kind = "allreduce-sgd";
    settings.algorithm.options.set(option::reduce, way);
    return agreement_of(settings);
  };
  CHECK(
      disagreement(by("ring"), by("doubling"), "peer 0", "peer 4") ==
      "peer 0 runs with algorithm.reduce = doubling, peer 4 with ring; \"auto\" chooses by the [network] of "
      "each host: expected an equal one, or algorithm.reduce = \"ring\" or \"doubling\" on all of them");
}

TEST_CASE("handshake: no setting of the agreement is left untested above") {
  // The five settings that `differences` does not list: protocol, model dimension, digests of model, data and
  // topology.
  CHECK(agreement_of({}).settings.size() ==
        differences.size() + agreed_options({}, find_method("dcd-psgd")).size() + 5);
}

TEST_CASE("handshake: what data at home weigh, and who judges, have to agree, and say nothing otherwise") {
  const Agreement mine = agreement_of({});
  RunSettings settings;
  settings.data.samples = 90;
  CHECK(disagreement(mine, agreement_of(settings), "peer 3", "peer 4") ==
        "peer 3 runs with data.samples = 90, peer 4 with none");
  settings.data.samples.reset();
  settings.run.evaluate = RunSettings::Run::Evaluate::own;
  CHECK(disagreement(mine, agreement_of(settings), "peer 3", "peer 4") ==
        "peer 3 runs with run.evaluate = own, peer 4 with mean or peers");
}

TEST_CASE(
    "handshake: what peers say of their own data is compared where both say it, and is no part of the run "
    "id") {
  const Agreement silent = agreement_of({});
  const auto saying = [&](std::vector<AgreedSetting> statements) {
    return Agreement{silent.settings, std::move(statements)};
  };
  const Agreement mine = saying({{"feature 1 of data.source", "a"}, {"labels of data.source", "0 1"}});
  CHECK(run_id(mine) == run_id(silent));
  CHECK(decode_agreement(encode_agreement(mine)) == mine);
  CHECK(disagreement(mine, silent, "peer 3", "peer 4") == std::nullopt);
  CHECK(disagreement(silent, mine, "peer 3", "peer 4") == std::nullopt);
  CHECK(disagreement(mine, saying({{"labels of data.source", "0 1"}}), "peer 3", "peer 4") == std::nullopt);
  CHECK(disagreement(mine, saying({{"labels of data.source", "2 3"}}), "peer 3", "peer 4") ==
        "peer 3 runs with labels of data.source = 2 3, peer 4 with 0 1; data.classes = N says that they are "
        "0 to N - 1");
  const std::vector<std::byte> hello = encode_agreement(saying({{"feature 1 of data.source", ""}}));
  CHECK(judge_hello(mine, 1, hello, 2, true).for_me ==
        "peer 2 runs with feature 1 of data.source = \"\", peer 1 with a; expected the same names in the "
        "headers of all peers' files, and the features in the same order");
}

TEST_CASE("handshake: the share of dealt samples that is held out has to agree, and changes the run id") {
  const auto with_test = [](const std::string& test) {
    RunSettings settings;
    settings.data.test = test;
    return agreement_of(settings);
  };
  const Agreement none = with_test(""), fifth = with_test("20%");
  CHECK(disagreement(none, fifth, "peer 3", "peer 4") ==
        "peer 3 runs with data.test = 20%, peer 4 with no share of the samples");
  CHECK(disagreement(fifth, with_test("21%"), "peer 3", "peer 4") ==
        "peer 3 runs with data.test = 21%, peer 4 with 20%");
  CHECK(run_id(none) != run_id(fifth));
  CHECK(hearsay::differences(fifth, none) == "data.test = 20%, now no share of the samples");
  CHECK(fifth == with_test("20.0%"));
  // Test samples in a file leave all samples of data.source to train on.
  CHECK(none == with_test("csv:a.csv"));
  CHECK(none == with_test("csv:100%.csv"));
  // Each peer may hold out what it likes of data at home.
  RunSettings at_home;
  at_home.data.test = "20%";
  const AgreedProblem problem{.dimension = 50'100, .model_digest = 7, .data_digest = {}};
  CHECK(make_agreement(at_home, problem, 7) == make_agreement({}, problem, 7));
}

TEST_CASE("handshake: another build of hearsay is refused, unless both peers permit any, and resumes a run") {
  const auto of_build = [](RunSettings::Run::Builds builds, const std::string& build) {
    RunSettings settings;
    settings.run.builds = builds;
    AgreedProblem problem = of(50'100, 0xda7a);
    problem.build = build;
    return make_agreement(settings, problem, 0x7090);
  };
  using Builds = RunSettings::Run::Builds;
  const Agreement old = of_build(Builds::same, "0.1.0"), permits_old = of_build(Builds::any, "0.1.0");
  const Agreement recent = of_build(Builds::same, "0.2.0"), permits_recent = of_build(Builds::any, "0.2.0");
  CHECK(disagreement(old, recent, "peer 3", "peer 4") ==
        "peer 3 runs with build of hearsay = 0.2.0, peer 4 with 0.1.0; expected one build on all hosts, or "
        "run.builds = \"any\" in all their run files");
  CHECK_FALSE(disagreement(permits_old, permits_recent, "peer 3", "peer 4"));
  CHECK(disagreement(permits_old, recent, "peer 3", "peer 4") ==
        "peer 3 runs with run.builds = same, peer 4 with any");
  CHECK(run_id(old) == run_id(permits_recent));
  // A peer of a version that does not state its build is no other build.
  CHECK_FALSE(disagreement(old, agreement_of({}), "peer 3", "peer 4"));
}

TEST_CASE("handshake: what becomes of a failure has to agree, and may be another when all resume the run") {
  const Agreement mine = agreement_of({});
  const auto with = [](RunSettings::Failure failure) {
    RunSettings settings;
    settings.failure = std::move(failure);
    return agreement_of(settings);
  };
  using Policy = RunSettings::Failure::Policy;
  CHECK(disagreement(mine, with({.policy = Policy::drop}), "peer 3", "peer 4") ==
        "peer 3 runs with failure.policy = drop, peer 4 with wait");
  CHECK(disagreement(mine, with({.checkpoint_every = 5}), "peer 3", "peer 4") ==
        "peer 3 runs with failure.checkpoint_every = 5, peer 4 with 0");
  CHECK(disagreement(with({.checkpoint_every = 5}), with({.checkpoint_every = 7}), "peer 3", "peer 4") ==
        "peer 3 runs with failure.checkpoint_every = 7, peer 4 with 5");
  CHECK(disagreement(with({.checkpoint_every = 5}), with({.checkpoint_period = 5s}), "peer 3", "peer 4") ==
        "peer 3 runs with failure.checkpoint_every = 5 s, peer 4 with 5");
  for (const RunSettings::Failure& failure :
       {RunSettings::Failure{.policy = Policy::drop}, {.checkpoint_every = 5}, {.lost_after = 1s}}) {
    CHECK(run_id(with(failure)) == run_id(mine));
    CHECK(hearsay::differences(mine, with(failure)).empty());
  }
}

TEST_CASE("handshake: peers expect signs of life at one pace, however long they are patient") {
  const auto with_patience = [](Duration lost_after) {
    RunSettings settings;
    settings.failure.lost_after = lost_after;
    return agreement_of(settings);
  };
  CHECK(disagreement(with_patience(10s), with_patience(24h), "peer 3", "peer 4") == std::nullopt);
  CHECK(disagreement(with_patience(1min), with_patience(500ms), "peer 3", "peer 4") ==
        "peer 3 runs with time between heartbeats (failure.lost_after / 5, 2 s at most) = 100 ms, peer 4 "
        "with 2 s");
}

TEST_CASE("handshake: clipping and early stopping have to agree, and say nothing if they are not set") {
  const Agreement mine = agreement_of({});
  RunSettings settings;
  settings.algorithm.clip = 2.5;
  CHECK(disagreement(mine, agreement_of(settings), "peer 3", "peer 4") ==
        "peer 3 runs with algorithm.clip = 2.5, peer 4 with none");
  settings.run.patience = 7;
  settings.run.min_improvement = 0.01;
  const Agreement theirs = agreement_of(settings);
  settings.run.min_improvement = 0.02;
  CHECK(disagreement(agreement_of(settings), theirs, "peer 3", "peer 4") ==
        "peer 3 runs with run.min_improvement = 0.01, peer 4 with 0.02");
  settings.run.patience = 8;
  CHECK(disagreement(agreement_of(settings), theirs, "peer 3", "peer 4") ==
        "peer 3 runs with run.patience = 7, peer 4 with 8");
  settings.algorithm.clip = 3.0;
  CHECK(disagreement(agreement_of(settings), theirs, "peer 3", "peer 4") ==
        "peer 3 runs with algorithm.clip = 2.5, peer 4 with 3");
}

TEST_CASE("handshake: peers may differ in paths, length of the run, network and output") {
  RunSettings other;
  other.run.name = "elsewhere";
  other.run.iterations = 7;
  other.run.epochs = 3.5;
  other.run.output = "/somewhere/else";
  other.data.source = "libsvm:/mnt/a9a";
  other.data.test = "libsvm:/mnt/a9a.t";
  other.topology.file = "/etc/cluster.toml";
  other.topology.kind = "torus(2x4)";
  other.security = {"/etc/cluster.keys", "/home/a/a.key"};
  other.algorithm.allow_unsound = true;
  other.network.latency = 5ms;
  other.peer_networks[1].message_loss = 0.1;
  other.framing = Framing::ethernet;
  other.evaluations = EvaluationFrames::shaped;
  CHECK(agreement_of(other) == agreement_of({}));
  RunSettings one, two;
  one.model.init = "/home/a/start.npy";
  two.model.init = "b.npy";
  CHECK(agreement_of(one) == agreement_of(two));
}

TEST_CASE(
    "handshake: of optional keys the same is compared with the same, and both peers name the same key") {
  RunSettings one, other;
  one.data.samples = 60;
  other.data.order = RunSettings::Data::Order::shuffled;
  other.run.patience = 3;
  const Agreement first = agreement_of(one), second = agreement_of(other);
  CHECK(disagreement(first, second, "peer 3", "peer 4") ==
        "peer 3 runs with data.samples = none, peer 4 with 60");
  CHECK(disagreement(second, first, "peer 4", "peer 3") ==
        "peer 4 runs with data.samples = 60, peer 3 with none");
  other.run.patience.reset();
  one.data.samples.reset();
  one.topology.hub = HubData::none;
  other.algorithm.clip = 0.5;
  CHECK(disagreement(agreement_of(one), agreement_of(other), "peer 3", "peer 4") ==
        "peer 3 runs with algorithm.clip = 0.5, peer 4 with none");
  other.algorithm.clip.reset();
  CHECK(disagreement(agreement_of(one), agreement_of(other), "peer 3", "peer 4") ==
        "peer 3 runs with data.order = shuffled, peer 4 with with-replacement");
  CHECK(hearsay::differences(agreement_of(one), agreement_of(other)) ==
        "topology.hub = dedicated, now worker, and data.order = with-replacement, now shuffled");
}

TEST_CASE("handshake: the first difference is the one named, and agreements of other shapes differ too") {
  const Agreement mine{{{"a", "1"}, {"b", "2"}}};
  using Settings = std::vector<AgreedSetting>;
  const auto against = [&](Settings theirs) {
    return disagreement(mine, Agreement{std::move(theirs)}, "peer 9", "peer 4");
  };
  CHECK(against({{"a", "3"}, {"b", "4"}}) == "peer 9 runs with a = 3, peer 4 with 1");
  CHECK(against({{"a", ""}, {"b", "2"}}) == "peer 9 runs with a = \"\", peer 4 with 1");
  CHECK(against({}) == "peer 9 runs with a = none, peer 4 with 1");
  CHECK(against({{"a", "1"}}) == "peer 9 runs with b = none, peer 4 with 2");
  CHECK(against({{"a", "1"}, {"b", "2"}, {"c", "3"}}) == "peer 9 runs with c = 3, peer 4 with none");
  CHECK(against({{"a", "1"}, {"z", "2"}}) == "peer 9 runs with b = none, peer 4 with 2");
  CHECK(against({{"z", "1"}, {"b", "3"}, {"a", "1"}}) == "peer 9 runs with z = 1, peer 4 with none");
  const std::string of_versions =
      "peer 9 states the same settings as peer 4 in another form; expected the same version of hearsay";
  CHECK(against({{"b", "2"}, {"a", "1"}}) == of_versions);
  CHECK(against({{"a", "1"}, {"b", "2"}, {"b", "2"}}) == of_versions);
  CHECK(against({{"a", "1"}, {"b", "2"}, {"data.order", "with-replacement"}}) == of_versions);
}

TEST_CASE("handshake: a setting that no handshake could carry is refused at the door") {
  RunSettings settings;
  settings.model.kind = std::string(max_agreed_text + 1, 'm');
  CHECK_THROWS_AS(agreement_of(settings), Misuse);
  settings.model.kind = "mlp(64)\n";
  CHECK_THROWS_AS(agreement_of(settings), Misuse);
}

TEST_CASE("handshake: whoever calls is answered, a stranger and a shred of a hello, too") {
  const Agreement mine{.settings = agreement_of(RunSettings{}).settings};
  const std::vector<std::byte> hello = encode_agreement(mine);
  CHECK(judge_hello(mine, 1, hello, 2, true).welcome());
  CHECK(judge_hello(mine, 1, hello, 2, false).for_the_caller == "peer 1 does not listen to peer 2");
  CHECK(judge_hello(mine, 1, hello, 2, false).for_me.empty());
  for (std::size_t length = 0; length < hello.size(); ++length) {
    const HelloVerdict verdict = judge_hello(mine, 1, std::span(hello).first(length), 2, true);
    CHECK(verdict.for_the_caller == "peer 1 cannot read the hello of peer 2");
    CHECK(verdict.for_me == "peer 2 sent an unreadable hello");
  }
  RunSettings other;
  other.algorithm.kind = "d-psgd";
  const HelloVerdict verdict = judge_hello(mine, 1, encode_agreement(agreement_of(other)), 2, true);
  CHECK(verdict.for_the_caller == "peer 1 runs with algorithm.kind = dcd-psgd, peer 2 with d-psgd");
  CHECK(verdict.for_me == "peer 2 runs with algorithm.kind = d-psgd, peer 1 with dcd-psgd");
}

}  // namespace hearsay::handshake_test
