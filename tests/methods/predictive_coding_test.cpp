// predictive-coding: what is predicted at both ends, what is chosen, and what is sent.
#include <doctest/doctest.h>

#include <cmath>
#include <numeric>
#include <set>
#include <vector>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "algorithms/compression/seam/bracket.hpp"
#include "algorithms/methods/parts/rounding_cost.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/predictive_coding.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/misuse_text.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::predictive_coding_test {

namespace {

const std::string grid = "grid(0.01) | entropy";
const World half = {"star", 8, "metropolis", "static", 0.5};
const std::vector<std::string> changes = {"last change", "change before the last", "third last change",
                                          "moving mean of changes"};

/// xp - x by the byte of a choice, from what a peer has seen.
template <class Scalar>
Vector<Scalar> predicted_change(const PeerRecord<Scalar>& peer, unsigned choice) {
  const Vector<Scalar>& D = peer.states.at("last change");
  if (choice % 4 == 0) return Vector<Scalar>::Zero(D.size());
  if (choice % 4 == 1) return D;
  if (choice % 4 == 3) return peer.states.at("moving mean of changes");
  return (D + peer.states.at("change before the last") + peer.states.at("third last change")) / Scalar(3);
}

/// Returns y_i - x after the local steps of worker i from x, with sgd and full gradients.
Vector<double> local_change(const Experiment<double>& experiment, PeerId i, const Vector<double>& x) {
  const Objective<double>& objective = *experiment.problem.objectives[i];
  std::vector<Index> samples(static_cast<std::size_t>(objective.sample_count()));
  std::iota(samples.begin(), samples.end(), Index{0});
  Vector<double> y = x;
  Vector<double> gradient(x.size());
  for (std::uint64_t h = 0; h < experiment.settings.algorithm.options[option::local_steps]; ++h) {
    objective.gradient(y, samples, gradient);
    y -= experiment.step_size.at(1) * gradient;
  }
  return y - x;
}

unsigned choice_of(const PacketRef& answer) { return std::to_integer<unsigned>(answer->bytes().front()); }

RoundingCost cost_of(std::span<const double> z, std::span<const Bracket> brackets, OutcomeCounts& outcomes) {
  RoundingCostSum<double> sum(outcomes);
  sum.add(z, brackets);
  return sum.cost();
}

Experiment<double> slopes(const Vector<double>& slope, const Plan& plan) {
  Problem<double> problem = flat_problem<double>(slope.size(), 4);
  for (auto& objective : problem.objectives) objective = std::make_unique<Slope>(slope);
  return prepare<double>(settings_of("predictive-coding", {"star", 4}, plan), std::move(problem));
}

template <class Scalar>
Experiment<Scalar> layered(Plan plan) {
  RunSettings settings = settings_of("predictive-coding", {"star", 4}, plan);
  settings.data.source = "synthetic(samples=64, features=6, classes=3)";
  settings.model.kind = "mlp(4)";
  return prepare<Scalar>(settings);
}

PacketRef packet_of(PacketPool& packets, const std::vector<std::byte>& bytes) {
  PacketBuffer buffer = packets.acquire();
  std::ranges::copy(bytes, buffer.resize(bytes.size()).begin());
  return std::move(buffer).seal();
}

}  // namespace

TEST_CASE("rounding cost: of a grid, worked out by hand") {
  const auto made = make_compressor<double>("grid(1)", {});
  const auto& rounding = dynamic_cast<const RoundingCompressor<double>&>(*made);
  const std::vector<double> z = {0.25, 0.0, 1.0, -0.5};
  OutcomeCounts outcomes;
  const RoundingCost cost = cost_of(z, rounding.brackets(z), outcomes);
  CHECK(cost.rms_error == doctest::Approx(std::sqrt((0.1875 + 0.25) / 4)).epsilon(1e-9));
  double bits = 0.0;
  for (const double share : {0.5 / 4, 2.25 / 4, 1.25 / 4}) bits -= share * std::log2(share);
  CHECK(cost.bits == doctest::Approx(bits).epsilon(1e-8));
  CHECK(cost_of(z, {}, outcomes).bits == 0.0);
}

