// Methods with a hub and workers: what they become without compression and memories, and what stays the same
// whatever the compressors do.
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include "algorithms/methods/artemis.hpp"
#include "algorithms/methods/chb.hpp"
#include "algorithms/methods/ef21.hpp"
#include "algorithms/methods/fed_avg.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::hub_methods_test {

namespace {

struct Variation {
  std::string method;
  MethodOptions options = {};
  std::string compressor = "none";
};

/// How far the hub's models of two methods are ever apart in 40 iterations; allreduce-sgd has one model.
double distance(const Variation& one, const Variation& other, PeerId peers = 6,
                std::optional<std::uint64_t> batch = 3) {
  const auto recording_of = [&](const Variation& setting) {
    return record_run(regressions_in<double>(
        {"star", peers}, setting.method,
        {.compressor = setting.compressor, .iterations = 40, .batch = batch, .options = setting.options},
        19));
  };
  const Recording<double> a = recording_of(one);
  const Recording<double> b = recording_of(other);
  double largest = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t)
    largest = std::max(largest, (a[t][0].model - b[t][0].model).cwiseAbs().maxCoeff());
  return largest;
}

const Variation all_reduce = {"allreduce-sgd"};
const std::string biased = "topk(30%)";  // deterministic, and C(a z) = a C(z)

/// Returns (1/n) sum_i of a state of the peers.
Vector<double> mean_state(const std::vector<PeerRecord<double>>& peers, const std::string& name) {
  Vector<double> sum = Vector<double>::Zero(peers.front().model.size());
  for (const PeerRecord<double>& peer : peers) sum += peer.states.at(name);
  return sum / static_cast<double>(peers.size());
}

Vector<double> mean_gradient(const Experiment<double>& experiment, const Vector<double>& x) {
  Vector<double> sum = Vector<double>::Zero(x.size());
  for (const auto& objective : experiment.problem.objectives) {
    Vector<double> gradient(x.size());
    const Index sample = 0;
    objective->gradient(x, {&sample, 1}, gradient);
    sum += gradient;
  }
  return sum * (1.0 / static_cast<double>(experiment.peer_count()));
}

}  // namespace

TEST_CASE("hub: with one step, no compression and all workers, the methods are all-reduce SGD") {
  for (const Variation& method : std::vector<Variation>{
           {"fed-avg", {{option::local_steps, 1}}},
           {"fed-paq", {{option::local_steps, 1}}},
           {"fed-prox", {{option::local_steps, 1}}},
           {"scaffold", {{option::local_steps, 1}}},
           {"gen-qsgd", {{option::local_steps, 1}, {option::down_compressor, "none"}}},
           {"artemis", {{option::down_compressor, "none"}, {option::memory_step, "0"}}},
           {"artemis", {{option::memories, "pp1"}, {option::down_compressor, "none"}}},
           {"diana"},
           {"dore", {{option::down_compressor, "none"}}},
           {"mcm", {{option::down_compressor, "none"}}},
           {"rand-mcm", {{option::down_compressor, "none"}}},
           {"double-squeeze", {{option::down_compressor, "none"}}},
           {"neolithic", {{option::down_compressor, "none"}, {option::rounds, 1}}},
           {"ef21"},
           {"ef21-bc", {{option::down_compressor, "none"}}},
           {"cd-adam", {{option::optimizer, "sgd"}, {option::down_compressor, "none"}}},
           {"econtrol"},
           {"comp-ams", {{option::optimizer, "sgd"}}},
           {"chb", {{option::momentum, 0.0}, {option::threshold, "0"}}},
           {"lgc", {{option::dense_rounds, 3}}},
           {"predictive-coding", {{option::local_steps, 1}}},
       }) {
    CAPTURE(method.method);
    CHECK(distance(method, all_reduce) < 1e-12);
  }
}

