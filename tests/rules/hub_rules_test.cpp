#include "runtime/rules/hub_rules.hpp"

#include <doctest/doctest.h>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "runtime/experiment/run_agreement.hpp"
#include "tests/support/experiments.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::hub_rules_test {

namespace {

const std::string small =
    "data.source = \"synthetic(samples=96, features=12, classes=3)\"\nrun.iterations = 4\n";

Experiment<double> prepared(const std::string& more) { return experiment_from<double>(small + more); }
std::string refusal(const std::string& more) {
  return misuse_text([&] { prepared(more); });
}
std::vector<std::string> warnings(const std::string& more) { return prepared(more).warnings; }

}  // namespace

TEST_CASE("hub: without a word on the topology a method with a hub runs on a star, the others on a ring") {
  CHECK(prepared("topology.peers = 4\nalgorithm.kind = \"fed-avg\"\n").settings.topology.kind == "star");
  CHECK(prepared("topology.peers = 4\nalgorithm.kind = \"d-psgd\"\n").settings.topology.kind == "ring");
}

TEST_CASE(
    "hub: another graph than a star around peer 0, and rounds that change, are refused with the remedy") {
  const std::string fed_avg = "algorithm.kind = \"fed-avg\"\n";
  CHECK(refusal("topology = { kind = \"ring\", peers = 4 }\n" + fed_avg) ==
        "topology.kind = ring: fed-avg has a hub, peer 0, that every other peer is linked with, itself or "
        "through one other; expected \"star\", a tree of two levels (\"hub-tree(2)\"), or a method without a "
        "hub, such as "
        "choco-sgd");
  CHECK(contains(refusal("topology = { kind = \"complete\", peers = 4 }\n" + fed_avg), "expected \"star\""));
  CHECK(refusal("topology = { peers = 4, schedule = \"random-matchings\" }\n" + fed_avg) ==
        "topology.schedule = random-matchings: fed-avg has a hub, which every worker of a round talks to; "
        "expected "
        "\"static\"");
  CHECK(refusal("topology = { peers = 4, participation = 0.1 }\n" + fed_avg) ==
        "topology.participation = 0.1: that is less than one of 4 workers; expected at least 0.5 / 4");
  CHECK(contains(refusal("topology = { peers = 4, participation = 0.5 }\nalgorithm.kind = \"cd-adam\"\n"),
                 "cd-adam needs all workers in every round; expected 1, or one of fed-avg"));
}

TEST_CASE("hub: a file of a star whose middle is not the first peer is refused, and says which peer it is") {
  const TemporaryFolder folder("hearsay_hub");
  folder.write("star.dot", "graph { server -- a; server -- b; server -- c; }");
  folder.write(
      "star.toml",
      "[[peer]]\nname = \"w[1-3]\"\n[[peer]]\nname = \"hub\"\n[[link]]\nfrom = \"hub\"\nto = \"w*\"\n");
  const auto of_file = [&](const std::string& name) {
    return refusal("topology.file = \"" + (folder.path() / name).string() + "\"\nalgorithm.kind = \"lgc\"\n");
  };
  CHECK(contains(of_file("star.dot"),
                 "expected links from the first peer by name to all others, not from peer 3, "));
  CHECK(contains(of_file("star.toml"), "links from the first peer to all others, not from peer 3, "));
  // For a method that permits a tree it is one: peer 3 stands between the hub and all others.
  CHECK(refusal("topology.file = \"" + (folder.path() / "star.toml").string() +
                "\"\nalgorithm.kind = \"fed-avg\"\n")
            .empty());
  CHECK(contains(warnings("topology.file = \"" + (folder.path() / "star.toml").string() +
                          "\"\nalgorithm.kind = \"fed-avg\"\n")
                     .front(),
                 "peer 3 stands between the hub, peer 0, and all others"));
}

