// lgc: the basis that the hub learns, and what is sent in it.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "algorithms/compression/registry.hpp"
#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/parts/principal_directions.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "runtime/experiment/traffic_forecast.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/simulator/simulator.hpp"
#include "tests/methods/basis_run.hpp"

namespace hearsay::test::lgc_test {

namespace {

template <class Scalar>
constexpr double rounding = std::is_same_v<Scalar, float> ? 1e-5 : 1e-12;

template <class Scalar>
struct Directions {
  std::size_t found;
  MatrixOf<Scalar> columns;
};

/// The leading directions of a matrix, `count` of them.
template <class Scalar>
Directions<Scalar> directions_of_matrix(const MatrixOf<Scalar>& matrix, Index count) {
  const MatrixOf<Scalar> transposed = matrix.transpose();  // by columns: the rows of the matrix in one piece
  MatrixOf<Scalar> columns = MatrixOf<Scalar>::Ones(matrix.cols(), count);
  const auto length = static_cast<std::size_t>(matrix.cols());
  const std::size_t found =
      principal_directions<Scalar>({transposed.data(), static_cast<std::size_t>(transposed.size())}, length,
                                   {columns.data(), static_cast<std::size_t>(columns.size())});
  return {found, columns};
}

/// Returns the orthogonal matrix I - 2 v v' / v'v.
template <class Scalar>
MatrixOf<Scalar> reflection(Index size, std::uint64_t seed) {
  const Vector<Scalar> v = normal_vector<Scalar>(size, seed, 0);
  return MatrixOf<Scalar>::Identity(size, size) - 2 / v.squaredNorm() * v * v.transpose();
}

template <class Scalar>
void check_known_directions() {
  // M = U diag(4, 2, 1, 0, 0) V', U 5 x 5, V 9 x 9
  const MatrixOf<Scalar> U = reflection<Scalar>(5, 1);
  const MatrixOf<Scalar> V = reflection<Scalar>(9, 2);
  Vector<Scalar> values(5);
  values << 4, 2, 1, 0, 0;
  const MatrixOf<Scalar> M = U * values.asDiagonal() * V.leftCols(5).transpose();
  for (const Index count : {1, 3, 5, 9}) {
    CAPTURE(count);
    const Directions<Scalar> directions = directions_of_matrix(M, count);
    const Index expected = std::min<Index>(count, 3);
    CHECK(directions.found == static_cast<std::size_t>(expected));
    CHECK(skewness<Scalar>(directions.columns.leftCols(expected)) < rounding<Scalar>);
    CHECK(directions.columns.rightCols(count - expected).isZero(0));
    for (Index k = 0; k < expected; ++k) {
      Index largest = 0;
      V.col(k).cwiseAbs().maxCoeff(&largest);
      const Vector<Scalar> v = (V(largest, k) > 0 ? 1 : -1) * V.col(k);
      CHECK((directions.columns.col(k) - v).cwiseAbs().maxCoeff() < rounding<Scalar>);
    }
  }
}

}  // namespace

TEST_CASE("principal directions: those of a matrix with known singular vectors") {
  check_known_directions<float>();
  check_known_directions<double>();
}

TEST_CASE("principal directions: of entries equally large, the first is positive") {
  MatrixOf<double> M(1, 3);
  M << -2, 2, -2;
  const Directions<double> directions = directions_of_matrix(M, 2);
  CHECK(directions.found == 1);
  const double entry = 1 / std::sqrt(3.0);
  CHECK((directions.columns.col(0) - Vector<double>{{entry, -entry, entry}}).norm() < 1e-15);
  CHECK(directions.columns.col(1).isZero(0));
}

TEST_CASE("principal directions: orthonormal, too, where singular values are a million times apart") {
  Vector<double> values(6);
  for (Index k = 0; k < 6; ++k) values[k] = std::pow(10.0, -static_cast<double>(k));
  const MatrixOf<double> M =
      reflection<double>(6, 3) * values.asDiagonal() * reflection<double>(40, 4).leftCols(6).transpose();
  const Directions<double> directions = directions_of_matrix(M, 6);
  CHECK(directions.found == 6);
  CHECK(skewness(directions.columns) < 1e-14);
}

TEST_CASE("principal directions: none of a matrix that is empty, zero or not finite") {
  CHECK(directions_of_matrix<double>(MatrixOf<double>::Zero(3, 4), 2).found == 0);
  CHECK(directions_of_matrix<double>(MatrixOf<double>(0, 4), 2).found == 0);
  for (const double bad : {std::numeric_limits<double>::infinity(), std::nan(""), 1e200}) {
    MatrixOf<double> M = MatrixOf<double>::Ones(3, 4);
    M(1, 2) = bad;
    const Directions<double> directions = directions_of_matrix(M, 2);
    CHECK(directions.found == 0);
    CHECK(directions.columns.isZero(0));
  }
}

TEST_CASE_TEMPLATE("lgc: the basis is orthonormal, and the same at all peers, bit for bit", Scalar, float,
                   double) {
  const auto recording = record_run(quadratics_in<Scalar>({"star", 5}, "lgc", plan_with(6, "topk(10%)")));
  for (std::size_t t = 0; t < recording.size(); ++t)
    for (const PeerRecord<Scalar>& peer : recording[t]) {
      const Vector<Scalar>& basis = peer.states.at("basis");
      if (t <= dense_rounds) {
        CHECK(basis.size() == 0);
        continue;
      }
      REQUIRE(basis.size() == 6 * 19);
      CHECK(skewness(directions_of(peer)) < rounding<Scalar>);
      CHECK(digest(basis) == digest(recording.back()[0].states.at("basis")));
    }
  CHECK(recording[1][0].states.at("kept gradients").size() == 5 * 4 * 19);
  CHECK(recording[dense_rounds + 1][0].states.at("kept gradients").size() == 0);
}

TEST_CASE("lgc: the basis is that of the last gradients of every worker, whoever sat out") {
  for (const World& world : std::vector<World>{{"star", 3}, {"star", 3, "metropolis", "static", 0.67}}) {
    CAPTURE(world.name());
    Plan plan = plan_with(4, "topk(10%)", 40);
    plan.options.set(option::dense_rounds, 12);
    const auto experiment = quadratics_in<double>(world, "lgc", plan);
    const auto recording = record_run(experiment);
    std::vector<Vector<double>> last;
    for (PeerId worker = 0; worker < 3; ++worker) {
      int kept = 0;
      for (std::size_t t = 12; t > 0 && kept < 4; --t) {
        const MixingRow row = experiment.schedule->row(worker, t - 1);
        if (!row.participates || !row.trains) continue;
        last.push_back(gradient_at(experiment, worker, recording[t - 1][0].model));
        ++kept;
      }
    }
    MatrixOf<double> M(static_cast<Index>(last.size()), 19);
    for (std::size_t k = 0; k < last.size(); ++k) M.row(static_cast<Index>(k)) = last[k].transpose();
    const MatrixOf<double> expected = directions_of_matrix(M, 4).columns;
    for (const PeerRecord<double>& peer : recording.back()) {
      const MatrixOf<double> D = directions_of(peer);
      CHECK((D * D.transpose() - expected * expected.transpose()).cwiseAbs().maxCoeff() < 1e-9);
    }
  }
}

TEST_CASE("lgc: a worker that sat out gets the basis in the first message that it hears afterwards") {
  const World world = {"star", 8, "metropolis", "static", 0.25};
  const auto experiment = quadratics_in<double>(world, "lgc", plan_with(3, "topk(10%)", 40));
  const auto recording = record_run(experiment);
  std::vector<bool> knows(8);
  std::size_t late = 0;
  for (std::size_t t = dense_rounds + 1; t < recording.size(); ++t) {
    for (const Outgoing& sent : recording[t][0].sent) {
      const bool with_basis = sent.packet->size() == (3 + 1) * 19 * sizeof(double);
      CHECK((with_basis || sent.packet->size() == 19 * sizeof(double)));
      CHECK(with_basis == !knows[sent.to]);
      late += with_basis && t > dense_rounds + 1 ? 1 : 0;
      knows[sent.to] = true;
    }
    for (PeerId worker = 1; worker < 8; ++worker)
      CHECK((recording[t][worker].states.at("basis").size() != 0) == knows[worker]);
  }
  CHECK(late > 0);
}

TEST_CASE("lgc: where the basis spans R^d, everything is sent, whatever the compressor leaves out") {
  const auto experiment =
      quadratics_in<double>({"star", 3}, "lgc", plan_with(8, "topk(k=1)"), Shared::nothing, 4);
  const auto plain = quadratics_in<double>({"star", 3}, "lgc", plan_with(8, "none"), Shared::nothing, 4);
  const auto recording = record_run(experiment);
  const auto expected = record_run(plain);
  CHECK(directions_of(recording.back()[0]).cols() == 4);
  for (std::size_t t = dense_rounds + 1; t < recording.size(); ++t) {
    for (const PeerRecord<double>& peer : recording[t])
      CHECK(peer.states.at("error").cwiseAbs().maxCoeff() < 1e-14);
    CHECK((recording[t][0].model - expected[t][0].model).cwiseAbs().maxCoeff() < 1e-12);
  }
}

TEST_CASE("lgc: of a vector in the span its coordinates are sent, and nothing is owed") {
  // Alone, the first compressed gradient is nearly in the span of the last four: what is owed of it is less
  // than of topk alone.
  const auto experiment = quadratics_in<double>({"star", 1}, "lgc", plan_with(8, "topk(k=1)", 12));
  const auto recording = record_run(experiment);
  const Vector<double> gradient = gradient_at(experiment, 0, recording[dense_rounds][0].model);
  const MatrixOf<double> D = directions_of(recording[dense_rounds + 1][0]);
  CHECK(D.cols() == 4);
  const double outside = (gradient - D * (D.transpose() * gradient)).norm();
  CHECK(outside < 1e-2 * gradient.norm());
  CHECK(recording[dense_rounds + 1][0].states.at("error").norm() <= outside * (1 + 1e-12));
}

TEST_CASE("lgc: what is left out is the compressor's error of what is outside the basis") {
  // So it is at most (1 - delta) of that, which is at most p: C alone promises (1 - delta) of p.
  constexpr Index k = 3;
  const auto experiment = quadratics_in<double>({"star", 5}, "lgc", plan_with(6, "topk(k=3)"));
  const auto recording = record_run(experiment);
  double kept = 0.0;
  double kept_by_topk = 0.0;
  double all = 0.0;
  for (std::size_t t = dense_rounds + 1; t < recording.size(); ++t)
    for (PeerId i = 0; i < 5; ++i) {
      const Vector<double> p =
          gradient_at(experiment, i, recording[t - 1][0].model) + recording[t - 1][i].states.at("error");
      const MatrixOf<double> D = directions_of(recording[t][i]);
      const Vector<double> rest = p - D * (D.transpose() * p);
      const double left = recording[t][i].states.at("error").squaredNorm();
      CHECK(left <= (1 - static_cast<double>(k) / 19) * rest.squaredNorm() * (1 + 1e-12) + 1e-28);
      CHECK(rest.squaredNorm() <= p.squaredNorm() * (1 + 1e-12));
      Vector<double> squares = p.cwiseAbs2();
      std::ranges::sort(squares);
      kept += p.squaredNorm() - left;
      kept_by_topk += squares.tail(k).sum();
      all += p.squaredNorm();
    }
  CHECK(kept > kept_by_topk);
  CHECK(kept <= all);
}

TEST_CASE("lgc: what a worker has sent and what it owes are the sum of its gradients") {
  for (const World& world : std::vector<World>{{"star", 4}, {"star", 4, "metropolis", "static", 0.5}}) {
    CAPTURE(world.name());
    const auto experiment = quadratics_in<double>(world, "lgc", plan_with(5, "topk(10%)", 40));
    const auto recording = record_run(experiment);
    const auto rest = make_compressor<double>("topk(10%)", experiment.problem.objectives.front()->segments());
    for (PeerId i = 1; i < 4; ++i) {
      Vector<double> sent = Vector<double>::Zero(19);
      Vector<double> gradients = sent;
      for (std::size_t t = dense_rounds + 1; t < recording.size(); ++t) {
        if (!experiment.schedule->row(i, t - 1).participates) continue;
        gradients += gradient_at(experiment, i, recording[t - 1][0].model);
        const std::span<const std::byte> message = recording[t][i].sent.front().packet->bytes();
        const MatrixOf<double> D = directions_of(recording[t][i]);
        Vector<double> code(D.cols());
        const std::size_t code_bytes = view(code).size_bytes();
        REQUIRE(read_full<double>(message.first(code_bytes), view(code)));
        sent += D * code;
        REQUIRE(rest->accumulate(message.subspan(code_bytes), 1, view(sent)) == CodecStatus::ok);
        CHECK((sent + recording[t][i].states.at("error") - gradients).cwiseAbs().maxCoeff() < 1e-12);
      }
    }
  }
}

TEST_CASE("lgc: with what is owed, the model follows gradient descent") {
  const auto experiment = quadratics_in<double>({"star", 5}, "lgc", plan_with(6, "topk(20%)", 40));
  const auto recording = record_run(experiment);
  const auto virtual_model = [](const std::vector<PeerRecord<double>>& peers) {
    Vector<double> model = peers[0].model;
    for (const PeerRecord<double>& peer : peers) model -= 0.1 / 5 * peer.states.at("error");
    return model;
  };
  for (std::size_t t = 1; t < recording.size(); ++t) {
    Vector<double> expected = virtual_model(recording[t - 1]);
    for (PeerId i = 0; i < 5; ++i)
      expected -= 0.1 / 5 * gradient_at(experiment, i, recording[t - 1][0].model);
    CHECK((virtual_model(recording[t]) - expected).cwiseAbs().maxCoeff() < 1e-13);
  }
}

TEST_CASE("lgc: without dense rounds it is comp-ams with plain steps") {
  Plan plan{.compressor = "topk(20%)", .iterations = 30, .options = {{option::dense_rounds, 0}}};
  const auto lgc = record_run(quadratics_in<double>({"star", 4}, "lgc", plan));
  plan.options = {{option::optimizer, "sgd"}};
  const auto comp_ams = record_run(quadratics_in<double>({"star", 4}, "comp-ams", plan));
  for (std::size_t t = 0; t < lgc.size(); ++t) CHECK(digest(lgc[t][0].model) == digest(comp_ams[t][0].model));
}

TEST_CASE("lgc: its traffic is foretold, in every phase, exactly") {
  for (const double participation : {1.0, 0.25, 0.6})
    for (const std::uint64_t iterations : {1, 5, 6, 7, 30, 200}) {
      const World world = {"star", 8, "metropolis", "static", participation};
      Plan plan = plan_with(3, "topk(10%)", iterations);
      const auto experiment = quadratics_in<float>(world, "lgc", plan);
      CAPTURE(participation);
      CAPTURE(iterations);
      const TrafficForecast forecast = forecast_traffic(experiment);
      CHECK(forecast.exact);
      const RunOutcome<float> outcome = simulate(experiment, Duration{0});
      PacketPool packets;
      for (PeerId id = 0; id < 8; ++id) {
        CHECK(outcome.peers[id].meters.messages_sent == forecast.peers[id].messages);
        CHECK(outcome.peers[id].meters.bytes_sent == forecast.peers[id].bytes);
        const auto peer = make_peer(experiment, id, packets);
        const PeerRows rows(*experiment.schedule, id);
        std::uint64_t bytes = 0;
        for (std::uint64_t t = 1; t <= iterations; ++t)
          bytes += peer->algorithm().traffic(t, rows).payload_bytes;
        const std::optional<Traffic> all = peer->algorithm().traffic_up_to(iterations, rows);
        REQUIRE(all.has_value() ==
                (participation == 1.0));  // rounds that are drawn anew are counted one by one
        if (all) CHECK(bytes == all->payload_bytes);
      }
    }
}

}  // namespace hearsay::test::lgc_test
