// lgc-ring: the basis that one peer learns for all, what is summed and gathered, and lgc as its other form.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "algorithms/compression/registry.hpp"
#include "algorithms/methods/parts/principal_directions.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/methods/basis_run.hpp"

namespace hearsay::test::lgc_ring_test {

namespace {

constexpr double eta = 0.1;

World ring_of(PeerId peers) { return {"ring", peers}; }
World star_of(PeerId peers) { return {"star", peers}; }

template <class Scalar>
double distance(const Vector<Scalar>& a, const Vector<Scalar>& b) {
  return static_cast<double>((a - b).cwiseAbs().maxCoeff());
}

/// Returns c_i = P' z_i + s_i as peer i sends it in iteration t: what p = g_i + e_i leaves besides the error.
Vector<double> sent_by(const Experiment<double>& experiment, const Recording<double>& recording,
                       std::size_t t, PeerId i) {
  return gradient_at(experiment, i, recording[t - 1][i].model) + recording[t - 1][i].states.at("error") -
         recording[t][i].states.at("error");
}

}  // namespace

TEST_CASE_TEMPLATE("lgc-ring: models and basis are equal at all peers, bit for bit, in every phase", Scalar,
                   float, double) {
  for (const PeerId peers : {1, 2, 3, 5, 8})
    for (const std::string compressor : {"topk(10%)", "leader_topk(20%)", "none"}) {
      CAPTURE(peers);
      CAPTURE(compressor);
      const auto recording =
          record_run(quadratics_in<Scalar>(ring_of(peers), "lgc-ring", plan_with(6, compressor)));
      for (std::size_t t = 0; t < recording.size(); ++t)
        for (PeerId i = 0; i < peers; ++i) {
          const PeerRecord<Scalar>& peer = recording[t][i];
          CHECK(digest(peer.model) == digest(recording[t][0].model));
          const Vector<Scalar>& basis = peer.states.at("basis");
          if (t <= dense_rounds) {
            CHECK(basis.size() == 0);
          } else {
            const Index rank = std::min<Index>(6, 4 * peers);
            REQUIRE(basis.size() == rank * 19);
            CHECK(skewness(directions_of(peer)) < (std::is_same_v<Scalar, float> ? 1e-5 : 1e-12));
            CHECK(digest(basis) == digest(recording.back()[0].states.at("basis")));
          }
          // Peer 0 keeps gradients, of the last four dense rounds.
          CHECK(peer.states.contains("kept gradients") == (i == 0));
          if (i == 0)
            CHECK(peer.states.at("kept gradients").size() ==
                  (t >= dense_rounds - 3 && t <= dense_rounds ? peers * 4 * 19 : 0));
        }
    }
}

TEST_CASE("lgc-ring: while dense it is all-reduce SGD, bit for bit until gradients are gathered") {
  Plan plan = plan_with(6, "topk(10%)", 12);
  plan.options.set(option::dense_rounds, 12);
  const auto recording = record_run(quadratics_in<double>(ring_of(5), "lgc-ring", plan));
  const auto expected = record_run(quadratics_in<double>(ring_of(5), "allreduce-sgd", {.iterations = 12}));
  for (std::size_t t = 0; t < recording.size(); ++t) {
    CHECK(distance(recording[t][0].model, expected[t][0].model) < 1e-14);
    if (t <= 12 - 4) CHECK(digest(recording[t][0].model) == digest(expected[t][0].model));
  }
}

TEST_CASE("lgc-ring: the basis is that of the last gradients of every peer") {
  const auto experiment = quadratics_in<double>(ring_of(3), "lgc-ring", plan_with(4, "topk(10%)"));
  const auto recording = record_run(experiment);
  MatrixOf<double> rows(19, 12);  // by columns: the rows of the matrix in one piece
  for (Index k = 0; k < 4; ++k)
    for (PeerId i = 0; i < 3; ++i)
      rows.col(3 * k + i) = gradient_at(experiment, i, recording[dense_rounds - 4 + k][i].model);
  MatrixOf<double> expected(19, 4);
  principal_directions<double>({rows.data(), 19 * 12}, 19, {expected.data(), 19 * 4});
  const MatrixOf<double> D = directions_of(recording.back()[2]);
  CHECK((D * D.transpose() - expected * expected.transpose()).cwiseAbs().maxCoeff() < 1e-9);
}

TEST_CASE("lgc-ring: it is lgc with all workers, to rounding") {
  for (const PeerId peers : {1, 2, 3, 6})
    for (const std::uint64_t rank : {2, 6})
      for (const std::string compressor : {"topk(20%)", "none", "sign"}) {
        CAPTURE(peers);
        CAPTURE(rank);
        CAPTURE(compressor);
        Plan plan = plan_with(rank, compressor, 40);
        plan.step_schedule = "inverse-sqrt";
        const auto ring = record_run(quadratics_in<double>(ring_of(peers), "lgc-ring", plan));
        const auto star = record_run(quadratics_in<double>(star_of(peers), "lgc", plan));
        for (std::size_t t = 0; t < ring.size(); ++t) {
          CHECK(distance(ring[t][0].model, star[t][0].model) < 1e-11);
          for (PeerId i = 0; i < peers; ++i)
            CHECK(distance(ring[t][i].states.at("error"), star[t][i].states.at("error")) < 1e-10);
        }
        CHECK(distance(ring.back()[0].states.at("basis"), star.back()[0].states.at("basis")) < 1e-7);
      }
}

TEST_CASE("lgc-ring: where the basis spans R^d, everything is sent, whatever the compressor leaves out") {
  for (const std::string compressor : {"topk(k=1)", "leader_topk(k=1)"}) {
    CAPTURE(compressor);
    const auto recording = record_run(
        quadratics_in<double>(ring_of(3), "lgc-ring", plan_with(8, compressor), Shared::nothing, 4));
    const auto expected = record_run(
        quadratics_in<double>(ring_of(3), "allreduce-sgd", {.iterations = 30}, Shared::nothing, 4));
    CHECK(directions_of(recording.back()[0]).cols() == 4);
    for (std::size_t t = 0; t < recording.size(); ++t) {
      for (const PeerRecord<double>& peer : recording[t])
        CHECK(peer.states.at("error").cwiseAbs().maxCoeff() < 1e-14);
      CHECK(distance(recording[t][0].model, expected[t][0].model) < 1e-12);
    }
  }
}

TEST_CASE("lgc-ring: of what is in the span nothing is owed, of the rest what the compressor leaves out") {
  constexpr Index k = 3;
  const auto experiment = quadratics_in<double>(ring_of(5), "lgc-ring", plan_with(6, "topk(k=3)"));
  const auto recording = record_run(experiment);
  for (std::size_t t = dense_rounds + 1; t < recording.size(); ++t)
    for (PeerId i = 0; i < 5; ++i) {
      const Vector<double> c = sent_by(experiment, recording, t, i);
      const Vector<double>& owed = recording[t][i].states.at("error");
      const MatrixOf<double> D = directions_of(recording[t][i]);
      const Vector<double> p = c + owed;
      const Vector<double> rest = p - D * (D.transpose() * p);
      CHECK(((c - (p - rest)).array().abs() > 1e-14).count() <= k);  // s_i has k entries
      CHECK(owed.squaredNorm() <= (1 - static_cast<double>(k) / 19) * rest.squaredNorm() * (1 + 1e-12));
    }
}

TEST_CASE("lgc-ring: without dense rounds it is qsgd-allreduce with error feedback, bit for bit") {
  for (const PeerId peers : {1, 2, 3, 5})
    for (const std::string compressor : {"topk(20%)", "leader_topk(20%)"}) {
      CAPTURE(peers);
      CAPTURE(compressor);
      Plan plan{.compressor = compressor, .iterations = 30, .options = {{option::dense_rounds, 0}}};
      const auto ring = record_run(quadratics_in<double>(ring_of(peers), "lgc-ring", plan));
      plan.options = {{option::feedback, "ef"}};
      const auto qsgd = record_run(quadratics_in<double>(ring_of(peers), "qsgd-allreduce", plan));
      for (std::size_t t = 0; t < ring.size(); ++t) {
        CHECK(digest(ring[t][0].model) == digest(qsgd[t][0].model));
        for (PeerId i = 0; i < peers; ++i)
          CHECK(digest(ring[t][i].states.at("error")) == digest(qsgd[t][i].states.at("memory")));
      }
    }
}

TEST_CASE("lgc-ring: the step is the mean of what was sent, which with what is owed are all gradients") {
  for (const std::string compressor : {"topk(20%)", "leader_topk(20%)"}) {
    CAPTURE(compressor);
    const auto experiment = quadratics_in<double>(ring_of(5), "lgc-ring", plan_with(6, compressor, 40));
    const auto recording = record_run(experiment);
    const auto rest = make_compressor<double>(compressor, {});
    std::vector<Vector<double>> sums(5, Vector<double>::Zero(19));  // sent, less the gradients
    for (std::size_t t = dense_rounds + 1; t < recording.size(); ++t) {
      Vector<double> step = Vector<double>::Zero(19);
      Vector<double> with_owed = recording[t][0].model - recording[t - 1][0].model;
      for (PeerId i = 0; i < 5; ++i) {
        const Vector<double> c = sent_by(experiment, recording, t, i);
        const Vector<double> gradient = gradient_at(experiment, i, recording[t - 1][i].model);
        sums[i] += c - gradient;
        step -= eta / 5 * c;
        with_owed += eta / 5 *
                     (gradient - recording[t][i].states.at("error") + recording[t - 1][i].states.at("error"));
        CHECK(distance<double>(sums[i], -recording[t][i].states.at("error")) < 1e-12);
        if (rest->shared_selection()) continue;
        // What went round the ring is c, too: z by itself, and s in the packet.
        const MatrixOf<double> D = directions_of(recording[t][i]);
        Vector<double> said = D * (D.transpose() * (c + recording[t][i].states.at("error")));
        const auto& own = *std::ranges::find_if(recording[t][i].sent,
                                                [](const Outgoing& sent) { return sent.key.slot == 0; });
        REQUIRE(rest->accumulate(own.packet->bytes(), 1, view(said)) == CodecStatus::ok);
        CHECK(distance(said, c) < 1e-13);
      }
      CHECK(distance<double>(recording[t][0].model - recording[t - 1][0].model, step) < 1e-13);
      CHECK(with_owed.cwiseAbs().maxCoeff() < 1e-13);  // with what is owed, it is gradient descent
    }
  }
}

TEST_CASE("lgc-ring: with a leader all send the same coordinates of their rests, those of the leader") {
  const auto experiment = quadratics_in<double>(ring_of(3), "lgc-ring", plan_with(6, "leader_topk(k=2)", 20));
  const auto recording = record_run(experiment);
  for (std::size_t t = dense_rounds + 1; t < recording.size(); ++t) {
    std::vector<Index> chosen;
    for (PeerId step = 0; step < 3; ++step) {
      const auto i = static_cast<PeerId>((t + step) % 3);  // the leader first
      const MatrixOf<double> D = directions_of(recording[t][i]);
      const Vector<double> p = sent_by(experiment, recording, t, i) + recording[t][i].states.at("error");
      const Vector<double> rest = p - D * (D.transpose() * p);
      const Vector<double>& owed = recording[t][i].states.at("error");
      std::vector<Index> sent;
      for (Index k = 0; k < 19; ++k)
        if (std::abs(owed[k] - rest[k]) > 1e-13) sent.push_back(k);
      if (step == 0) {
        REQUIRE(sent.size() == 2);
        chosen = sent;
        CHECK(rest.cwiseAbs().maxCoeff() ==
              doctest::Approx(std::max(std::abs(rest[sent[0]]), std::abs(rest[sent[1]]))));
      }
      for (const Index k : chosen) CHECK(std::abs(owed[k]) < 1e-13);
      CHECK(sent.size() <= 2);
    }
  }
}

TEST_CASE("lgc-ring: its traffic is foretold, in every phase, exactly") {
  for (const PeerId peers : {1, 2, 3, 8})
    for (const std::string compressor : {"topk(10%)", "leader_topk(20%)"})
      for (const std::uint64_t rounds : {2, 5, 9})
        for (const std::uint64_t iterations : {1, 4, 5, 6, 9, 10, 30, 101}) {
          CAPTURE(peers);
          CAPTURE(compressor);
          CAPTURE(rounds);
          CAPTURE(iterations);
          Plan plan = plan_with(3, compressor, iterations);
          plan.options.set(option::dense_rounds, rounds);
          const auto experiment = quadratics_in<float>(ring_of(peers), "lgc-ring", plan);
          const TrafficForecast forecast = forecast_traffic(experiment);
          CHECK(forecast.exact);
          const RunOutcome<float> outcome = simulate(experiment, Duration{0});
          PacketPool packets;
          for (PeerId id = 0; id < peers; ++id) {
            CHECK(outcome.peers[id].meters.messages_sent == forecast.peers[id].messages);
            CHECK(outcome.peers[id].meters.bytes_sent == forecast.peers[id].bytes);
            const auto peer = make_peer(experiment, id, packets);
            const PeerRows rows(*experiment.schedule, id);
            std::uint64_t bytes = 0;
            for (std::uint64_t t = 1; t <= iterations; ++t)
              bytes += peer->algorithm().traffic(t, rows).payload_bytes;
            CHECK(bytes == peer->algorithm().traffic_up_to(iterations, rows)->payload_bytes);
          }
        }
}

TEST_CASE("lgc-ring: a message that is garbage ends the run where it arrives, in every phase") {
  struct Garbage {
    std::uint64_t iteration;
    Slot slot;
  };
  // Of 3 peers: a chunk of a sum of gradients, a gathered gradient, and in the first coded round a rest, a
  // chunk of a sum of codes, and one of the basis.
  for (const Garbage& garbage :
       std::vector<Garbage>{{1, 0}, {1, 3}, {4, 0}, {4, 1}, {6, 0}, {6, 2}, {6, 6}}) {
    CAPTURE(garbage.iteration);
    CAPTURE(garbage.slot);
    const auto experiment =
        quadratics_in<float>(ring_of(3), "lgc-ring", plan_with(3, "topk(10%)", garbage.iteration));
    BareCluster<float> cluster(experiment, 1);
    PacketPool packets;
    bool tampered = false;
    cluster.tamper = [&](const Outgoing& sent) {
      if (sent.key.iteration != garbage.iteration || sent.key.slot != garbage.slot || sent.key.sender != 1)
        return sent.packet;
      tampered = true;
      PacketBuffer buffer = packets.acquire();
      buffer.resize(3);
      return std::move(buffer).seal();
    };
    cluster.run();
    CHECK(tampered);
    const auto& divergence = cluster.peer(2).divergence();
    REQUIRE(divergence.has_value());
    CHECK(divergence->malformed);
    CHECK(divergence->iteration == garbage.iteration);
  }
}

}  // namespace hearsay::test::lgc_ring_test