TEST_CASE("hub: a hub that cannot be dedicated is refused") {
  CHECK(contains(
      refusal("topology = { hub = \"dedicated\" }\nalgorithm.kind = \"d-psgd\"\n"),
      "topology.hub = \"dedicated\": d-psgd has no hub; leave it out (those that have one: fed-avg,"));
  CHECK(contains(refusal("topology = { hub = \"dedicated\", peers = 1 }\nalgorithm.kind = \"fed-avg\"\n"),
                 "there are no workers"));
  CHECK(contains(refusal("topology = { hub = \"dedicated\" }\nrun.evaluate = \"own\"\n"
                         "algorithm.kind = \"fed-avg\"\n"),
                 "the hub has none"));
  CHECK(contains(refusal("topology = { hub = \"dedicated\" }\ndata.partition = \"home\"\n"
                         "algorithm.kind = \"fed-avg\"\n"),
                 "expected \"worker\", or a program as the model"));
}

TEST_CASE("hub: peers of which one takes the hub for a worker, and one for dedicated, refuse each other") {
  const std::string fed_avg = "topology.peers = 4\nalgorithm.kind = \"fed-avg\"\n";
  const Agreement worker = agreement_of(prepared(fed_avg));
  const Agreement dedicated = agreement_of(prepared(fed_avg + "topology.hub = \"dedicated\"\n"));
  CHECK(disagreement(worker, dedicated, "peer 3", "peer 1") ==
        "peer 3 runs with topology.hub = dedicated, peer 1 with worker");
}

TEST_CASE("agreement: a handshake has room for all settings that a run can have, and for more to come") {
  const Agreement all = agreement_of(prepared(
      "topology.peers = 4\nalgorithm = { kind = \"d-psgd\", clip = 1.0 }\ndata.order = \"shuffled\"\n"
      "run.patience = 2\nrun.evaluate = \"own\"\n"));
  CHECK(all.settings.size() + 32 <= max_agreed_settings);
  CHECK(decode_agreement(encode_agreement(all)) == all);
}

TEST_CASE("hub: a compressor of the wrong class is refused in either direction, with what was expected") {
  CHECK(contains(refusal("algorithm = { kind = \"fed-avg\", compressor = \"sign\" }\n"),
                 "fed-avg's workers send full precision; expected none"));
  CHECK(contains(refusal("algorithm = { kind = \"fed-paq\", compressor = \"topk(10%)\" }\n"),
                 "fed-paq's workers need an unbiased compressor"));
  CHECK(contains(refusal("algorithm = { kind = \"artemis\", down_compressor = \"topk(10%)\" }\n"),
                 "algorithm.down_compressor = topk(10%): artemis's hub needs an unbiased compressor"));
  CHECK(contains(refusal("algorithm = { kind = \"diana\", down_compressor = \"sign\" }\n"),
                 "diana does not read it"));
  CHECK(contains(refusal("algorithm = { kind = \"ef21\", compressor = \"dither(l2, levels=1)\" }\n"),
                 "expected scale{dither(l2"));
  CHECK(contains(refusal("algorithm = { kind = \"mcm\", down_compressor = \"grid(0.01)\" }\n"),
                 "its relative variance is not bounded"));
  CHECK(contains(refusal("algorithm = { kind = \"ef21\", down_compressor = \"sign\" }\n"),
                 "ef21 does not read it"));
}

TEST_CASE("hub: what is wrong with the hub's compressor is said of its own key") {
  CHECK(refusal("algorithm = { kind = \"artemis\", down_compressor = \"bogus(3)\" }\n")
            .starts_with("algorithm.down_compressor = "));
}

TEST_CASE("hub: memories that follow too fast are refused, or a warning") {
  const std::string levels = "compressor = \"dither(linf, levels=1)\"";
  CHECK(contains(refusal("algorithm = { kind = \"artemis\", memory_step = 0.9, " + levels + " }\n"),
                 "algorithm.memory_step = 0.9: the memories follow noise"));
  CHECK(refusal("algorithm = { kind = \"artemis\", memory_step = 1.5 }\n") ==
        "algorithm.memory_step = 1.5: expected \"auto\", or a number from 0 to 1");
  CHECK(contains(refusal("algorithm = { kind = \"diana\", memory_step = \"fast\" }\n"), "expected \"auto\""));
  CHECK(contains(refusal("algorithm = { kind = \"chb\", threshold = -1 }\n"), "a number of at least 0"));
  const auto settled = prepared("algorithm = { kind = \"artemis\", " + levels + " }\n");
  const double omega =
      make_compressor<double>("dither(linf, levels=1)", settled.problem.objectives.front()->segments())
          ->traits(static_cast<std::size_t>(settled.problem.dimension()))
          .omega;
  CHECK(std::stod(settled.settings.algorithm.options[option::memory_step]) ==
        doctest::Approx(1.0 / (2.0 * (1.0 + omega))).epsilon(1e-12));
}

