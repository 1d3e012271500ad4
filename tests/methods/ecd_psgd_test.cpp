#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/objectives/logistic.hpp"
#include "runtime/peer/peer.hpp"
#include "tests/support/cluster.hpp"
#include "tests/support/models.hpp"
#include "tests/support/worlds.hpp"

namespace hearsay::test::ecd_psgd_test {

namespace {

const World ring_of_3 = {"ring", 3};

/// The errors of the estimates in one run.
class Errors {
 public:
  Errors(const Experiment<double>& experiment, const Recording<double>& recording)
      : recording_(recording),
        compressor_(make_compressor<double>(experiment.settings.algorithm.compressor,
                                            experiment.problem.objectives[0]->segments())) {}

  /// e_t = xt_t - x_t of a peer; t counts from 1, before the first iteration.
  Vector<double> error(std::size_t t, PeerId peer) const {
    const PeerRecord<double>& record = recording_[t - 1][peer];
    return *record.published - record.model;
  }
  /// z_t = x_t + (t/2) (x_{t+1} - x_t), the vector compressed in iteration t.
  Vector<double> extrapolated(std::size_t t, PeerId peer) const {
    const Vector<double>& x = recording_[t - 1][peer].model;
    return x + 0.5 * static_cast<double>(t) * (recording_[t][peer].model - x);
  }
  Vector<double> decoded(std::size_t t, PeerId peer) const {
    Vector<double> c = Vector<double>::Zero(recording_[0][0].model.size());
    compressor_->accumulate(recording_[t][peer].sent.front().packet->bytes(), 1, view(c));
    return c;
  }