TEST_CASE("rounding cost: it is the mean over what may be drawn") {
  constexpr Index count = 4000;
  const Vector<double> z = 3.0 * normal_vector<double>(count, 1, 0);
  for (const std::string spelling : {"grid(0.7)", "dither(linf, levels=3)", "natural"}) {
    CAPTURE(spelling);
    const auto made = make_compressor<double>(spelling, {});
    const auto& rounding = dynamic_cast<const RoundingCompressor<double>&>(*made);
    OutcomeCounts outcomes;
    const RoundingCost expected = cost_of(view(z), rounding.brackets(view(z)), outcomes);
    PacketPool packets;
    double squares = 0.0;
    double bits = 0.0;
    constexpr int draws = 20;
    for (int draw = 0; draw < draws; ++draw) {
      RandomStream random(static_cast<std::uint64_t>(draw), 0, 1, Purpose::compression);
      PacketBuffer buffer = packets.acquire();
      Vector<double> drawn = Vector<double>::Zero(count);
      REQUIRE(made->encode({view(z), random}, buffer) == CodecStatus::ok);
      REQUIRE(made->accumulate(buffer.bytes(), 1, view(drawn)) == CodecStatus::ok);
      squares += (drawn - z).squaredNorm() / count / draws;
      std::map<double, double> shares;
      for (const double value : drawn) shares[value] += 1.0 / count;
      for (const auto& [value, share] : shares) bits -= share * std::log2(share) / draws;
    }
    CHECK(std::sqrt(squares) == doctest::Approx(expected.rms_error).epsilon(0.02));
    CHECK(bits == doctest::Approx(expected.bits).epsilon(0.01));
    CHECK(bits <= expected.bits * (1 + 1e-3));
  }
}

TEST_CASE("predictive-coding: with hold alone it is fed-avg, or fed-paq with a compressor, bit for bit") {
  for (const World& world : std::vector<World>{{"star", 5}, half})
    for (const std::string compressor :
         {"none", "dither(linf, levels=7, bucket=512)", "grid(0.01) | entropy"}) {
      CAPTURE(compressor);
      Plan plan{.compressor = compressor,
                .iterations = 20,
                .batch = 3,
                .options = {{option::outer, "nesterov(0.7, 0.5)"}}};
      const std::string other = compressor == "none" ? "fed-avg" : "fed-paq";
      const auto expected = record_run(regressions_in<float>(world, other, plan, 19));
      plan.options.set(option::predictors, "hold");
      const auto recording = record_run(regressions_in<float>(world, "predictive-coding", plan, 19));
      for (std::size_t t = 0; t < recording.size(); ++t)
        for (PeerId id = 0; id < world.peers; ++id)
          CHECK(digest(recording[t][id].model) == digest(expected[t][id].model));
    }
}

TEST_CASE_TEMPLATE("predictive-coding: hub and workers predict from the same bits", Scalar, float, double) {
  const auto recording = record_run(
      regressions_in<Scalar>({"star", 5}, "predictive-coding", {.iterations = 30, .batch = 3}, 19));
  for (std::size_t t = 1; t < recording.size(); ++t)
    for (PeerId worker = 1; worker < 5; ++worker)
      for (const std::string& name : changes)
        CHECK(digest(recording[t][worker].states.at(name)) == digest(recording[t - 1][0].states.at(name)));
  CHECK(recording.back()[0].states.at("moving mean of changes").norm() > 0);
}

