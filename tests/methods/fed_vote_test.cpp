// fed-vote: votes are the weights in expectation, what a tally makes of them, and which votes count.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "algorithms/methods/fed_vote.hpp"
#include "algorithms/methods/parts/votes.hpp"
#include "runtime/foundation/digest.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::fed_vote_test {

namespace {

constexpr double when_unanimous = 3.30115;  // atanh(1 - 1e-4) / 1.5
constexpr Index dimension = 19;             // fills neither the last byte of bits, nor that of trits

double weight_of(double latent) { return std::tanh(1.5 * latent); }

double variance(VoteForm form, double weight) {
  return form == VoteForm::binary ? 1.0 - weight * weight : std::abs(weight) - weight * weight;
}

/// Weights in [-1, 1], both ends among them.
Vector<double> many_weights(Index count) {
  Vector<double> weights(count);
  for (Index k = 0; k < count; ++k) weights[k] = std::sin(static_cast<double>(k));
  weights[0] = 1.0;
  weights[1] = -1.0;
  weights[2] = 0.0;
  return weights;
}

std::vector<int> votes_in(VoteForm form, std::span<const std::byte> message, Index count) {
  std::vector<int> votes;
  for_each_vote(form, message, count, [&](Index, int vote) { votes.push_back(vote); });
  return votes;
}

std::vector<std::byte> bytes_of(const std::vector<unsigned>& values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

PacketRef packet_of(PacketPool& packets, const std::vector<std::byte>& bytes) {
  PacketBuffer buffer = packets.acquire();
  std::ranges::copy(bytes, buffer.resize(bytes.size()).begin());
  return std::move(buffer).seal();
}

/// The objectives are flat, so all workers vote for the hub's own weights. The hub has no data.
Experiment<double> dedicated_hub(PeerId workers, const Plan& plan) {
  RunSettings settings = settings_of("fed-vote", {"star", workers + 1}, plan);
  settings.topology.hub = HubData::none;
  return prepare<double>(settings, flat_problem<double>(dimension, workers));
}

/// Runs `experiment` with the votes(worker) in the place of what the workers answer.
template <class Votes>
Recording<double> record_with(const Experiment<double>& experiment, Votes votes) {
  PacketPool packets;
  BareCluster<double> cluster(experiment, 1);
  cluster.tamper = [&](const Outgoing& sent) {
    return sent.key.sender == 0 ? sent.packet : packet_of(packets, votes(sent.key.sender));
  };
  cluster.run();
  return cluster.recording();
}

/// An objective whose gradient is NaN.
class WithoutGradient final : public Objective<double> {
 public:
  Index dimension() const override { return test_dimension; }
  Index sample_count() const override { return 1; }
  double loss(const Vector<double>&) const override { return 0.0; }
  void gradient(const Vector<double>&, std::span<const Index>, Vector<double>& gradient) const override {
    gradient.setConstant(std::numeric_limits<double>::quiet_NaN());
  }

 private:
  static constexpr Index test_dimension = fed_vote_test::dimension;
};

}  // namespace

TEST_CASE("votes: their mean is the weight, and their variance 1 - w^2, or |w| - w^2 if ternary") {
  constexpr Index count = 20000;
  const Vector<double> weights = many_weights(count);
  PacketPool packets;
  for (const VoteForm form : {VoteForm::binary, VoteForm::ternary}) {
    RandomStream random(1, 0, 1, Purpose::compression);
    PacketBuffer buffer = packets.acquire();
    REQUIRE(cast_votes(form, weights, random, buffer) == CodecStatus::ok);
    REQUIRE(are_votes(form, buffer.bytes(), count));
    double error = 0.0;
    double squares = 0.0;
    double expected = 0.0;
    for_each_vote(form, buffer.bytes(), count, [&](Index k, int vote) {
      error += vote - weights[k];
      squares += (vote - weights[k]) * (vote - weights[k]);
      expected += variance(form, weights[k]);
    });
    CHECK(std::abs(error) < 4.0 * std::sqrt(expected));
    CHECK(squares == doctest::Approx(expected).epsilon(0.05));
  }
}

TEST_CASE("votes: a vote is the outcome that one uniform number per weight chooses, in order") {
  constexpr Index count = 1000;
  const Vector<double> weights = many_weights(count);
  PacketPool packets;
  for (const VoteForm form : {VoteForm::binary, VoteForm::ternary}) {
    RandomStream random(2, 3, 4, Purpose::compression);
    RandomStream again(2, 3, 4, Purpose::compression);
    PacketBuffer buffer = packets.acquire();
    REQUIRE(cast_votes(form, weights, random, buffer) == CodecStatus::ok);
    for_each_vote(form, buffer.bytes(), count, [&](Index k, int vote) {
      const double draw = again.uniform();
      const int sign = weights[k] > 0.0 ? 1 : -1;
      // The mean over both outcomes is exactly w: 2 (1 + w)/2 - 1, and sign(w) |w|.
      if (form == VoteForm::binary)
        CHECK(vote == (draw < (1.0 + weights[k]) / 2.0 ? 1 : -1));
      else
        CHECK(vote == (draw < std::abs(weights[k]) ? sign : 0));
    });
  }
}

TEST_CASE("votes: bits begin with the lowest of a byte, trits with the least digit") {
  CHECK(votes_in(VoteForm::binary, bytes_of({0b00000101, 0b1}), 9) ==
        std::vector<int>{1, -1, 1, -1, -1, -1, -1, -1, 1});
  CHECK(votes_in(VoteForm::ternary, bytes_of({0 + 3 * 1 + 9 * 2 + 27 * 2 + 81 * 0, 2}), 6) ==
        std::vector<int>{-1, 0, 1, 1, -1, 1});
}

TEST_CASE("votes: another length, stray bits, stray trits and bytes from 243 on are malformed") {
  const auto are_binary = [](const std::vector<unsigned>& values) {
    return are_votes(VoteForm::binary, bytes_of(values), dimension);
  };
  const auto are_ternary = [](const std::vector<unsigned>& values) {
    return are_votes(VoteForm::ternary, bytes_of(values), dimension);
  };
  CHECK(votes_bytes(VoteForm::binary, dimension) == 3);
  CHECK(are_binary({255, 255, 7}));
  CHECK_FALSE(are_binary({}));
  CHECK_FALSE(are_binary({255, 255}));
  CHECK_FALSE(are_binary({255, 255, 7, 0}));
  CHECK_FALSE(are_binary({255, 255, 8}));
  CHECK_FALSE(are_binary({255, 255, 128}));
  CHECK(are_votes(VoteForm::binary, bytes_of({255, 255}), 16));
  CHECK(votes_bytes(VoteForm::ternary, dimension) == 4);
  CHECK(are_ternary({242, 242, 242, 80}));
  CHECK_FALSE(are_ternary({242, 242, 242}));
  CHECK_FALSE(are_ternary({242, 242, 242, 80, 0}));
  CHECK_FALSE(are_ternary({243, 242, 242, 80}));
  CHECK_FALSE(are_ternary({242, 242, 255, 80}));
  CHECK_FALSE(are_ternary({242, 242, 242, 81}));
  CHECK(are_votes(VoteForm::ternary, bytes_of({242, 242}), 10));
}

TEST_CASE("votes: for weights of which one is NaN they are refused") {
  PacketPool packets;
  for (const VoteForm form : {VoteForm::binary, VoteForm::ternary}) {
    Vector<float> weights = Vector<float>::Zero(dimension);
    weights[dimension - 1] = std::numeric_limits<float>::quiet_NaN();
    RandomStream random(1, 0, 1, Purpose::compression);
    PacketBuffer buffer = packets.acquire();
    CHECK(cast_votes(form, weights, random, buffer) == CodecStatus::not_finite);
    CHECK(are_votes(form, buffer.bytes(), dimension));
  }
}

TEST_CASE("fed-vote: the tally is the workers' mean weight in expectation, with the variance of r votes") {
  constexpr Index count = 20000;
  constexpr PeerId peers = 4;
  for (const std::string vote : {"binary", "ternary"}) {
    CAPTURE(vote);
    const auto recording = record_run(flat_in<double>(
        {"star", peers}, "fed-vote", {.iterations = 1, .options = {{option::vote, vote}}}, count));
    const Vector<double> before = recording[0][0].model;
    const Vector<double> moved = recording[1][0].model - before;
    double expected = 0.0;
    for (const double weight : before)
      expected += variance(vote_form(vote), weight) / static_cast<double>(peers);
    // Where all agree the clamp takes 1e-4 off.
    CHECK(std::abs(moved.sum()) < 4.0 * std::sqrt(expected) + 1e-4 * static_cast<double>(count));
    CHECK(moved.squaredNorm() == doctest::Approx(expected).epsilon(0.05));
  }
}

TEST_CASE("fed-vote: it starts at the initial model, clamped into (-1, 1)") {
  const auto experiment = quadratics_in<double>({"star", 3}, "fed-vote", {.iterations = 1});
  constexpr double largest = 1.0 - 1e-4;
  const Vector<double> expected = experiment.problem.initial.cwiseMin(largest).cwiseMax(-largest);
  const auto recording = record_run(experiment);
  for (const auto& peer : recording[0]) CHECK((peer.model - expected).cwiseAbs().maxCoeff() < 1e-12);
}

TEST_CASE("fed-vote: a model is tanh(1.5 h), and a worker's is the hub's of an iteration before, in bits") {
  const auto recording = record_run(quadratics_in<float>({"star", 5}, "fed-vote", {.iterations = 10}));
  for (std::size_t t = 1; t < recording.size(); ++t) {
    const PeerRecord<float>& hub = recording[t][0];
    const Vector<double> expected = hub.states.at("latent").cast<double>().unaryExpr(&weight_of);
    CHECK((hub.model.cast<double>() - expected).cwiseAbs().maxCoeff() < 1e-6);
    for (PeerId worker = 1; worker < 5; ++worker)
      CHECK(digest(recording[t][worker].model) == digest(recording[t - 1][0].model));
  }
}

TEST_CASE("fed-vote: inside the clamp a round trip of tanh and atanh leaves the tally") {
  for (const double scale : {1.0, -1.0}) {
    const std::vector<unsigned> all =
        scale > 0 ? std::vector<unsigned>{242, 242, 242, 80} : std::vector<unsigned>{0, 0, 0, 0};
    const std::vector<unsigned> abstention = {121, 121, 121, 40};
    const auto recording =
        record_with(dedicated_hub(3, {.iterations = 2, .options = {{option::vote, "ternary"}}}),
                    [&](PeerId worker) { return bytes_of(worker == 1 ? all : abstention); });
    for (const double weight : recording.back()[0].model)
      CHECK(weight == doctest::Approx(scale / 3.0).epsilon(1e-14));
  }
}

TEST_CASE("fed-vote: if all votes agree, h = +-3.30115, whatever the trust") {
  for (const std::string trust : {"equal", "votes"})
    for (const std::string vote : {"binary", "ternary"}) {
      CAPTURE(trust);
      CAPTURE(vote);
      const std::vector<std::byte> votes =
          vote == "binary" ? bytes_of({0b10110010, 0b01010111, 0b101}) : bytes_of({200, 2, 236, 62});
      const auto recording = record_with(
          dedicated_hub(3, {.iterations = 3, .options = {{option::vote, vote}, {option::trust, trust}}}),
          [&](PeerId) { return votes; });
      const std::vector<int> expected = votes_in(vote_form(vote), votes, dimension);
      for (std::size_t t = 1; t < recording.size(); ++t)
        for (Index k = 0; k < dimension; ++k)
          CHECK(recording[t][0].states.at("latent")[k] ==
                doctest::Approx(when_unanimous * expected[static_cast<std::size_t>(k)]).epsilon(1e-6));
    }
}

TEST_CASE("fed-vote: if fewer than half vote against unanimous others, the signs are those of the others") {
  const std::vector<unsigned> honest = {0b10110010, 0b01010111, 0b101};
  const std::vector<unsigned> flipped = {0b01001101, 0b10101000, 0b010};
  const std::vector<int> expected = votes_in(VoteForm::binary, bytes_of(honest), dimension);
  for (const std::string trust : {"equal", "votes"})
    for (PeerId attackers = 0; attackers <= 2; ++attackers) {
      CAPTURE(trust);
      CAPTURE(attackers);
      const auto recording =
          record_with(dedicated_hub(5, {.iterations = 4, .options = {{option::trust, trust}}}),
                      [&](PeerId worker) { return bytes_of(worker <= attackers ? flipped : honest); });
      for (std::size_t t = 1; t < recording.size(); ++t)
        for (Index k = 0; k < dimension; ++k) {
          const double m = recording[t][0].model[k] * expected[static_cast<std::size_t>(k)];
          const double plain = attackers == 0 ? 1.0 - 1e-4 : (5.0 - 2.0 * attackers) / 5.0;
          CHECK(m == doctest::Approx(trust == "equal" ? plain : 1.0 - 1e-4).epsilon(1e-9));
        }
      if (trust == "equal") continue;
      for (PeerId worker = 1; worker <= 5; ++worker)
        CHECK(recording[4][0].states.at("trust")[worker] == (worker <= attackers ? 1.0 / 16.0 : 1.0));
    }
}

TEST_CASE("fed-vote: the votes of the absent do not count") {
  const World world = {"star", 8, "metropolis", "static", 0.4};
  const auto experiment = flat_in<double>(world, "fed-vote", {.iterations = 30}, dimension);
  const auto recording = record_run(experiment);
  for (std::size_t t = 1; t < recording.size(); ++t) {
    int answers = 0;
    for (PeerId id = 0; id < 8; ++id) {
      const MixingRow row = experiment.schedule->row(id, t - 1);
      answers += row.participates && row.trains ? 1 : 0;
    }
    REQUIRE(answers == 3);
    for (const double weight : recording[t][0].model) {
      const double sum = answers * weight;  // of 3 votes: -3, -1, 1 or 3
      CHECK(std::min(std::abs(std::abs(sum) - 1.0), std::abs(std::abs(sum) - 3.0)) < 1e-3);
    }
  }
}

TEST_CASE("fed-vote: the trust in a worker that is absent stays") {
  const World world = {"star", 8, "metropolis", "static", 0.4};
  const auto experiment =
      quadratics_in<double>(world, "fed-vote", {.iterations = 30, .options = {{option::trust, "votes"}}});
  const auto recording = record_run(experiment);
  int changes = 0;
  for (std::size_t t = 1; t < recording.size(); ++t)
    for (PeerId id = 0; id < 8; ++id) {
      const MixingRow row = experiment.schedule->row(id, t - 1);
      const double before = recording[t - 1][0].states.at("trust")[id];
      const double after = recording[t][0].states.at("trust")[id];
      if (!row.participates || !row.trains) CHECK(after == before);
      changes += after != before ? 1 : 0;
      CHECK(after > 0.0);
      CHECK(after <= 1.0);
    }
  CHECK(changes > 30);
}

TEST_CASE(
    "fed-vote: a worker sends ceil(d/8) bytes, or ceil(d/5) if ternary, and the hub its latent vector") {
  for (const std::string vote : {"binary", "ternary"}) {
    const auto recording = record_run(
        quadratics_in<float>({"star", 4}, "fed-vote", {.iterations = 3, .options = {{option::vote, vote}}}));
    for (std::size_t t = 1; t < recording.size(); ++t)
      for (PeerId id = 0; id < 4; ++id)
        for (const Outgoing& sent : recording[t][id].sent) {
          const std::size_t latent = t == 1 ? 0 : 4 * dimension;
          CHECK(sent.packet->size() == (id == 0 ? latent : vote == "binary" ? 3 : 4));
        }
  }
}

TEST_CASE("fed-vote: the hub reports votes that are malformed, and counts the others") {
  struct Garbage {
    std::string vote;
    std::vector<unsigned> bytes;
  };
  const std::vector<Garbage> all = {
      {"binary", {}},
      {"binary", {1, 1}},
      {"binary", {1, 1, 1, 1}},
      {"binary", {1, 1, 8}},
      {"ternary", {}},
      {"ternary", {1, 1, 1}},
      {"ternary", {1, 1, 1, 81}},
      {"ternary", {243, 1, 1, 1}},
      {"ternary", {1, 1, 255, 1}},
  };
  for (const Garbage& garbage : all)
    for (const std::string trust : {"equal", "votes"}) {
      CAPTURE(garbage.vote);
      CAPTURE(garbage.bytes.size());
      const auto experiment = quadratics_in<double>(
          {"star", 4}, "fed-vote",
          {.iterations = 4, .options = {{option::vote, garbage.vote}, {option::trust, trust}}});
      PacketPool packets;
      BareCluster<double> cluster(experiment, 1);
      cluster.tamper = [&](const Outgoing& sent) {
        return sent.key.sender == 2 && sent.key.iteration == 4 ? packet_of(packets, bytes_of(garbage.bytes))
                                                               : sent.packet;
      };
      cluster.run();
      REQUIRE(cluster.peer(0).divergence().has_value());
      CHECK(cluster.peer(0).divergence()->malformed);
      CHECK(cluster.peer(0).divergence()->iteration == 4);
      CHECK(cluster.peer(0).model().allFinite());
      for (PeerId worker = 1; worker < 4; ++worker)
        CHECK_FALSE(cluster.peer(worker).divergence().has_value());
    }
}

TEST_CASE("fed-vote: a gradient that is NaN ends the run, and is seen in the model") {
  Problem<double> problem = flat_problem<double>(dimension, 3);
  for (auto& objective : problem.objectives) objective = std::make_unique<WithoutGradient>();
  const auto experiment =
      prepare<double>(settings_of("fed-vote", {"star", 3}, {.iterations = 1}), std::move(problem));
  BareCluster<double> cluster(experiment, 1);
  cluster.run();
  for (PeerId id = 0; id < 3; ++id) {
    REQUIRE(cluster.peer(id).divergence().has_value());
    CHECK_FALSE(cluster.peer(id).divergence()->malformed);
    CHECK(cluster.peer(id).model().hasNaN());
  }
}

}  // namespace hearsay::test::fed_vote_test
