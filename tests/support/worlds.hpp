#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/methods/ecd_psgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/registry.hpp"
#include "algorithms/objectives/least_squares.hpp"
#include "algorithms/objectives/quadratic.hpp"
#include "runtime/experiment/experiment.hpp"

namespace hearsay::test {

/// A topology, its weights and its schedule, on which a method is tried.
struct World {
  std::string family;
  PeerId peers;
  std::string weights = "metropolis";
  std::string schedule = "static";
  double participation = 1.0;

  bool links_fixed() const { return schedule == "static" && participation == 1.0; }
  std::string name() const {
    return family + " of " + std::to_string(peers) + ", " + weights + ", " + schedule +
           (participation < 1.0 ? ", participation " + std::to_string(participation) : "");
  }
};

/// How a method runs in a world. An empty compressor means the default of the method.
struct Plan {
  std::string compressor = {};
  std::uint64_t iterations = 12;
  double step_size = 0.1;
  std::uint64_t restart_every = 0;
  std::uint64_t seed = 1;
  std::optional<std::uint64_t> batch = {};  ///< empty: full gradients
  std::string feedback = "auto";
  std::string step_schedule = "constant";
  MethodOptions options = {};
  std::string regularizer = "none";
};

/// Returns the settings of a run that is evaluated in every iteration and may be unsound. A method with a hub
/// runs on a star of as many peers, whatever the graph of the world, unless that is a tree for a hub.
inline RunSettings settings_of(const std::string& method, const World& world, const Plan& plan) {
  RunSettings settings;
  settings.run.seed = plan.seed;
  settings.run.iterations = plan.iterations;
  settings.run.evaluate_every = 1;
  settings.topology = {world.family, world.peers, world.weights, world.schedule, {}, world.participation};
  const bool is_tree = world.family.starts_with("hub-tree");
  if (find_method(method).pattern.has_hub && !is_tree) settings.topology.kind = "star";
  settings.algorithm.kind = method;
  settings.algorithm.compressor = plan.compressor;
  settings.algorithm.step_size = plan.step_size;
  settings.algorithm.batch = plan.batch;
  settings.algorithm.options = plan.options;
  if (plan.restart_every != 0) settings.algorithm.options.set(option::restart_every, plan.restart_every);
  if (plan.feedback != "auto") settings.algorithm.options.set(option::feedback, plan.feedback);
  settings.algorithm.step_schedule = plan.step_schedule;
  settings.algorithm.allow_unsound = true;
  return settings;
}

/// A constant objective: only the gossip of a method remains.
template <class Scalar>
class Flat final : public Objective<Scalar> {
 public:
  explicit Flat(Index dimension) : dimension_(dimension) {}
  Index dimension() const override { return dimension_; }
  Index sample_count() const override { return 1; }
  double loss(const Vector<Scalar>&) const override { return 0.0; }
  void gradient(const Vector<Scalar>&, std::span<const Index>, Vector<Scalar>& gradient) const override {
    gradient.setZero();
  }

 private:
  Index dimension_;
};

/// f(x) = c^T x: the same gradient everywhere.
class Slope final : public Objective<double> {
 public:
  explicit Slope(Vector<double> slope) : slope_(std::move(slope)) {}
  Index dimension() const override { return slope_.size(); }
  Index sample_count() const override { return 1; }
  double loss(const Vector<double>& x) const override { return slope_.dot(x); }
  void gradient(const Vector<double>&, std::span<const Index>, Vector<double>& gradient) const override {
    gradient = slope_;
  }