TEST_CASE("predictive-coding: a worker that sat out predicts by what it has seen, and the hub as it does") {
  const auto experiment =
      quadratics_in<double>(half, "predictive-coding", {.iterations = 200, .step_size = 0.01});
  const auto recording = record_run(experiment);
  std::vector<std::uint64_t> in_a_row(8, 1000);  // what is common at first counts as seen
  std::vector<int> chosen(4);
  for (std::size_t t = 1; t < recording.size(); ++t) {
    const Vector<double>& x = recording[t - 1][0].model;
    Vector<double> mean = Vector<double>::Zero(x.size());
    double answers = 0;
    for (PeerId i = 0; i < 8; ++i) {
      const MixingRow row = experiment.schedule->row(i, t - 1);
      if (!row.participates && t > 1) in_a_row[i] = 0;
      if (row.participates) ++in_a_row[i];
      if (!row.participates || !row.trains) continue;
      mean += local_change(experiment, i, x);
      answers += 1;
      if (i == 0) continue;
      const unsigned choice = choice_of(recording[t][i].sent.front().packet);
      const std::vector<std::uint64_t> rounds_needed = {1, 2, 4, 1000};
      CHECK(in_a_row[i] >= rounds_needed.at(choice));
      ++chosen[choice];
      CHECK((predicted_change(recording[t][i], choice) - predicted_change(recording[t - 1][0], choice))
                .isZero(0));
    }
    // A step of the grid at most, whatever was predicted.
    CHECK((recording[t][0].model - x - mean / answers).cwiseAbs().maxCoeff() < 0.01 * (1 + 1e-9));
  }
  CHECK(chosen[0] > 100);
  CHECK(chosen[1] > 20);
}

TEST_CASE("predictive-coding: of a straight path `last` leaves nothing to send") {
  Vector<double> slope(64);
  for (Index k = 0; k < slope.size(); ++k) slope[k] = static_cast<double>(k % 13 - 6) / 16.0;
  const Plan plan{.compressor = "grid(2^-6) | entropy",
                  .iterations = 10,
                  .step_size = 0.25,
                  .options = {{option::local_steps, 4}}};
  const auto recording = record_run(slopes(slope, plan));
  for (std::size_t t = 1; t < recording.size(); ++t) {
    // 4 steps of 0.25: multiples of 2^-4, so nothing is rounded.
    CHECK((recording[t][0].model - recording[t - 1][0].model + slope).cwiseAbs().maxCoeff() < 1e-14);
    for (PeerId worker = 1; worker < 4; ++worker) {
      const PacketRef& answer = recording[t][worker].sent.front().packet;
      CHECK(choice_of(answer) == (t == 1 ? 0 : 1));
      if (t == 1)
        CHECK(answer->size() > 30);
      else
        CHECK(answer->size() <= 10);  // the choice, and an entropy coder's states
    }
  }
}

TEST_CASE("predictive-coding: what is chosen costs no more than what is not") {
  for (const std::uint64_t quantizers : {1, 4}) {
    const auto experiment =
        quadratics_in<double>({"star", 5}, "predictive-coding",
                              {.iterations = 40,
                               .step_size = 0.02,
                               .options = {{option::rate_weight, 0.02}, {option::quantizers, quantizers}}},
                              Shared::nothing, 300);
    const auto recording = record_run(experiment);
    const auto made = make_compressor<double>(grid, {});
    const auto& rounding = dynamic_cast<const RoundingCompressor<double>&>(*made);
    OutcomeCounts outcomes;
    std::set<unsigned> chosen;
    for (std::size_t t = 1; t < recording.size(); ++t)
      for (PeerId i = 1; i < 5; ++i) {
        const Vector<double> change = local_change(experiment, i, recording[t - 1][0].model);
        const auto cost = [&](unsigned choice) {
          const double scale = std::exp2(choice / 4);
          const Vector<double> z = (change - predicted_change(recording[t][i], choice)) / scale;
          const RoundingCost of = cost_of(view(z), rounding.brackets(view(z)), outcomes);
          return scale * of.rms_error + 0.02 * of.bits;
        };
        const unsigned choice = choice_of(recording[t][i].sent.front().packet);
        REQUIRE(choice < 4 * quantizers);
        chosen.insert(choice);
        for (unsigned other = 0; other < 4 * quantizers; ++other)
          CHECK(cost(choice) <= cost(other) * (1 + 1e-9));
      }
    CHECK(chosen.size() >= 3);
  }
}

