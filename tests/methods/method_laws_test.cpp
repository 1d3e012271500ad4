#include <doctest/doctest.h>

#include <map>
#include <regex>
#include <set>
#include <vector>

#include "algorithms/methods/registry.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "algorithms/stability/outer_gossip_limit.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/methods/laws.hpp"
#include "topology/families.hpp"
#include "topology/spectrum.hpp"

namespace hearsay::test::method_laws_test {

namespace {

/// The laws that hold for each method, one column per law in the order of laws():
///   x  holds in every world      .  is broken in at least one world      -  does not apply
// clang-format off
const std::map<std::string, std::string> matrix = {
    //                123456789012345
    {"allreduce-sgd", "xxxx-x--xxx..xx"},
    {"d-psgd",        "xxxx-x--.xxxxxx"},
    {"naive",         "xxxx.x.-.xxxxxx"},
    {"dcd-psgd",      "xxxxxx.x.xxxxxx"},
    {"ecd-psgd",      "xxxx.x.x..xxxxx"},
    {"qsgd-allreduce","xxxxxx.-xxx..xx"},
    {"choco-sgd",     "xxxxxxxx.xxx.xx"},
    {"cedas",         "xxxxxxxx.xxx.xx"},
    {"beer",          "xxxxxxxx.xxx.xx"},
    {"c-gt",          "xxxxxxxx.xxx.xx"},
    {"deep-squeeze",  "xxxx.xx-.xxx.xx"},
    {"moniqua",       "xxxx.xx-.xxxxxx"},
    {"power-gossip",  "xxxx-x--.xxx.xx"},
    {"choco-gossip",  "xxxxx--x.--x.xx"},
    {"dspg",          "xxxx-x--.xxx.xx"},
    {"dpsvrg",        "xxxx-x--..xx.xx"},
    {"d2",            "xxxx-x--.xxx.xx"},
    {"gradient-tracking","xxxx-x--.xxx.xx"},
    {"sgp",           "xxxx-x--.xxx.xx"},
    {"qg-momentum",   "xxxx-x--.xxx.xx"},
    {"decentlam",     "xxxx-x--.xxx.xx"},
    {"ad-psgd",       "-..x-.--.xxx..-"},
    {"local-sgd",     "xxxx-x--xxx..xx"},
    {"diloco",        "xxxx-x--xxx..xx"},
    {"slowmo",        "xxxx-x--xxx..xx"},
    {"gas-loc",       "xxxx-x--.xxx.xx"},
    {"noloco",        "xxxx-x--.xxx.xx"},
    {"streaming-diloco","xxxx-x--xxx..xx"},
    {"sparse-loco",   "xxxxxx.-xxx..xx"},
    {"demo",          "xxxxxx.-xxx..xx"},
    {"powersgd",      "xxxx-x--xxx..xx"},
    {"k-gt",          "xxxx-x--.xxx.xx"},
    {"led",           "xxxx-x--.xxx.xx"},
    {"nids",          "xxxx-x--.xxx.xx"},
    {"extra",         "xxxx-x--.xxx.xx"},
    {"fed-avg",       "xxxx-x--.xx-.xx"},
    {"fed-paq",       "xxxxxx.-.xx-.xx"},
    {"fed-prox",      "xxxx-x--.xx-.xx"},
    {"scaffold",      "xxxx-x--.xx-.xx"},
    {"gen-qsgd",      "xxxxxx.-.xx-.xx"},
    {"artemis",       "xxxxxx.-.xx-.xx"},
    {"diana",         "xxxxxx.-.xx-.xx"},
    {"dore",          "xxxxxx.-.xx-.xx"},
    {"mcm",           "xxxxxx.x..x-.xx"},
    {"rand-mcm",      "xxxxxx.-..x-..x"},
    {"double-squeeze","xxxxxx.-.xx-.xx"},
    {"neolithic",     "xxxxxx.-.xx-.xx"},
    {"ef21",          "xxxxxx.-.xx-.xx"},
    {"ef21-bc",       "xxxxxx.-.xx-.xx"},
    {"cd-adam",       "xxxxxx.-.xx-.xx"},
    {"econtrol",      "xxxxxx.-.xx-.xx"},
    {"comp-ams",      "xxxxxx.-.xx-.xx"},
    {"one-bit-adam",  "xxxxx..-...-.xx"},
    {"qcmd-adagrad",  "xxxxx..-...-.xx"},
    {"qrda-adagrad",  "xxxxx..-...-.xx"},
    {"chb",           "xxxx-x--.xx-.xx"},
    {"fed-vote",      "xxx.-.--...-.xx"},
    {"lgc",           "xxxxxx.-..x-.xx"},
    {"lgc-ring",      "xxxxxx.-x.x..xx"},
    {"predictive-coding","xxxxxx.-.xx-.xx"},
};
// clang-format on

const std::vector<World> worlds = {
    {"ring", 1}, {"ring", 2},     {"ring", 3},        {"ring", 8},      {"path", 5},
    {"star", 6}, {"complete", 5}, {"torus(4x4)", 16}, {"hypercube", 8}, {"ring", 8, "lazy"},
};
const std::vector<World> time_varying = {
    {"exponential", 8, "metropolis", "one-peer-exponential"},
    {"exponential", 6, "metropolis", "one-peer-exponential"},
    {"hypercube", 8, "metropolis", "hypercube-matchings"},
    {"star", 5, "metropolis", "random-matchings"},
};
/// Worlds for methods that keep replicas: neighbors meet seldom, several at a time, or whenever both take
/// part.
const std::vector<World> meetings = {
    {"base(3)", 7, "metropolis", "base(3)"},
    {"complete", 6, "metropolis", "dealt-links(5)"},
    {"ring", 6, "metropolis", "static", 0.5},
    {"complete", 5, "metropolis", "random-matchings", 0.6},
};
/// Worlds for methods with a hub, and for those whose workers may sit out.
const std::vector<World> stars = {{"star", 1}, {"star", 3}, {"star", 6}};
const std::vector<World> sitting_out = {{"star", 5, "metropolis", "static", 0.5}};
const std::vector<World> negative_weights = {{"star", 6, "best-constant"}};

/// A method amplifies roundings without bound if W has an eigenvalue below the limit of the method. The lazy
/// matrix has none.
World mended_for(const MethodInfo& method, World world) {
  const double limit = smallest_eigenvalue_needed(method, method.options);
  const bool fixed = world.links_fixed() && limit > -1.0;
  if (fixed &&
      spectrum(make_mixing(world.weights, make_graph(world.family, world.peers, 1))).smallest < limit + 1e-9)
    world.weights = "lazy";
  return world;
}

bool ticked(const MethodInfo& method, std::size_t column, char tick) {
  return matrix.at(method.name).at(column) == tick;
}

std::vector<World> worlds_for(const MethodInfo& method) {
  if (method.pattern.has_hub) {
    std::vector<World> all = stars;
    if (method.permits_time_varying) all.insert(all.end(), sitting_out.begin(), sitting_out.end());
    return all;
  }
  std::vector<World> all = worlds;
  if (method.permits_time_varying) all.insert(all.end(), time_varying.begin(), time_varying.end());
  if (method.permits_time_varying && ticked(method, 7, 'x'))
    all.insert(all.end(), meetings.begin(), meetings.end());
  if (method.permits_negative_weights)
    all.insert(all.end(), negative_weights.begin(), negative_weights.end());
  for (World& world : all) world = mended_for(method, world);
  return all;
}

World small_world_for(const MethodInfo& method) { return {method.pattern.has_hub ? "star" : "ring", 3}; }

/// True if alone and without compression it is not plain SGD with any option: it is adaptive, or votes.
bool is_no_sgd(const MethodInfo& method) {
  return method.name == "one-bit-adam" || method.name == "qcmd-adagrad" || method.name == "qrda-adagrad" ||
         method.name == "fed-vote";
}

void judge(std::size_t column, bool in_double) {
  const Law& law = laws()[column];
  for (const MethodInfo& method : methods()) {
    CAPTURE(law.claim);
    CAPTURE(method.name);
    CAPTURE(in_double);
    const char tick = matrix.at(method.name).at(column);
    if (tick == '-') continue;
    bool broken_somewhere = false;
    for (const World& world : worlds_for(method)) {
      const std::string violation = (in_double ? law.in_double : law.in_float)(method, world);
      broken_somewhere |= !violation.empty();
      if (tick == 'x') CHECK_MESSAGE(violation.empty(), world.name() << ": " << violation);
    }
    if (tick == '.') CHECK_MESSAGE(broken_somewhere, "it is said not to hold, and does");
  }
}

/// Returns the memory of a peer as the manual's table states it ("2 deg + 7, ..."), in vectors of R^d. The
/// gradient is one of them. Numbers that a method keeps, a vector of one or two, are not counted. The
/// table states it by roles if there is a hub: "hub n + 7, worker 5".
std::size_t stated_memory(const MethodInfo& method, PeerId id, PeerId peers, std::size_t neighbors) {
  std::smatch part;
  if (method.pattern.has_hub) {
    static const std::regex roles("hub (n \\+ )?(\\d+).*, worker (\\d+)");
    REQUIRE(std::regex_search(method.manual.memory, part, roles));
    return id == 0 ? std::stoul(part[2]) + (part[1].matched ? peers : 0) : std::stoul(part[3]);
  }
  static const std::regex form("(?:(\\d+ )?(deg) \\+ )?(\\d+)");
  REQUIRE(std::regex_search(method.manual.memory, part, form));
  const std::size_t per_neighbor = part[1].matched ? std::stoul(part[1]) : part[2].matched ? 1 : 0;
  const std::size_t of_a_fragment = method.manual.memory.ends_with(" + 1/F") ? 1 : 0;
  return std::stoul(part[3]) + of_a_fragment + per_neighbor * neighbors;
}

struct Collector final : StateVisitor<double> {
  std::vector<const Vector<double>*> vectors;
  void state(std::string_view, Vector<double>& vector) override {
    if (vector.size() > 2) vectors.push_back(&vector);
  }
  void published(std::string_view, Vector<double>& vector) override { vectors.push_back(&vector); }
  void replica(std::string_view, PeerId, Vector<double>& vector) override { vectors.push_back(&vector); }
  void late_state(std::string_view, Vector<double>&) override {}  // not there yet
  void scratch(std::string_view, Vector<double>& vector) override { vectors.push_back(&vector); }
};

}  // namespace

TEST_CASE("laws: every registered method has a row, and every row a method") {
  CHECK(matrix.size() == methods().size());
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    REQUIRE(matrix.contains(method.name));
    REQUIRE(matrix.at(method.name).size() == laws().size());
    // Columns that follow from the MethodInfo have to agree with it, and laws for all methods have no
    // exception. The bits of asynchronous methods depend on when messages arrive; ad_psgd_test.cpp replays
    // their recursion.
    CHECK(ticked(method, 0, method.asynchronous ? '-' : 'x'));
    for (const std::size_t column : {1, 2}) CHECK(ticked(method, column, method.asynchronous ? '.' : 'x'));
    // Rand-MCM's hub encodes anew for every worker, on purpose.
    CHECK(ticked(method, 13, method.asynchronous || method.name == "rand-mcm" ? '.' : 'x'));
    CHECK(ticked(method, 14, method.asynchronous ? '-' : 'x'));
    CHECK(ticked(method, 3, method.name == "fed-vote" ? '.' : 'x'));  // votes are noise, wherever it is
    CHECK(ticked(method, 5, method.asynchronous || is_no_sgd(method) ? '.' : method.trains ? 'x' : '-'));
    CHECK(ticked(method, 10, is_no_sgd(method) ? '.' : method.trains ? 'x' : '-'));
    CHECK(ticked(method, 4, '-') == (method.compressor == CompressorNeed::none));
    CHECK(ticked(method, 6, '-') == (method.compressor == CompressorNeed::none || !method.trains));
  }
}

