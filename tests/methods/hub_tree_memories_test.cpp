#include <doctest/doctest.h>

#include <numeric>

#include "algorithms/methods/artemis.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::hub_tree_memories_test {

namespace {

constexpr PeerId peers = 8;
constexpr PeerId groups = 3;
constexpr Index dimension = 6;

/// The head of the group of peer i, on hub-tree(3): peers 1, 2, 3 are heads, 4 and 7 are of group 1, ...
PeerId head_of(PeerId i) { return (i - 1) % groups + 1; }

Experiment<double> on_tree(const std::string& method, const std::string& compressor, std::uint64_t iterations,
                           const MethodOptions& options = {}, double participation = 1.0) {
  RunSettings settings = settings_of(
      method, {.family = "hub-tree(3)", .peers = peers, .participation = participation},
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
    std::vector<Vector<double>> memories(groups + 1, Vector<double>::Zero(dimension));
    std::vector<Vector<double>> said(groups + 1, Vector<double>::Zero(dimension));
    std::vector<double> size(groups + 1, 0.0);
    std::vector<double> answering(groups + 1, 0.0);
    for (PeerId i = 0; i < peers; ++i) {
      const PeerId group = i == 0 ? 0 : head_of(i);
      size[group] += 1.0;
      memories[group] += of_worker_[i];
      const MixingRow row = experiment_.schedule->row(i, t - 1);
      if (!row.participates || !row.trains) continue;
      answering[group] += 1.0;
      said[group] += follow(of_worker_[i], gradient_of(experiment_, i, x), {1, i, t, Purpose::compression});
    }
    Vector<double> total = memories[0] + said[0];
    for (PeerId j = 1; j <= groups; ++j) {
      // EF21 sums up what the memories are now.
      const double weight = only_memories ? 1.0 : size[j] / answering[j];
      const Vector<double> sum = memories[j] + weight * said[j];
      const Vector<double> before = of_group_[j];
      total += before + follow(of_group_[j], sum, {1, j, t, Purpose::group});
    }
    return total / peers;
  }

  bool only_memories = false;

 private:
  /// Returns C(v - h), and h moves by alpha C(v - h).
  Vector<double> follow(Vector<double>& h, const Vector<double>& v, RandomStream random) {
    const Vector<double> difference = v - h;
    PacketBuffer buffer = packets_.acquire();
    REQUIRE(up_->encode({.vector = view(difference), .random = random}, buffer) == CodecStatus::ok);
    Vector<double> q = Vector<double>::Zero(dimension);
    REQUIRE(up_->accumulate(buffer.bytes(), 1, view(q)) == CodecStatus::ok);
    h += alpha_ * q;
    return q;
  }

  const Experiment<double>& experiment_;
  double alpha_;
  std::unique_ptr<Compressor<double>> up_;
  PacketPool packets_;
  std::vector<Vector<double>> of_worker_{peers, Vector<double>::Zero(dimension)};
  std::vector<Vector<double>> of_group_{groups + 1, Vector<double>::Zero(dimension)};
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
           {"diana", dither, 0.3, {{option::memory_step, "0.3"}}},
           {"artemis", dither, 0.3, {{option::down_compressor, "none"}, {option::memory_step, "0.3"}}},
           {"artemis",
            dither,
            0.3,
            {{option::memories, "pp1"}, {option::down_compressor, "none"}, {option::memory_step, "0.3"}}},
           {"artemis", dither, 0.0, {{option::down_compressor, "none"}, {option::memory_step, "0"}}},
           {"dore", dither, 0.3, {{option::down_compressor, "none"}, {option::memory_step, "0.3"}}},
           {"mcm", dither, 0.3, {{option::down_compressor, "none"}, {option::memory_step, "0.3"}}},
           {"ef21", "topk(30%)", 1.0, {}},
           {"ef21-bc", "topk(30%)", 1.0, {{option::down_compressor, "none"}}}}) {
    CAPTURE(c.method);
    for (const double participation : {1.0, 0.5}) {
      // pp1 has no memory for those that sit out.
      const bool sits_out =
          find_method(c.method).permits_time_varying && c.options.find(option::memories) != "pp1";
      if (participation < 1.0 && !sits_out) continue;
      CAPTURE(participation);
      const Experiment<double> experiment = on_tree(c.method, c.compressor, 25, c.options, participation);
      const Recording<double> recording = record_run(experiment);
      Memories memories(experiment, c.alpha);
      memories.only_memories = find_method(c.method).compressor == CompressorNeed::contracting;
      Vector<double> x = experiment.problem.initial;
      for (std::uint64_t t = 1; t <= 25; ++t) {
        x -= 0.25 * memories.estimate(x, t);
        const auto& hub = recording[t].front();
        const Vector<double>& said = c.method == "mcm" ? hub.states.at("preserved model") : hub.model;
        CHECK((said - x).norm() <= 1e-12 * x.norm());
      }
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

TEST_CASE(
    "hub tree: whoever sat out, a head knows the sum of its group's memories, and all models are equal") {
  for (const std::string method : {"gen-qsgd", "artemis", "diana", "dore", "mcm", "ef21", "fed-paq"}) {
    CAPTURE(method);
    const Experiment<double> experiment = on_tree(method, "", 40, {}, 0.4);
    const Recording<double> recording = record_run(experiment);
    bool somebody_sat_out = false;
    for (std::uint64_t t = 1; t <= 40; ++t)
      for (PeerId j = 1; j <= groups; ++j) {
        const auto& head = recording[t][j];
        Vector<double> sum = Vector<double>::Zero(dimension);
        for (PeerId i = j; i < peers; i += groups) {
          const auto& member = recording[t][i];
          if (const auto memory = member.states.find("memory"); memory != member.states.end())
            sum += memory->second;
          if (experiment.schedule->row(i, t - 1).participates)
            CHECK(member.model == head.model);
          else
            somebody_sat_out = true;
        }
        if (const auto memory = head.states.find("mean memory"); memory != head.states.end())
          CHECK((memory->second - sum).norm() <= 1e-13 * (1.0 + sum.norm()));
      }
    CHECK(somebody_sat_out);
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

}  // namespace hearsay::test::hub_tree_memories_test