TEST_CASE("hub: the local steps of the workers are a number for each of them") {
  const auto steps = [](const std::string& list) {
    return "topology.peers = 3\nalgorithm = { kind = \"gen-qsgd\", worker_steps = \"" + list + "\" }\n";
  };
  CHECK(warnings(steps("1, 2, 3")).empty());
  for (const std::string list : {"1, 2", "1, 2, 3, 4", "1, 0, 3", "1, two, 3"}) {
    CAPTURE(list);
    CHECK(contains(refusal(steps(list)), "a whole number of at least 1 for each of the 3 peers with data"));
  }
  CHECK(
      refusal("algorithm = { kind = \"gen-qsgd\", worker_steps = \"2, 4\", local_steps = 3 }\n") ==
      "algorithm.local_steps = 3: algorithm.worker_steps says how many each peer takes; expected one of the "
      "two keys");
  CHECK(contains(refusal(steps("1, 2, 1000000")), "algorithm.worker_steps = 1000000: that many steps"));
}

TEST_CASE("hub: a hub without data has no place in the list of local steps, and an epoch counts without it") {
  const auto steps = [](const std::string& list) {
    return "data.source = \"synthetic(samples=96, features=12, classes=3)\"\nrun.epochs = 3\ntopology = { "
           "peers = 3, hub = \"dedicated\" }\nalgorithm = { kind = "
           "\"gen-qsgd\", "
           "batch = \"full\", worker_steps = \"" +
           list + "\" }\n";
  };
  CHECK(contains(misuse_text([&] { experiment_from<double>(steps("1, 2, 4")); }),
                 "for each of the 2 peers with data"));
  const auto experiment = experiment_from<double>(steps("2, 4"));
  CHECK(experiment.iterations == 1);  // 3 steps of a worker in the mean, each a pass
  const MethodOptions& options = experiment.settings.algorithm.options;
  CHECK(local_steps_of(options, 0, 3, 2) == 1);  // asked of nobody
  CHECK(local_steps_of(options, 1, 3, 2) == 2);
  CHECK(local_steps_of(options, 2, 3, 2) == 4);
}

TEST_CASE("hub: warnings of a run that never compresses, and of long steps of CD-Adam") {
  CHECK(contains(warnings("algorithm = { kind = \"one-bit-adam\", dense_rounds = 9 }\n").front(),
                 "fewer than 4"));
  CHECK(contains(warnings("algorithm = { kind = \"cd-adam\", step_size = 0.1 }\n").front(), "a tenth"));
  CHECK(warnings("algorithm = { kind = \"cd-adam\", step_size = 0.01 }\n").empty());
  CHECK(contains(refusal("algorithm = { kind = \"neolithic\", rounds = 1000 }\n"),
                 "algorithm.rounds = 1000: expected at most 64"));
}

TEST_CASE("hub: lgc is warned of a rank that is more than the gradients that its basis is learned from") {
  const std::string compressing = "algorithm = { kind = \"lgc\", dense_rounds = 2, rank = ";
  CHECK(contains(warnings(compressing + "1000 }\n").front(), "algorithm.rank = 1000: the basis has "));
  CHECK(warnings(compressing + "8 }\n").empty());
}

TEST_CASE("hub: chb is warned of minibatches, whose noise it would send") {
  CHECK(contains(warnings("algorithm = { kind = \"chb\", batch = 4 }\n").front(), "full"));
  CHECK(warnings("algorithm = { kind = \"chb\", batch = \"full\" }\n").empty());
}

}  // namespace hearsay::hub_rules_test
