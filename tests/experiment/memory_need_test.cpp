#include "runtime/experiment/memory_need.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <sstream>
#include <string>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "runtime/foundation/machine.hpp"
#include "runtime/foundation/peak_memory.hpp"
#include "runtime/settings/run_settings_file.hpp"
#include "tests/support/data_files.hpp"
#include "tests/support/misuse_text.hpp"

namespace hearsay::test::memory_need_test {

namespace {

RunSettings run_of(const std::string& method, const std::string& topology, std::uint64_t dimension) {
  return parse_run("model.kind = \"quadratic(" + std::to_string(dimension) + ")\"\n" +
                   "algorithm.batch = \"full\"\nalgorithm.kind = \"" + method + "\"\n" + topology);
}

/// Returns the number that stands before these words.
std::uint64_t number_before(const std::string& text, const std::string& words) {
  const std::size_t end = text.find(words);
  if (end == text.npos) return 0;
  return std::stoull(text.substr(text.rfind(' ', end - 1) + 1));
}

/// Returns the value of an entry of the column "memory, in d": the sum that stands after `role`, up to a
/// comma or a semicolon, without what is in parentheses.
double value_of(std::string text, const std::string& role, const std::map<std::string, double>& symbols) {
  while (text.find('(') != text.npos) text.erase(text.find('('), text.find(')') - text.find('(') + 1);
  text = text.substr(text.find(role) + role.size());
  std::istringstream words(text.substr(0, text.find_first_of(",;")));
  double sum = 0.0, product = 1.0;
  for (std::string word; words >> word;) {
    if (word == "+") {
      sum += product;
      product = 1.0;
    } else {
      product *= symbols.contains(word) ? symbols.at(word) : std::stod(word);
    }
  }
  return sum + product;
}

/// Returns how many peers fit, as the sentence says; 0 if it does not.
std::uint64_t fitting_peers(const std::string& refusal) {
  const std::size_t begin = refusal.find("expected at most ");
  return begin == refusal.npos ? 0 : number_before(refusal.substr(begin), " peers");
}

}  // namespace

TEST_CASE(
    "memory: in one process peers share what they pass on, so one of 512 takes no more than one of 64") {
  const auto of_a_peer = [](const std::string& method, std::uint64_t peers) {
    const auto experiment = prepare<float>(
        run_of(method, "topology = { kind = \"ring\", peers = " + std::to_string(peers) + " }", 10'000));
    const HeldPeers simulated = held_peers(experiment.topology, {});
    REQUIRE_FALSE(simulated.in_processes);
    return memory_of_peers(experiment, simulated) / static_cast<double>(peers);
  };
  for (const std::string method : {"demo", "sparse-loco", "qsgd-allreduce", "allreduce-sgd", "powersgd"}) {
    CAPTURE(method);
    CHECK(of_a_peer(method, 512) <= of_a_peer(method, 64));
  }
}

TEST_CASE("memory: that of a method is its row of the table, that of messages what may be under way") {
  const auto ring = prepare<float>(run_of("d-psgd", "topology = { kind = \"ring\", peers = 5 }", 100));
  const PeerMemory of_ring = memory_of_peer(ring, 3);
  CHECK(of_ring.method == 2.0);
  CHECK(of_ring.objective == 2.0);
  CHECK(of_ring.sent == 2.0);
  CHECK(of_ring.received == 4.0);
  CHECK(of_ring.initial == 0.0);  // all zero
  CHECK(of_ring.total() == 12.0);
  const auto judges_own = prepare<float>(
      run_of("d-psgd", "run.evaluate = \"own\"\ntopology = { kind = \"ring\", peers = 5 }", 100));
  CHECK(memory_of_peer(judges_own, 3).total() == 10.0);  // no model is told
  const auto stale = prepare<float>(run_of(
      "d-psgd",
      "algorithm.staleness = 1\nalgorithm.consensus_step = 0.5\ntopology = { kind = \"ring\", peers = 5 }",
      100));
  CHECK(memory_of_peer(stale, 3).sent == 4.0);
  CHECK(memory_of_peer(stale, 3).received == 8.0);
  const auto choco = prepare<float>(run_of("choco-sgd", "topology = { kind = \"ring\", peers = 5 }", 100));
  CHECK(memory_of_peer(choco, 3).method == 6.0);  // deg + 4
  // 2 (n - 1) messages of d / n
  const auto all = prepare<float>(run_of("allreduce-sgd", "topology = { kind = \"ring\", peers = 4 }", 100));
  CHECK(memory_of_peer(all, 3).sent == doctest::Approx(3.0));
  CHECK(memory_of_peer(all, 3).received == doctest::Approx(0.5));
  const auto hub = prepare<float>(run_of("fed-avg", "topology = { kind = \"star\", peers = 5 }", 100));
  CHECK(memory_of_peer(hub, 0).method == 5.0);
  CHECK(memory_of_peer(hub, 3).method == 4.0);
}

TEST_CASE("memory: the row of every method in the table is what its vectors and its gradient take") {
  constexpr PeerId peers = 5;
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const bool has_hub = method.pattern.has_hub;
    const std::string kind = has_hub ? "star" : "ring";
    const auto experiment = prepare<float>(run_of(
        method.name, "topology = { kind = \"" + kind + "\", peers = " + std::to_string(peers) + " }", 4096));
    const MethodOptions& options = experiment.settings.algorithm.options;
    for (const PeerId id : {0u, 3u}) {
      CAPTURE(id);
      const std::string role = !has_hub ? "" : id == 0 ? "hub " : "worker ";
      double stated =
          value_of(method.manual.memory, role,
                   {{"deg", 2},
                    {"n", peers},
                    {"rank", options.find(option::rank).value_or(0)},
                    {"1/F", 1.0 / static_cast<double>(options.find(option::fragments).value_or(1))}});
      if (options.has(option::dense_rounds) && options.has(option::rank) && id == 0)
        stated += 4 * peers;  // the gradients of the dense rounds, until the basis is learned
      const PeerMemory memory = memory_of_peer(experiment, id);
      CHECK(memory.method == doctest::Approx(stated).epsilon(0.001));
    }
  }
}

TEST_CASE("memory: a peer that keeps the sum of its replicas needs the same vectors beside any neighbors") {
  const std::map<std::string, double> boxes = {{"dcd-psgd", 5.0}, {"ecd-psgd", 8.0}, {"choco-sgd", 6.0}};
  for (const MethodInfo& method : methods()) {
    if (!method.options.has(option::memory)) continue;
    CAPTURE(method.name);
    for (const char* graph : {"ring", "complete"}) {
      RunSettings settings =
          run_of(method.name, std::string("topology = { kind = \"") + graph + "\", peers = 9 }", 4096);
      settings.algorithm.options.set(option::memory, "aggregate");
      CHECK(memory_of_peer(prepare<float>(settings), 3).method == boxes.at(method.name));
    }
  }
}

TEST_CASE("memory: the observer holds two models, and all of them where they come whole or are kept") {
  const auto of_observer = [](const std::string& more, bool on_hosts) {
    RunSettings settings = run_of("d-psgd", "topology = { kind = \"ring\", peers = 5 }\n" + more, 100);
    Experiment<float> experiment = prepare<float>(settings);
    if (on_hosts)
      for (PeerId id = 0; id < 5; ++id)
        experiment.topology.peers[id].address = "tcp://10.0.0." + std::to_string(1 + id) + ":7000";
    const ProcessBytes bytes = process_bytes(experiment);
    CHECK(bytes.on_hosts == on_hosts);
    return bytes.observer / 400.0 - 2.0;  // in models, without what the objective takes
  };
  for (const bool on_hosts : {false, true}) {
    CHECK(of_observer("", on_hosts) == 2.0);
    CHECK(of_observer("run.keep = \"best\"", on_hosts) == 3.0);
    CHECK(of_observer("run.keep_models = \"every 10, peers\"", on_hosts) == 12.0);
    CHECK(of_observer("network.evaluations = \"shaped\"", on_hosts) == (on_hosts ? 6.0 : 2.0));
  }
}

TEST_CASE("memory: long messages that come take the storage of those that were sent") {
  const auto d = 2'000'000;  // 8 MB
  const std::string whole = "failure.policy = \"drop\"\n";
  const PeerMemory of_pair =
      memory_of_peer(prepare<float>(run_of("d-psgd", whole + "topology.peers = 2", d)), 0);
  CHECK(of_pair.is_storage_shared);
  CHECK(of_pair.messages() == 2.0);
  CHECK(of_pair.total() == 2.0 + 2.0 + 2.0 + 2.0);  // method, objective, messages, two evaluations
  const PeerMemory of_ring =
      memory_of_peer(prepare<float>(run_of("d-psgd", whole + "topology.peers = 4", d)), 0);
  CHECK(of_ring.messages() == 4.0);
}

TEST_CASE("memory: of long messages that are mixed piece by piece six pieces of each neighbor count") {
  const auto d = 12'000'000;  // 48 MB, and a piece has 4 MiB
  const double pieces = 6.0 * 4194304.0 / 48e6;
  for (const std::string method : {"d-psgd", "extra"})
    for (const double neighbors : {1.0, 2.0}) {
      const std::string peers = std::to_string(static_cast<int>(neighbors) + 1);
      const PeerMemory memory = memory_of_peer(
          prepare<float>(run_of(method, "topology = { kind = \"complete\", peers = " + peers + " }", d)), 0);
      CHECK(memory.mixes_pieces);
      CHECK(memory.messages() == doctest::Approx(2.0 + neighbors * pieces));
    }
}

TEST_CASE("memory: what methods keep of their neighbors counts, and the sentence says how many peers fit") {
  // The objectives and models of 200 peers are a fifth of this machine's memory, their replicas twenty times
  // it.
  const std::uint64_t dimension = machine_memory() / 16000;
  const RunSettings run = run_of("choco-sgd", "topology = { kind = \"complete\", peers = 200 }", dimension);
  const std::string refusal = misuse_text([&] { prepare<float>(run); });
  CHECK(refusal.starts_with("topology.peers = 200: with " + std::to_string(dimension) +
                            " parameters the 200 peers need "));
  CHECK(contains(refusal, "; expected at most "));
  CHECK(refusal.ends_with(" parameters, or hearsay simulate with model.kind = \"size(" +
                          std::to_string(dimension) +
                          ")\", which tells times and bytes without that memory"));
  // As many parameters as it says fit.
  CHECK(number_before(refusal, " parameters, or") < dimension / 10);
}

TEST_CASE("memory: as many peers fit as the sentence says, also where links grow with the peers") {
  struct Run {
    std::string method;
    std::string kind;
    std::uint64_t peers;
    std::uint64_t next;  // of the family, after a number that fits: that plus this, or twice it if 0
  };
  for (const Run& run :
       {Run{"choco-sgd", "complete", 60, 1}, Run{"d-psgd", "complete", 60, 1},
        Run{"choco-sgd", "ring", 60, 1}, Run{"choco-sgd", "exponential", 60, 1},
        Run{"choco-sgd", "star", 60, 1}, Run{"fed-avg", "star", 60, 1}, Run{"choco-sgd", "hypercube", 64, 0},
        Run{"choco-sgd", "random-regular(3)", 60, 2}, Run{"allreduce-sgd", "ring", 60, 1}}) {
    CAPTURE(run.method);
    CAPTURE(run.kind);
    const auto topology = [&](std::uint64_t peers) {
      return "topology = { kind = \"" + run.kind + "\", peers = " + std::to_string(peers) + " }";
    };
    // Prepared with a small model, since so many peers are refused with a large one, which two may have.
    const auto bytes_with = [&](std::uint64_t peers, std::uint64_t dimension) {
      auto experiment = prepare<float>(run_of(run.method, topology(peers), 1024));
      auto large = prepare<float>(run_of("d-psgd", "topology.peers = 2", dimension), {.draws_later = true});
      experiment.settings.model = large.settings.model;
      experiment.problem = std::move(large.problem);
      return memory_of_peers(experiment, held_peers(experiment.topology, {.draws_later = true}));
    };
    const auto memory = static_cast<double>(machine_memory());
    // Two and a half times as much as there is.
    const auto dimension = static_cast<std::uint64_t>(2.5e6 * memory / bytes_with(run.peers, 1'000'000));
    const std::string refusal = misuse_text(
        [&] { prepare<float>(run_of(run.method, topology(run.peers), dimension), {.draws_later = true}); });
    const std::uint64_t fitting = number_before(refusal, " peers, at most");
    CAPTURE(refusal);
    CHECK(bytes_with(fitting, dimension) <= memory);
    CHECK(bytes_with(run.next == 0 ? 2 * fitting : fitting + run.next, dimension) > memory);
  }
}

TEST_CASE(
    "memory: of millions of peers too many are refused before anything is taken, and as many fit as said") {
  // Their vectors alone would fit; with what else a simulated peer takes they do not.
  const std::uint64_t peers = machine_memory() / 4000;
  const auto ring_of = [](std::uint64_t count) {
    return run_of("d-psgd", "topology = { kind = \"ring\", peers = " + std::to_string(count) + " }", 100);
  };
  const std::uint64_t before = peak_memory_bytes();
  const std::string refusal = misuse_text([&] { prepare<float>(ring_of(peers)); });
  CHECK(refusal.starts_with("topology.peers = " + std::to_string(peers) + ": with 100 parameters the " +
                            std::to_string(peers) + " peers need "));
  CHECK(peak_memory_bytes() < before + 50'000'000);
  const std::uint64_t fitting = fitting_peers(refusal);
  CHECK(fitting > peers / 3);
  CHECK(fitting < peers);
}

TEST_CASE("memory: too many peers are refused before anything is taken, also without topology.kind") {
  const std::uint64_t peers = machine_memory() / 4000;
  for (const std::string method : {"d-psgd", "fed-avg"}) {
    CAPTURE(method);
    const std::uint64_t before = peak_memory_bytes();
    const std::string refusal = misuse_text(
        [&] { prepare<float>(run_of(method, "topology.peers = " + std::to_string(peers), 100)); });
    CHECK(refusal.starts_with("topology.peers = " + std::to_string(peers) + ": with 100 parameters the " +
                              std::to_string(peers) + " peers need "));
    CHECK(peak_memory_bytes() < before + 50'000'000);
  }
}

TEST_CASE("memory: to judge many peers no objective is drawn") {
  const std::uint64_t before = peak_memory_bytes();
  const std::string refusal =
      misuse_text([&] { prepare<float>(run_of("d-psgd", "topology.peers = 100000", 1'000'000)); });
  CHECK(refusal.starts_with("topology.peers = 100000: with 1000000 parameters the 100000 peers need "));
  CHECK(peak_memory_bytes() < before + 100'000'000);  // those of 64 peers are 512 MB
}

/// What is said of millions of peers, for which nothing has been taken.
std::string refusal_of_many(const RunSettings& run, const Home& home = {}) {
  const std::uint64_t before = peak_memory_bytes();
  const std::string refusal = misuse_text([&] { prepare<float>(run, home); });
  CHECK(peak_memory_bytes() < before + 100'000'000);
  return refusal;
}

TEST_CASE("memory: of millions of peers each family says what it can have") {
  const std::uint64_t side = 1 + static_cast<std::uint64_t>(std::sqrt(machine_memory() / 4000));
  const auto of = [](const std::string& kind, std::uint64_t peers, int dimension = 100) {
    return refusal_of_many(
        run_of("d-psgd", "topology = { kind = \"" + kind + "\", peers = " + std::to_string(peers) + " }",
               dimension));
  };
  const std::string size = std::to_string(side) + "x" + std::to_string(side);
  for (const std::string kind : {"torus", "grid"}) {
    const std::string refusal = of(kind + "(" + size + ")", side * side);
    CHECK_MESSAGE(contains(refusal, " peers need "), refusal);
    CHECK_MESSAGE(fitting_peers(refusal) > side * side / 3, refusal);
  }
  CHECK(contains(of("complete", 6'000'000), " links, and a graph may have 60 million; expected fewer peers"));
  CHECK(contains(of("hypercube", 1'000'000), "a hypercube needs a power of two"));
  // Their links grow with the peers: how many fit is not known of a run with few.
  CHECK(contains(of("exponential", 1'000'000, 10'000), "; expected at most "));
  CHECK_FALSE(contains(of("exponential", 1'000'000, 10'000), " peers, at most"));
  CHECK(contains(of("erdos-renyi(0.0001)", 1'000'000, 10'000), " peers need "));
}

TEST_CASE("memory: a model of any size is no remedy for more peers than fit without one") {
  const std::uint64_t peers = machine_memory() / 2000;
  const std::string topology = "topology.peers = " + std::to_string(peers);
  const std::string refusal = refusal_of_many(run_of("d-psgd", topology, 100));
  CHECK(contains(refusal, "; expected at most "));
  CHECK_MESSAGE(refusal.ends_with(" peers"), refusal);
}

TEST_CASE("memory: who only looks at a run of millions of peers judges it as who simulates it") {
  const RunSettings run =
      run_of("d-psgd", "topology.peers = " + std::to_string(machine_memory() / 4000), 100);
  CHECK(refusal_of_many(run, {.only_looks = true, .draws_later = true}) == refusal_of_many(run));
}

TEST_CASE("memory: too few samples for millions of peers are said before anything is taken") {
  CHECK(refusal_of_many(parse_run("topology.peers = 3000000")) ==
        "data.partition = iid: 8192 samples cannot be shared by 3000000 peers");
}

TEST_CASE("memory: a torus of fewer peers has another size, and each of them as many links") {
  const std::uint64_t dimension = machine_memory() / 1000;
  const std::string topology = "topology = { kind = \"torus(6x10)\", peers = 60 }";
  const RunSettings run = run_of("choco-sgd", topology, dimension);
  const std::string refusal = misuse_text([&] { prepare<float>(run, {.draws_later = true}); });
  const std::uint64_t fitting = number_before(refusal, " peers, at most");
  CHECK(fitting > 10);
  CHECK(fitting < 25);
}

TEST_CASE("memory: a hub counts once, whichever peer it is") {
  const auto star_around = [](PeerId hub) {
    std::string links;
    for (PeerId peer = 0; peer < 40; ++peer)
      if (peer != hub)
        links += "[[link]]\nfrom = " + std::to_string(hub) + "\nto = " + std::to_string(peer) + "\n";
    const DataFolder folder;
    const std::string file = folder.write("star.toml", "peers = 40\n" + links);
    const auto experiment = prepare<float>(run_of("choco-sgd", "topology.file = \"" + file + "\"", 1024));
    return memory_of_peers(experiment, held_peers(experiment.topology, {}));
  };
  CHECK(star_around(1) == star_around(0));
  CHECK(star_around(39) == star_around(0));
}

TEST_CASE("memory: a topology file whose peers are on this machine is no way around it") {
  const DataFolder folder;
  const std::uint64_t dimension = machine_memory() / 16000;
  const auto refusal = [&](const std::string& peer_keys, const Home& home) {
    const std::string file =
        folder.write("peers.toml", "family = \"complete\"\n[[peer]]\nname = \"n[0-199]\"\n" + peer_keys);
    const RunSettings run = run_of("choco-sgd", "topology.file = \"" + file + "\"", dimension);
    return misuse_text([&] { prepare<float>(run, home); });
  };
  const Home run{.draws_later = true};
  const Home check{.only_looks = true, .draws_later = true};
  const Home peer{.peer = 3, .draws_later = true};
  const std::string here = "address = \"tcp://127.0.0.1:[7000-7199]\"\n";
  const std::string hosts = "address = \"tcp://10.77.0.[1-200]:7000\"\n";
  for (const std::string& keys : {std::string(), here, hosts + "host = \"u@n[0-199]\"\n"})
    for (const Home& home : {Home{}, run}) {  // simulate and run have all peers here, whatever the file says
      CAPTURE(keys);
      CHECK(contains(refusal(keys, home), "the 200 peers need "));
      CHECK(!contains(refusal(keys, home), "peers, at most"));  // fewer peers are another file
    }
  CHECK(contains(refusal("", check), "the 200 peers need "));
  CHECK(contains(refusal(here, check), "the 200 peers need "));
  CHECK(refusal(hosts, check).empty());
  CHECK(refusal(here + "host = \"u@n[0-199]\"\n", check).empty());
  CHECK(contains(refusal(here, peer), "the 200 peers need "));
  CHECK(refusal(hosts, peer).empty());
  // Two hosts, of which each has half of the peers.
  CHECK(contains(refusal("address = \"tcp://localhost:[7000-7199]\"\n", peer), "the 200 peers need "));
  Home placed = peer;
  for (int id = 0; id < 200; ++id)
    placed.addresses.push_back("tcp://node" + std::to_string(id % 2) + ":" + std::to_string(7000 + id / 2));
  CHECK(contains(refusal(here, placed), "the 100 of them on this machine need "));
}

TEST_CASE("memory: the standby of a hub keeps what the hub keeps, too") {
  const std::string star = "topology = { kind = \"star\", peers = 6, hub = \"dedicated\" }\n";
  const auto plain = prepare<float>(run_of("fed-avg", star, 100));
  const auto with_standby =
      prepare<float>(run_of("fed-avg", star + "failure = { policy = \"drop\", hub_standby = 2 }", 100));
  CHECK(memory_of_peer(with_standby, 2).method ==
        memory_of_peer(plain, 2).method + memory_of_peer(plain, 0).method - 1.0);  // one gradient
  const PeerMemory worker = memory_of_peer(plain, 3);
  CHECK(memory_of_peer(with_standby, 3).method == worker.method);
}

}  // namespace hearsay::test::memory_need_test