 private:
  const Recording<double>& recording_;
  std::unique_ptr<Compressor<double>> compressor_;
};

/// A problem whose stochastic gradients never settle: one sample per gradient.
Experiment<double> noisy_experiment(std::uint64_t iterations, std::uint64_t restart_every, Index dimension) {
  Problem<double> problem;
  const auto samples = random_samples<double>(96, dimension, 2, false);
  for (PeerId id = 0; id < 3; ++id) {
    Shard<double> shard{samples, {}};
    for (Index row = id; row < 96; row += 3) shard.rows.push_back(row);
    problem.objectives.push_back(std::make_unique<Logistic<double>>(shard, 3.0 / 96.0, 1e-3));
  }
  problem.initial = Vector<double>::Zero(dimension);
  return prepare<double>(settings_of("ecd-psgd", ring_of_3,
                                     {.compressor = "grid(0.01)",
                                      .iterations = iterations,
                                      .step_size = 0.1,
                                      .restart_every = restart_every,
                                      .batch = 1}),
                         std::move(problem));
}

double loss_above_minimum(const std::string& method, const std::string& compressor) {
  const World world{"ring", 8};
  const auto experiment = quadratics_in<double>(
      world, method, {.compressor = compressor, .iterations = 3000, .step_size = 0.05}, Shared::nothing, 40);
  // The minimiser of separable quadratics, coordinate by coordinate: the mean of the centers, weighted by
  // curvature.
  Vector<double> weighted = Vector<double>::Zero(40);
  Vector<double> weights = Vector<double>::Zero(40);
  for (PeerId id = 0; id < 8; ++id) {
    weights += curvature<double>(40, 3, id);
    weighted += curvature<double>(40, 3, id).cwiseProduct(normal_vector<double>(40, 5, id));
  }
  const double least = experiment.problem.loss(weighted.cwiseQuotient(weights));
  const auto recording = record_run(experiment);
  // Over the last 200 iterations, since what remains is noise.
  double sum = 0.0;
  for (std::size_t t = recording.size() - 200; t < recording.size(); ++t)
    for (const auto& peer : recording[t]) sum += experiment.problem.loss(peer.model) - least;
  return sum / (200 * 8);
}

}  // namespace

TEST_CASE("ecd: the error of an estimate obeys e_{t+1} = (1 - 2/t) e_t + (2/t) (C(z_t) - z_t)") {
  for (const std::string compressor : {"grid(0.02)", "grid(1.5)", "dither(linf, bits=8, bucket=512)"}) {
    const auto experiment =
        quadratics_in<double>({"ring", 8}, "ecd-psgd", {.compressor = compressor, .iterations = 60});
    const auto recording = record_run(experiment);
    const Errors errors(experiment, recording);
    for (std::size_t t = 1; t <= 60; ++t)
      for (PeerId id = 0; id < 8; ++id) {
        const double two_over_t = 2.0 / static_cast<double>(t);
        const Vector<double> noise = errors.decoded(t, id) - errors.extrapolated(t, id);
        const Vector<double> expected = (1 - two_over_t) * errors.error(t, id) + two_over_t * noise;
        CHECK((errors.error(t + 1, id) - expected).cwiseAbs().maxCoeff() < 1e-13);
      }
  }
}

TEST_CASE("ecd: on a fixed grid the variance of an estimate is 2(2t-1)/(3t(t-1)) of a rounding's") {
  // Rounding z to a grid of step q has variance q^2 f (1 - f), f the fractional part of z / q. That is q^2/6
  // on average if f is uniform.
  const double q = 0.1;
  const Index dimension = 20000;
  const auto experiment = quadratics_in<double>(
      ring_of_3, "ecd-psgd", {.compressor = "grid(0.1)", .iterations = 100}, Shared::nothing, dimension);
  const auto recording = record_run(experiment);
  const Errors errors(experiment, recording);
  const double coordinates = 3.0 * dimension;
  // Squares of sums of independent bounded errors: relative standard deviation of their mean at most
  // sqrt(2/N).
  const double six_sigma = 6.0 * std::sqrt(2.0 / coordinates);

  // By iteration: the variance of the rounding, summed over the coordinates.
  std::vector<double> rounding(101, 0.0);
  for (std::size_t t = 1; t <= 100; ++t)
    for (PeerId id = 0; id < 3; ++id)
      for (const double z : errors.extrapolated(t, id)) {
        const double fraction = z / q - std::floor(z / q);
        rounding[t] += q * q * fraction * (1 - fraction);
      }

  for (const std::size_t t : {2, 3, 5, 10, 20, 50, 100}) {
    CAPTURE(t);
    const auto T = static_cast<double>(t);
    double predicted = 0.0;
    for (std::size_t s = 2; s <= t; ++s)
      predicted += std::pow(2.0 * static_cast<double>(s - 1) / (T * (T - 1)), 2) * rounding[s];
    double found = 0.0;
    for (PeerId id = 0; id < 3; ++id) found += errors.error(t + 1, id).squaredNorm();
    CHECK(found == doctest::Approx(predicted).epsilon(six_sigma));
    const double closed_form = 2 * (2 * T - 1) / (3 * T * (T - 1)) * q * q / 6;
    CHECK(found / coordinates == doctest::Approx(closed_form).epsilon(0.05));
  }
}

TEST_CASE("ecd: a mismatch planted at t = 1 is turned round once and forgotten at t = 3") {
  for (const std::string compressor : {"none", "grid(0.02)"}) {
    const auto experiment =
        quadratics_in<double>(ring_of_3, "ecd-psgd", {.compressor = compressor, .iterations = 4});
    BareCluster<double> cluster(experiment, 1);
    cluster.plant({experiment.problem.initial, experiment.problem.initial, experiment.problem.initial}, 7.0);
    cluster.run();
    const Errors errors(experiment, cluster.recording());
    const double noise = compressor == "none" ? 1e-13 : 0.021;
    for (PeerId id = 0; id < 3; ++id) {
      CHECK(errors.error(1, id).minCoeff() == doctest::Approx(7.0));
      CHECK((errors.error(2, id).array() + 7.0).abs().maxCoeff() <= 2 * noise);
      CHECK(errors.error(3, id).cwiseAbs().maxCoeff() <= noise);
    }
  }
}

TEST_CASE(
    "ecd: under gradient noise the integers grow linearly in t, their bytes logarithmically, restarts bound "
    "both") {
  const auto experiment = noisy_experiment(4096, 0, 40);
  const auto recording = record_run(experiment);
  const Errors errors(experiment, recording);
  // Root mean square of the integers, and bytes per coordinate, over the 64 iterations up to t.
  struct Size {
    double integer = 0.0;
    double bytes = 0.0;
  };
  const auto size_at = [&](const Recording<double>& run, const Errors& of, std::size_t last) {
    Size size;
    for (std::size_t t = last - 63; t <= last; ++t)
      for (PeerId id = 0; id < 3; ++id) {
        size.integer += of.decoded(t, id).squaredNorm() / (0.01 * 0.01);
        size.bytes += static_cast<double>(run[t][id].sent.front().packet->size());
      }
    size.integer = std::sqrt(size.integer / (64 * 3 * 40));
    size.bytes /= 64 * 3 * 40;
    return size;
  };
  const Size early = size_at(recording, errors, 512);
  const Size late = size_at(recording, errors, 4096);
  CHECK(late.integer / early.integer >
        4.0);  // linear: 8 times, less what the model itself adds to early ones
  CHECK(late.integer / early.integer < 12.0);
  // Seven bits a byte: 8 times larger costs log2(8)/7 = 0.43 of a byte, and where the distribution lies adds
  // a little.
  CHECK(late.bytes - early.bytes > 0.1);
  CHECK(late.bytes - early.bytes < 0.9);

  const auto bounded =
      noisy_experiment(4095, 64, 40);  // the last one is no restart, whose message has other bytes
  const auto bounded_recording = record_run(bounded);
  double largest = 0.0;
  for (std::size_t t = 1; t < bounded_recording.size(); ++t)
    if (t % 64 != 0)
      largest = std::max(largest, Errors(bounded, bounded_recording).decoded(t, 0).cwiseAbs().maxCoeff());
  double unbounded = 0.0;
  for (std::size_t t = 4000; t <= 4096; ++t)
    unbounded = std::max(unbounded, errors.decoded(t, 0).cwiseAbs().maxCoeff());
  CHECK(largest < unbounded / 4);
}

TEST_CASE("ecd: a restart sets every estimate to the model, bit for bit, and bounds its error") {
  const auto experiment = quadratics_in<double>(
      {"ring", 8}, "ecd-psgd", {.compressor = "grid(0.5)", .iterations = 41, .restart_every = 10});
  const auto recording = record_run(experiment);
  for (std::size_t t = 0; t < recording.size(); ++t)
    for (const auto& peer : recording[t]) {
      if (t % 10 == 0) CHECK(*peer.published == peer.model);
      // |e_2| <= 2 q. Later errors are averages of errors of at most q each.
      CHECK((*peer.published - peer.model).cwiseAbs().maxCoeff() <= 2 * 0.5);
      for (const auto& replica : peer.replicas)
        CHECK(replica.second == *recording[t][replica.first].published);
    }
}

TEST_CASE("ecd: a peer that sits out a restart restarts in its next iteration, and its neighbors follow") {
  for (const std::string order : {"combine-then-adapt", "adapt-then-combine"}) {
    CAPTURE(order);
    const auto experiment = quadratics_in<double>({"ring", 8, "metropolis", "static", 0.5}, "ecd-psgd",
                                                  {.compressor = "dither(linf, bits=8, bucket=64)",
                                                   .iterations = 120,
                                                   .restart_every = 5,
                                                   .options = {{option::order, order}}});
    const auto recording = record_run(experiment);
    int late = 0;
    for (PeerId id = 0; id < 8; ++id) {
      bool due = false;
      for (std::size_t t = 1; t < recording.size(); ++t) {
        due = due || t % 5 == 0;
        const bool takes_part = experiment.schedule->row(id, t - 1).participates;
        if (!due || !takes_part) continue;
        const PeerRecord<double>& peer = recording[t][id];
        CHECK(*peer.published == (order == "combine-then-adapt" ? peer.model : peer.states.at("adapted")));
        late += t % 5 != 0;
        due = false;
      }
    }
    CHECK(late > 50);
    // The bytes are those that were foretold.
    PacketPool packets;
    for (PeerId id = 0; id < 8; ++id) {
      const auto peer = make_peer(experiment, id, packets);
      const PeerRows rows(*experiment.schedule, id);
      for (std::size_t t = 1; t < recording.size(); ++t) {
        std::uint64_t bytes = 0;
        for (const Outgoing& sent : recording[t][id].sent) bytes += sent.packet->size();
        CHECK(bytes == peer->algorithm().traffic(t, rows).payload_bytes);
      }
    }
  }
}

TEST_CASE("ecd: on a coarse fixed grid it goes on where DCD and naive stall") {
  const double exact = loss_above_minimum("d-psgd", "none");
  const double ecd = loss_above_minimum("ecd-psgd", "grid(2)");
  const double dcd = loss_above_minimum("dcd-psgd", "grid(2)");
  const double naive = loss_above_minimum("naive", "grid(2)");
  CAPTURE(exact);
  CAPTURE(ecd);
  CAPTURE(dcd);
  CAPTURE(naive);
  CHECK(ecd < 2 * exact);
  CHECK(dcd > 20 * exact);
  CHECK(naive > 20 * exact);
}

TEST_CASE("naive: its floor is several times D-PSGD's at equal T, DCD's is not") {
  const double exact = loss_above_minimum("d-psgd", "none");
  const double dcd = loss_above_minimum("dcd-psgd", "dither(linf, bits=3, bucket=512)");
  const double naive = loss_above_minimum("naive", "dither(linf, bits=3, bucket=512)");
  CAPTURE(exact);
  CAPTURE(dcd);
  CAPTURE(naive);
  CHECK(dcd < 1.001 * exact);
  CHECK(naive > 2 * exact);
}

}  // namespace hearsay::test::ecd_psgd_test