TEST_CASE("predictive-coding: the expected step is fed-avg's, whatever is chosen") {
  // Seen from x_{t-1}, what the roundings add to the mean of the y_i has the mean 0.
  constexpr std::uint64_t seeds = 60;
  double sum = 0.0;
  double squares = 0.0;
  double weighted = 0.0;  // by the direction of the step: what a choice after the draw would shorten
  double weighted_squares = 0.0;
  std::set<unsigned> chosen;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto experiment =
        quadratics_in<double>({"star", 4}, "predictive-coding",
                              {.iterations = 12,
                               .step_size = 0.02,
                               .seed = seed,
                               .options = {{option::rate_weight, 0.02}, {option::quantizers, 2}}});
    const auto recording = record_run(experiment);
    for (std::size_t t = 1; t < recording.size(); ++t) {
      const Vector<double>& x = recording[t - 1][0].model;
      Vector<double> mean = Vector<double>::Zero(x.size());
      for (PeerId i = 0; i < 4; ++i) mean += local_change(experiment, i, x) / 4;
      for (PeerId i = 1; i < 4; ++i) chosen.insert(choice_of(recording[t][i].sent.front().packet));
      const Vector<double> error = recording[t][0].model - x - mean;
      for (Index k = 0; k < error.size(); ++k) {
        const double along = mean[k] < 0 ? -error[k] : error[k];
        sum += error[k];
        squares += error[k] * error[k];
        weighted += along;
        weighted_squares += along * along;
      }
    }
  }
  CHECK(chosen.size() >= 4);
  CHECK(std::abs(sum) < 4 * std::sqrt(squares));
  CHECK(std::abs(weighted) < 4 * std::sqrt(weighted_squares));
  CHECK(squares > 0.0);
}

TEST_CASE("predictive-coding: every layer has a choice and a message of its own") {
  const auto experiment =
      layered<double>({.iterations = 30, .options = {{option::rate_weight, 0.02}, {option::quantizers, 3}}});
  const SegmentTable layers = experiment.problem.objectives.front()->segments();
  REQUIRE(layers.size() > 2);
  const auto recording = record_run(experiment);
  bool choices_differ = false;
  for (std::size_t t = 1; t < recording.size(); ++t) {
    const Vector<double>& x = recording[t - 1][0].model;
    Vector<double> mean = Vector<double>::Zero(x.size());
    double coarsest = 0.01;
    for (PeerId i = 0; i < 4; ++i) mean += local_change(experiment, i, x) / 4;
    for (PeerId i = 1; i < 4; ++i) {
      std::span<const std::byte> rest = recording[t][i].sent.front().packet->bytes();
      const unsigned first = std::to_integer<unsigned>(rest.front());
      for (std::size_t l = 0; l < layers.size(); ++l) {
        const unsigned choice = std::to_integer<unsigned>(rest.front());
        CHECK(choice < 12);
        choices_differ |= choice != first;
        coarsest = std::max(coarsest, 0.01 * std::exp2(choice / 4));
        if (l + 1 == layers.size()) break;
        const std::uint32_t length = read_scalar<std::uint32_t>(rest.subspan(1), 0);
        REQUIRE(rest.size() > 5 + length);
        rest = rest.subspan(5 + length);
      }
    }
    // The hub's own choice may be the coarsest.
    CHECK((recording[t][0].model - x - mean).cwiseAbs().maxCoeff() < 0.04 * (1 + 1e-9));
  }
  CHECK(choices_differ);
}

