#include <doctest/doctest.h>

#include <numeric>

#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

using namespace hearsay;
using namespace hearsay::test;

namespace {

constexpr PeerId peers = 8;
constexpr PeerId groups = 3;
constexpr Index dimension = 6;

/// The head of the group of peer i, on hub-tree(3): peers 1, 2, 3 are heads, 4 and 7 are of group 1, ...
PeerId head_of(PeerId i) { return (i - 1) % groups + 1; }

Experiment<double> on_tree(const std::string& method, const std::string& compressor, std::uint64_t iterations,
                           const MethodOptions& options = {}) {
  RunSettings settings = settings_of(
      method, {.family = "hub-tree(3)", .peers = peers},
      {.compressor = compressor, .iterations = iterations, .step_size = 0.25, .options = options});
  std::vector<PeerId> ids(peers);
  std::iota(ids.begin(), ids.end(), PeerId{0});
  return prepare<double>(settings, quadratic_problem<double>(dimension, ids, Shared::nothing));
}

Vector<double> gradient_of(const Experiment<double>& experiment, PeerId i, const Vector<double>& x) {
  Vector<double> gradient(dimension);
  const Index sample = 0;
  experiment.problem.objectives[i]->gradient(x, {&sample, 1}, gradient);
  return gradient;
}

/// The memories of a tree, one per link, and what the hub makes of the gradients by them.
class Memories {
 public:
  Memories(const Experiment<double>& experiment, double alpha)
      : experiment_(experiment),
        alpha_(alpha),
        up_(make_compressor<double>(experiment.settings.algorithm.compressor, {})) {}

  /// Returns (1/n) of what the hub, its heads and their groups add up to, for the workers' gradients at x.
  Vector<double> estimate(const Vector<double>& x, std::uint64_t t) {
    std::map<PeerId, Vector<double>> sums;
    for (PeerId i = 0; i < peers; ++i) {
      const Vector<double> g = gradient_of(experiment_, i, x);
      add(sums, i == 0 ? 0 : head_of(i), follow(of_worker_[i], g, {1, i, t, Purpose::compression}));
    }
    Vector<double> total = sums.at(0);
    for (PeerId j = 1; j <= groups; ++j) total += follow(of_group_[j], sums.at(j), {1, j, t, Purpose::group});
    return total / peers;
  }

 private:
  static void add(std::map<PeerId, Vector<double>>& sums, PeerId to, const Vector<double>& what) {
    const auto [at, is_new] = sums.try_emplace(to, what);
    if (!is_new) at->second += what;
  }

  /// Returns h + C(v - h), and h moves by alpha C(v - h).
  Vector<double> follow(Vector<double>& h, const Vector<double>& v, RandomStream random) {
    if (h.size() == 0) h.setZero(dimension);
    const Vector<double> difference = v - h;
    PacketBuffer buffer = packets_.acquire();
    REQUIRE(up_->encode({.vector = view(difference), .random = random}, buffer) == CodecStatus::ok);
    Vector<double> q = Vector<double>::Zero(dimension);
    REQUIRE(up_->accumulate(buffer.bytes(), 1, view(q)) == CodecStatus::ok);
    const Vector<double> read = h + q;
    h += alpha_ * q;
    return read;
  }

  const Experiment<double>& experiment_;
  double alpha_;
  std::unique_ptr<Compressor<double>> up_;
  PacketPool packets_;
  std::map<PeerId, Vector<double>> of_worker_;
  std::map<PeerId, Vector<double>> of_group_;
};

}  // namespace

TEST_CASE("hub tree: the hub moves by an independent recursion with a memory per link") {
  struct Case {
    std::string method;
    std::string compressor;
    double alpha;
    MethodOptions options;
  };
  const std::string dither = "dither(linf, levels=3)";
  for (const Case& c : std::vector<Case>{
           {"diana", dither, 0.3, {.memory_step = "0.3"}},
           {"artemis", dither, 0.3, {.down_compressor = "none", .memory_step = "0.3"}},
           {"artemis", dither, 0.3, {.form = "pp1", .down_compressor = "none", .memory_step = "0.3"}},
           {"artemis", dither, 0.0, {.down_compressor = "none", .memory_step = "0"}},
           {"dore", dither, 0.3, {.down_compressor = "none", .memory_step = "0.3"}},
           {"mcm", dither, 0.3, {.down_compressor = "none", .memory_step = "0.3"}},
           {"ef21", "topk(30%)", 1.0, {}},
           {"ef21-bc", "topk(30%)", 1.0, {.down_compressor = "none"}}}) {
    CAPTURE(c.method);
    const Experiment<double> experiment = on_tree(c.method, c.compressor, 25, c.options);
    const Recording<double> recording = record_run(experiment);
    Memories memories(experiment, c.alpha);
    Vector<double> x = experiment.problem.initial;
    for (std::uint64_t t = 1; t <= 25; ++t) {
      x -= 0.25 * memories.estimate(x, t);
      const auto& hub = recording[t].front();
      const Vector<double>& said = c.method == "mcm" ? hub.states.at("preserved model") : hub.model;
      CHECK((said - x).norm() <= 1e-12 * x.norm());
    }
  }
}

TEST_CASE("hub tree: at the optimum a worker's memory is its gradient, and a head's the sum of its group's") {
  for (const std::string method : {"diana", "artemis", "dore", "mcm", "ef21", "ef21-bc"}) {
    CAPTURE(method);
    const bool contracting = find_method(method).compressor == CompressorNeed::contracting;
    const Experiment<double> experiment =
        on_tree(method, contracting ? "topk(50%)" : "dither(linf, levels=7)", 400);
    const std::vector<PeerRecord<double>> end = record_run(experiment).back();
    const Vector<double> x = end.front().model;
    std::vector<Vector<double>> group(groups + 1, Vector<double>::Zero(dimension));
    double largest = 0.0;
    for (PeerId i = 1; i < peers; ++i) {
      const Vector<double> g = gradient_of(experiment, i, x);
      CHECK((end[i].states.at("memory") - g).norm() < 1e-6);
      group[head_of(i)] += g;
      largest = std::max(largest, g.norm());
    }
    CHECK(largest > 0.1);  // the workers disagree
    for (PeerId j = 1; j <= groups; ++j) CHECK((end[j].states.at("group's memory") - group[j]).norm() < 1e-6);
    CHECK(end.front().states.at("mean memory").norm() < 1e-6);
  }
}

TEST_CASE("hub tree: what a head passes on leaves all models equal, bit for bit") {
  for (const std::string method : {"gen-qsgd", "artemis", "dore", "ef21-bc", "cd-adam"}) {
    CAPTURE(method);
    const Experiment<double> experiment = on_tree(method, "", 10);
    for (const auto& now : record_run(experiment))
      for (PeerId i = 2; i < peers; ++i) CHECK(now[i].model == now[1].model);
  }
}