 private:
  Vector<double> slope_;
};

template <class Scalar>
Vector<Scalar> normal_vector(Index dimension, std::uint64_t seed, PeerId peer) {
  RandomStream random(seed, peer, 0, Purpose::data);
  Vector<Scalar> vector(dimension);
  for (Scalar& entry : vector) entry = static_cast<Scalar>(random.normal());
  return vector;
}

/// Returns random curvatures in [1/2, 3/2].
template <class Scalar>
Vector<Scalar> curvature(Index dimension, std::uint64_t seed, PeerId peer) {
  RandomStream random(seed, peer, 1, Purpose::data);
  Vector<Scalar> vector(dimension);
  for (Scalar& entry : vector) entry = static_cast<Scalar>(0.5 + random.uniform());
  return vector;
}

template <class Scalar>
Problem<Scalar> flat_problem(Index dimension, PeerId peers) {
  Problem<Scalar> problem;
  for (PeerId id = 0; id < peers; ++id)
    problem.objectives.push_back(std::make_unique<Flat<Scalar>>(dimension));
  problem.initial = normal_vector<Scalar>(dimension, 17, 0);
  return problem;
}

/// What the quadratics of all peers have in common.
enum class Shared { nothing, curvature, minimiser };

/// Returns a problem in which the quadratic of peer i depends on i alone. It starts at the minimiser if that
/// is shared, else at an arbitrary point.
template <class Scalar>
Problem<Scalar> quadratic_problem(Index dimension, const std::vector<PeerId>& peers, Shared shared) {
  Problem<Scalar> problem;
  for (const PeerId id : peers)
    problem.objectives.push_back(std::make_unique<SeparableQuadratic<Scalar>>(
        curvature<Scalar>(dimension, 3, shared == Shared::curvature ? 0 : id),
        normal_vector<Scalar>(dimension, 5, shared == Shared::minimiser ? 0 : id), 0.0));
  problem.initial = normal_vector<Scalar>(dimension, shared == Shared::minimiser ? 5 : 17, 0);
  return problem;
}

/// Returns a linear regression with eight samples per peer and features of length about 1, so that every
/// minibatch has its own gradient.
template <class Scalar>
Problem<Scalar> regression_problem(Index dimension, PeerId peers) {
  constexpr Index samples_per_peer = 8;
  RandomStream random(29, 0, 0, Purpose::data);
  DenseRows<Scalar> features(samples_per_peer * peers, dimension);
  for (Index k = 0; k < features.size(); ++k)
    features.data()[k] = static_cast<Scalar>(random.normal() / std::sqrt(static_cast<double>(dimension)));
  std::vector<Scalar> targets(static_cast<std::size_t>(features.rows()));
  for (Scalar& target : targets) target = static_cast<Scalar>(random.normal());
  const auto samples = std::make_shared<const Samples<Scalar>>(Samples<Scalar>{features, targets});

  Problem<Scalar> problem;
  for (PeerId id = 0; id < peers; ++id) {
    Shard<Scalar> shard{samples, {}};
    for (Index s = 0; s < samples_per_peer; ++s) shard.rows.push_back(samples_per_peer * id + s);
    problem.objectives.push_back(std::make_unique<LeastSquares<Scalar>>(shard, 1.0 / samples_per_peer, 0.0));
  }
  problem.initial = normal_vector<Scalar>(dimension, 17, 0);
  return problem;
}

inline std::vector<PeerId> first_peers(PeerId count) {
  std::vector<PeerId> ids;
  for (PeerId id = 0; id < count; ++id) ids.push_back(id);
  return ids;
}

/// Returns the problem with the regularizer of the plan.
template <class Scalar>
Problem<Scalar> with_regularizer(Problem<Scalar> problem, const Plan& plan) {
  problem.regularizer = make_regularizer<Scalar>(plan.regularizer, problem.objectives.front()->segments());
  return problem;
}

template <class Scalar>
Experiment<Scalar> quadratics_in(const World& world, const std::string& method, const Plan& plan,
                                 Shared shared = Shared::nothing, Index dimension = 19) {
  return prepare<Scalar>(
      settings_of(method, world, plan),
      with_regularizer(quadratic_problem<Scalar>(dimension, first_peers(world.peers), shared), plan));
}

template <class Scalar>
Experiment<Scalar> regressions_in(const World& world, const std::string& method, const Plan& plan,
                                  Index dimension) {
  return prepare<Scalar>(settings_of(method, world, plan),
                         with_regularizer(regression_problem<Scalar>(dimension, world.peers), plan));
}

template <class Scalar>
Experiment<Scalar> flat_in(const World& world, const std::string& method, const Plan& plan, Index dimension) {
  return prepare<Scalar>(settings_of(method, world, plan), flat_problem<Scalar>(dimension, world.peers));
}

/// A schedule without any communication: W = I.
class Silence final : public Schedule {
 public:
  explicit Silence(PeerId peers) : peers_(peers) {}
  PeerId peer_count() const override { return peers_; }
  void write_row(PeerId, std::uint64_t, MixingRow& row) const override { row = row_; }
  std::optional<std::uint64_t> period() const override { return 1; }
  std::string name() const override { return "silence"; }

 private:
  PeerId peers_;
  MixingRow row_;
};

}  // namespace hearsay::test