TEST_CASE("predictive-coding: the hub reports messages that are malformed, and goes on") {
  const auto spoil = [](std::vector<std::byte> bytes, const std::string& how) {
    if (how == "empty") bytes.clear();
    if (how == "no such quantizer") bytes.front() = std::byte{8};
    if (how == "cut off") bytes.pop_back();
    if (how == "too long") bytes.push_back(std::byte{0});
    if (how == "choice alone") bytes.resize(1);
    if (how == "length beyond the end") bytes[4] = std::byte{255};
    if (how == "length of another layer") bytes[1] ^= std::byte{1};
    return bytes;
  };
  for (const std::string how : {"empty", "no such quantizer", "cut off", "too long", "choice alone",
                                "length beyond the end", "length of another layer"}) {
    CAPTURE(how);
    const auto experiment = layered<double>({.iterations = 4, .options = {{option::quantizers, 2}}});
    PacketPool packets;
    BareCluster<double> cluster(experiment, 1);
    cluster.tamper = [&](const Outgoing& sent) {
      if (sent.key.sender != 2 || sent.key.iteration != 4) return sent.packet;
      const auto bytes = sent.packet->bytes();
      return packet_of(packets, spoil({bytes.begin(), bytes.end()}, how));
    };
    cluster.run();
    REQUIRE(cluster.peer(0).divergence().has_value());
    CHECK(cluster.peer(0).divergence()->malformed);
    CHECK(cluster.peer(0).divergence()->iteration == 4);
    CHECK(cluster.peer(0).model().allFinite());
    for (PeerId worker = 1; worker < 4; ++worker) CHECK_FALSE(cluster.peer(worker).divergence().has_value());
  }
}

TEST_CASE("predictive-coding: messages are never longer than foretold") {
  const auto experiment = layered<float>({.iterations = 20, .options = {{option::quantizers, 2}}});
  const auto recording = record_run(experiment);
  PacketPool packets;
  const PeerRows rows(*experiment.schedule, 1);
  const auto peer = make_peer(experiment, 1, packets);
  for (std::size_t t = 1; t < recording.size(); ++t) {
    const Traffic most = peer->algorithm().traffic(t, rows);
    CHECK_FALSE(most.exact);
    CHECK(recording[t][1].sent.front().packet->size() <= most.payload_bytes);
  }
}

TEST_CASE("predictive-coding: settings that cannot be meant are refused, and others warned of") {
  const auto prepared = [](Plan plan, bool allow_unsound = false) {
    RunSettings settings = settings_of("predictive-coding", {"star", 3}, plan);
    settings.algorithm.allow_unsound = allow_unsound;
    return prepare<double>(settings, quadratic_problem<double>(19, first_peers(3), Shared::nothing));
  };
  CHECK(prepared({}).warnings.empty());
  CHECK(prepared({.compressor = "dither(linf, levels=7)"}).warnings.empty());
  CHECK(misuse_text([&] {
          prepared({.options = {{option::predictors, "hold, next"}}});
        }).starts_with("algorithm.predictors = next"));
  for (const std::string listed : {"", ",", "hold,", "hold,, last"})
    CHECK(
        misuse_text([&] {
          prepared({.options = {{option::predictors, listed}}});
        }) ==
        "algorithm.predictors = \"" + listed +
            "\": expected some of hold, last, mean3 and ema, with a comma between two, as in \"hold, last\"");
  CHECK(misuse_text([&] {
          prepared({.options = {{option::quantizers, 17}}});
        }).starts_with("algorithm.quantizers"));
  for (const std::string relative : {"none", "dither(linf, levels=7)", "fwht | grid(0.01)"})
    CHECK(misuse_text([&] {
            prepared({.compressor = relative, .options = {{option::quantizers, 2}}});
          }).find("could be coarser; expected 1, or a grid as the compressor") != std::string::npos);
  CHECK(prepared({.compressor = "grid(0.01)", .options = {{option::quantizers, 2}}}).warnings.empty());
  CHECK(misuse_text([&] { prepared({.compressor = "topk(10%)"}); }).find("unbiased") != std::string::npos);
  CHECK(prepared({.compressor = "fwht | grid(0.01)"}).warnings.size() == 1);
}

}  // namespace hearsay::test::predictive_coding_test