TEST_CASE("hub: equalities between the methods, with a lossy compressor") {
  const MethodOptions steps = {{option::local_steps, 4}};
  CHECK(distance({"fed-paq", steps}, {"fed-avg", steps}) == 0.0);
  CHECK(distance({"fed-prox", {{option::local_steps, 4}, {option::proximal, 0.0}}}, {"fed-avg", steps}) ==
        0.0);
  CHECK(distance({"gen-qsgd", {{option::local_steps, 4}, {option::down_compressor, "none"}}, biased},
                 {"fed-paq", steps, biased}) < 1e-12);
  const MethodOptions no_memory = {{option::down_compressor, "none"}, {option::memory_step, "0"}};
  CHECK(distance({"artemis", no_memory, biased}, {"fed-paq", {{option::local_steps, 1}}, biased}) < 1e-12);
  const std::string rounding = "dither(linf, levels=3)";
  CHECK(distance({"artemis", no_memory, rounding},
                 {"qsgd-allreduce", {{option::feedback, "none"}}, rounding}) < 1e-12);
  CHECK(distance({"artemis", {{option::memory_step, "0.3"}}},
                 {"artemis", {{option::memories, "pp1"}, {option::memory_step, "0.3"}}}) < 1e-12);
  const MethodOptions exact_down = {
      {option::down_compressor, "none"}, {option::memory_step, "0.3"}, {option::down_memory_step, "1"}};
  CHECK(distance({"mcm", exact_down, biased}, {"diana", {{option::memory_step, "0.3"}}, biased}) < 1e-12);
  CHECK(distance({"rand-mcm", exact_down, biased}, {"mcm", exact_down, biased}) == 0.0);
  CHECK(distance({"ef21-bc", {{option::down_compressor, "none"}}, biased}, {"ef21", {}, biased}) < 1e-12);
  CHECK(distance({"econtrol", {{option::control, 0.0}}, biased}, {"ef21", {}, biased}) < 1e-12);
  const MethodOptions down = {{option::optimizer, "sgd"}, {option::down_compressor, biased}};
  CHECK(distance({"cd-adam", down, biased}, {"ef21-bc", {{option::down_compressor, biased}}, biased}) == 0.0);
  CHECK(distance({"neolithic",
                  {{option::error_decay, 1.0}, {option::down_compressor, biased}, {option::rounds, 1}},
                  biased},
                 {"double-squeeze", {{option::down_compressor, biased}}, biased}) == 0.0);
}

TEST_CASE("hub: neolithic's R rounds of topk(k) are one of topk(R k), bit for bit") {
  const auto full = std::optional<std::uint64_t>();
  CHECK(distance({"neolithic", {{option::down_compressor, "topk(k=2)"}, {option::rounds, 3}}, "topk(k=2)"},
                 {"neolithic", {{option::down_compressor, "topk(k=6)"}, {option::rounds, 1}}, "topk(k=6)"}, 6,
                 full) == 0.0);
}

TEST_CASE("hub: alone and uncompressed, the adaptive methods are the local optimizers of one machine") {
  const auto alone = [](const Variation& method, const std::string& optimizer) {
    return distance(method, {"d-psgd", {{option::optimizer, optimizer}}}, 1);
  };
  CHECK(alone({"cd-adam", {{option::down_compressor, "none"}}}, "amsgrad(0.9, 0.99)") < 1e-12);
  CHECK(alone({"comp-ams"}, "amsgrad(0.9, 0.999)") < 1e-12);
  CHECK(alone({"chb", {{option::momentum, 0.4}, {option::threshold, "0"}}}, "heavy-ball(0.4)") < 1e-12);
  CHECK(alone({"qcmd-adagrad"}, "adagrad(1e-8)") < 1e-12);
  CHECK(alone({"qrda-adagrad"}, "adagrad-da(1e-8)") < 1e-9);  // it sums steps, and so their roundings
}