TEST_CASE("laws: a method that keeps replicas is judged by them") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const auto experiment = quadratics_in<double>(small_world_for(method), method.name, {});
    PacketPool packets;
    bool publishes = false;
    std::size_t replicas = 0;
    for (PeerId id = 0; id < 3; ++id) {
      const auto digests = digest_state(make_peer(experiment, id, packets)->algorithm());
      publishes |= digests.published.has_value();
      replicas = std::max(replicas, digests.replicas.size());
    }
    CHECK(publishes == ticked(method, 7, 'x'));
    CHECK((replicas > 0) == publishes);
  }
}

TEST_CASE("laws: a method that answers is asynchronous") {
  for (const MethodInfo& method : methods()) {
    CAPTURE(method.name);
    const auto experiment = quadratics_in<double>(small_world_for(method), method.name, {});
    PacketPool packets;
    CHECK((make_peer(experiment, 0, packets)->algorithm().answering() != nullptr) == method.asynchronous);
  }
}

TEST_CASE("laws: what a method names, each vector once, and the gradient are the memory it states") {
  for (const MethodInfo& method : methods())
    for (const World& world : worlds_for(method)) {
      CAPTURE(method.name);
      CAPTURE(world.name());
      const auto experiment = quadratics_in<double>(world, method.name, {});
      PacketPool packets;
      for (PeerId id = 0; id < world.peers; ++id) {
        const auto peer = make_peer(experiment, id, packets);
        Collector named;
        peer->algorithm().visit_state(named);
        // If links change, every peer that is heard in some round is a neighbor.
        CHECK(named.vectors.size() + 1 ==
              stated_memory(method, id, world.peers, partners_of(experiment, id).sources.size()));
        CHECK(std::set(named.vectors.begin(), named.vectors.end()).size() == named.vectors.size());
        // Only the sum of a fragment is shorter.
        const auto is_whole = [&](const Vector<double>* vector) {
          return vector->size() == experiment.problem.dimension();
        };
        CHECK(std::ranges::count_if(named.vectors, is_whole) +
                  (method.options.has(option::fragments) ? 1 : 0) ==
              static_cast<std::ptrdiff_t>(named.vectors.size()));
      }
    }
}

#define HEARSAY_JUDGE(column)                                                                      \
  TEST_CASE("laws: column " #column " of the matrix holds in float") { judge(column - 1, false); } \
  TEST_CASE("laws: column " #column " of the matrix holds in double") { judge(column - 1, true); }
HEARSAY_JUDGE(1)
HEARSAY_JUDGE(2)
HEARSAY_JUDGE(3)
HEARSAY_JUDGE(4)
HEARSAY_JUDGE(5)
HEARSAY_JUDGE(6)
HEARSAY_JUDGE(7)
HEARSAY_JUDGE(8)
HEARSAY_JUDGE(9)
HEARSAY_JUDGE(10)
HEARSAY_JUDGE(11)
HEARSAY_JUDGE(12)
HEARSAY_JUDGE(13)
HEARSAY_JUDGE(14)
HEARSAY_JUDGE(15)
#undef HEARSAY_JUDGE

TEST_CASE("laws: no law is left without a judge") { CHECK(laws().size() == 15); }

}  // namespace hearsay::test::method_laws_test