// w - H and H + (w - H) are exact while no entry of w doubles or halves in a step (Sterbenz' lemma).
TEST_CASE("mcm: without compression of the downlink it is diana, bit for bit, with roundings on the uplink") {
  const auto recording_of = [](const std::string& method, const MethodOptions& options) {
    Problem<double> problem = quadratic_problem<double>(19, first_peers(5), Shared::nothing);
    problem.initial.setConstant(8.0);  // far from the minimiser: entries shrink by about a tenth in a step
    return record_run(prepare<double>(
        settings_of(method, {"star", 5},
                    {.compressor = "dither(linf, levels=7)", .iterations = 12, .options = options}),
        std::move(problem)));
  };
  const auto diana = recording_of("diana", {{option::memory_step, "0.3"}});
  for (const std::string method : {"mcm", "rand-mcm"}) {
    const auto mcm = recording_of(
        method,
        {{option::down_compressor, "none"}, {option::memory_step, "0.3"}, {option::down_memory_step, "1"}});
    for (std::size_t t = 0; t < diana.size(); ++t)
      CHECK(digest(mcm[t][0].model) == digest(diana[t][0].model));
    CHECK(digest(mcm[12][0].model) != digest(mcm[11][0].model));
  }
}

TEST_CASE("qcmd-adagrad, qrda-adagrad: uncompressed they are AdaGrad on the mean gradient, bit for bit") {
  constexpr double eta = 0.1;
  constexpr double delta = 1e-8;
  constexpr PeerId peers = 6;
  for (const bool dual_averaging : {false, true}) {
    const auto experiment =
        quadratics_in<double>({"star", peers}, dual_averaging ? "qrda-adagrad" : "qcmd-adagrad",
                              {.compressor = "none", .iterations = 40, .step_size = eta});
    const auto recording = record_run(experiment);
    const Vector<double> start = recording[0][0].model;
    Vector<double> x = start;
    Vector<double> squares = Vector<double>::Zero(x.size());  // G
    Vector<double> sum = squares;                             // z
    for (std::size_t t = 1; t < recording.size(); ++t) {
      const Vector<double> mean = mean_gradient(experiment, x);
      sum += mean;
      for (Index k = 0; k < x.size(); ++k) {
        squares[k] += mean[k] * mean[k];
        const double step = eta / (delta + std::sqrt(squares[k]));
        x[k] = dual_averaging ? start[k] - step * sum[k] : x[k] - step * mean[k];
      }
      CHECK(digest(recording[t][0].model) == digest(x));
    }
  }
}

TEST_CASE("hub: scaffold's c is the mean of all c_i, whoever sat out, on a tree, too") {
  for (const World& world : std::vector<World>{{"star", 5},
                                               {"star", 5, "metropolis", "static", 0.6},
                                               {"hub-tree(2)", 9},
                                               {"hub-tree(2)", 9, "metropolis", "static", 0.5},
                                               {"hub-tree(3)", 9, "metropolis", "static", 0.3}}) {
    CAPTURE(world.name());
    for (const auto& peers : record_run(quadratics_in<double>(world, "scaffold", {.iterations = 30})))
      CHECK((mean_state(peers, "own control") - peers[0].states.at("control")).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("hub: what the hub keeps is the mean of what the workers keep, whoever sat out") {
  for (const World& world : std::vector<World>{{"star", 5}, {"star", 5, "metropolis", "static", 0.6}}) {
    CAPTURE(world.name());
    for (const std::string method : {"artemis", "diana", "dore", "mcm", "rand-mcm", "ef21", "econtrol"}) {
      CAPTURE(method);
      for (const auto& peers : record_run(quadratics_in<double>(world, method, {.iterations = 30})))
        CHECK((mean_state(peers, "memory") - peers[0].states.at("mean memory")).cwiseAbs().maxCoeff() <
              1e-13);
    }
    for (const auto& peers : record_run(quadratics_in<double>(world, "chb", {.iterations = 30})))
      CHECK((mean_state(peers, "said") - peers[0].states.at("mean said")).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("hub: with what is owed, the model follows gradient descent, whatever the compressors do") {
  static constexpr double eta = 0.1;
  using Peers = std::vector<PeerRecord<double>>;
  const std::map<std::string, Vector<double> (*)(const Peers&)> virtual_models = {
      {"double-squeeze",
       [](const Peers& peers) -> Vector<double> {
         return peers[0].model - eta * (peers[0].states.at("hub's error") + mean_state(peers, "error"));
       }},
      {"econtrol",
       [](const Peers& peers) -> Vector<double> {
         return peers[0].model - eta * mean_state(peers, "error");
       }},
      {"comp-ams",
       [](const Peers& peers) -> Vector<double> {
         return peers[0].model - eta * mean_state(peers, "error");
       }},
      {"dore",
       [](const Peers& peers) -> Vector<double> { return peers[0].model + peers[0].states.at("error"); }}};
  for (const auto& entry : virtual_models) {
    const std::string& method = entry.first;
    const auto virtual_model = entry.second;
    CAPTURE(method);
    Plan plan{.compressor = method == "dore" ? "none" : "topk(20%)", .iterations = 40, .step_size = eta};
    if (method == "comp-ams") plan.options.set(option::optimizer, "sgd");
    const auto experiment = quadratics_in<double>({"star", 5}, method, plan);
    const auto recording = record_run(experiment);
    for (std::size_t t = 1; t < recording.size(); ++t) {
      const Vector<double> moved = virtual_model(recording[t]) - virtual_model(recording[t - 1]);
      const Vector<double> expected = -eta * mean_gradient(experiment, recording[t - 1][0].model);
      CHECK((moved - expected).cwiseAbs().maxCoeff() < 1e-13);
    }
  }
}

TEST_CASE("rand-mcm: what hub and worker keep of each other is equal, bit for bit, whoever sat out") {
  for (const World& world : std::vector<World>{{"star", 5}, {"star", 5, "metropolis", "static", 0.6}})
    for (const auto& peers : record_run(quadratics_in<double>(world, "rand-mcm", {.iterations = 30})))
      for (PeerId worker = 1; worker < 5; ++worker)
        CHECK(digest(peers[0].states.at("reference of " + std::to_string(worker))) ==
              digest(peers[worker].states.at("reference")));
}

TEST_CASE("cd-adam: every worker's optimizer has the state of the hub's, an iteration later, bit for bit") {
  const auto recording = record_run(quadratics_in<double>({"star", 5}, "cd-adam", {.iterations = 20}));
  for (std::size_t t = 1; t < recording.size(); ++t)
    for (PeerId worker = 1; worker < 5; ++worker)
      for (const std::string name :
           {"mean", "mean of squares", "largest mean of squares", "common gradient"}) {
        const Vector<double>& of_hub = recording[t - 1][0].states.at(name);
        CHECK(digest(recording[t][worker].states.at(name)) == digest(of_hub));
      }
}

TEST_CASE("chb: a worker that is smoother than the threshold never sends in two iterations running") {
  // The curvatures of the quadratics are at most 1.5.
  const auto recording = record_run(quadratics_in<double>(
      {"star", 6}, "chb", {.iterations = 60, .options = {{option::threshold, "2.25"}}}));
  std::size_t silent = 0;
  for (PeerId worker = 1; worker < 6; ++worker)
    for (std::size_t t = 2; t < recording.size(); ++t) {
      const bool sends = recording[t][worker].sent.front().packet->size() != 0;
      const bool sent = recording[t - 1][worker].sent.front().packet->size() != 0;
      CHECK(!(sends && sent && t > 2));
      silent += sends ? 0 : 1;
    }
  CHECK(silent > 100);
}

TEST_CASE("hub: a worker that sits out keeps its model, takes no gradient, and says and hears nothing") {
  const World world = {"star", 8, "metropolis", "static", 0.25};
  for (const MethodInfo& method : methods()) {
    if (!method.pattern.has_hub || !method.permits_time_varying) continue;
    CAPTURE(method.name);
    const auto experiment = quadratics_in<double>(world, method.name, {.iterations = 40});
    const auto recording = record_run(experiment);
    std::size_t answers = 0;
    for (std::size_t t = 1; t < recording.size(); ++t)
      for (PeerId id = 0; id < 8; ++id) {
        const MixingRow row = experiment.schedule->row(id, t - 1);
        answers += row.participates && row.trains ? 1 : 0;
        if (row.participates) continue;
        CHECK(digest(recording[t][id].model) == digest(recording[t - 1][id].model));
        CHECK(recording[t][id].sent.empty());
      }
    CHECK(answers == 40 * 2);
    std::uint64_t gradients = 0;
    for (const PeerOutcome& peer : simulate(experiment, Duration{0}).peers)
      gradients += peer.meters.counters.gradient_evaluations;
    CHECK(gradients == answers * method.options.find(option::local_steps).value_or(1) *
                           method.options.find(option::rounds).value_or(1));
  }
}

TEST_CASE("hub: a step size that falls to 0 leaves every model finite, and where it was") {
  for (const MethodInfo& method : methods()) {
    if (!method.pattern.has_hub || method.name == "fed-vote" || method.name == "qrda-adagrad") continue;
    CAPTURE(method.name);
    Plan plan{.iterations = 16, .step_size = 0.02, .step_schedule = "cosine(6, 0)"};
    if (method.options.has(option::momentum)) plan.options.set(option::momentum, 0.0);
    const auto last = record_run(quadratics_in<double>({"star", 4}, method.name, plan));
    CHECK(last.back()[0].model.allFinite());
    if (method.name == "dore") continue;  // what its hub owes is a part of earlier steps
    CHECK((last.back()[0].model - last[12][0].model).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("hub: the model that is evaluated and kept is the hub's") {
  const auto experiment = quadratics_in<double>({"star", 5}, "fed-avg", {.iterations = 7});
  const RunOutcome<double> outcome = simulate(experiment, Duration{0});
  CHECK(outcome.mean_model == outcome.models[0]);
  CHECK(outcome.models[1] != outcome.models[0]);
  CHECK(outcome.evaluations.back().loss == experiment.problem.loss(outcome.models[0]));
}

TEST_CASE("dedicated hub: it takes no gradient, and n workers learn as n peers of which one is the hub") {
  for (const MethodInfo& method : methods()) {
    if (!method.pattern.has_hub || method.name == "fed-vote") continue;  // whose votes go by the peers' ids
    CAPTURE(method.name);
    const auto run = [&](PeerId peers, HubData hub) {
      Plan plan{.iterations = 20};
      if (method.compressor != CompressorNeed::none) plan.compressor = "topk(30%)";
      if (method.options.has(option::down_compressor)) plan.options.set(option::down_compressor, "topk(30%)");
      if (method.options.has(option::memory_step)) plan.options.set(option::memory_step, "0.3");
      if (method.options.has(option::down_memory_step)) plan.options.set(option::down_memory_step, "0.3");
      RunSettings settings = settings_of(method.name, {"star", peers}, plan);
      settings.topology.hub = hub;
      return simulate(
          prepare<double>(settings, quadratic_problem<double>(19, first_peers(5), Shared::nothing)),
          Duration{0});
    };
    const RunOutcome<double> own = run(5, HubData::its_own);
    const RunOutcome<double> dedicated = run(6, HubData::none);
    CHECK((own.models[0] - dedicated.models[0]).cwiseAbs().maxCoeff() <
          (method.name.ends_with("adam") || method.name.ends_with("adagrad") ? 1e-9 : 1e-12));
    CHECK(dedicated.peers[0].meters.counters.gradient_evaluations == 0);
    CHECK(dedicated.evaluations.front().loss == doctest::Approx(own.evaluations.front().loss).epsilon(1e-14));
  }
}

}  // namespace hearsay::test::hub_methods_test
