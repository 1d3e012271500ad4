#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/simulator/simulator.hpp"
#include "tests/support/experiments.hpp"
#include "tools/influence/influence.hpp"

namespace hearsay::test {

/// A simulated run in double, and the models that it has kept.
class InfluenceScene {
 public:
  explicit InfluenceScene(const std::string& run_file) : experiment_(experiment_from<double>(run_file)) {
    for (const auto& objective : experiment_.problem.objectives)
      shards_.push_back(&dynamic_cast<const SampleObjective<double>&>(*objective));
    RunControl control;
    control.on_models = [&](const ModelSet& set) {
      KeptPoint<double> point;
      for (const std::vector<std::byte>& bytes : set.models) {
        point.models.emplace_back(static_cast<Index>(bytes.size() / sizeof(double)));
        std::ranges::copy(bytes, std::as_writable_bytes(view(point.models.back())).begin());
      }
      point.judged = point.models.front();
      points_.push_back(std::move(point));
      iterations_.push_back(set.iteration);
    };
    simulate(experiment_, Duration{0}, control);
    const RunSettings::Algorithm& algorithm = settings().algorithm;
    weights_ = kept_model_weights(iterations_,
                                  StepSize(algorithm.step_size, algorithm.step_schedule, algorithm.warm_up),
                                  1.0, static_cast<std::uint64_t>(experiment_.problem.sample_count()));
  }
  InfluenceScene(const InfluenceScene&) = delete;
  InfluenceScene& operator=(const InfluenceScene&) = delete;

  /// As if the models of `peers` peers had been kept, which all agree.
  void copy_to_each_peer(std::size_t peers) {
    for (KeptPoint<double>& point : points_) point.models.assign(peers, point.judged);
  }
  void add_to(InfluenceSum<double>& sum) const {
    for (std::size_t k = 0; k < points_.size(); ++k) sum.add(points_[k], weights_[k]);
  }

  const RunSettings& settings() const { return experiment_.settings; }
  const Shards<double>& shards() const { return shards_; }
  const SampleObjective<double>& judge() const {
    return dynamic_cast<const SampleObjective<double>&>(*experiment_.problem.judge);
  }
  const std::vector<KeptPoint<double>>& points() const { return points_; }
  /// Returns the rows, which live as long as the scene.
  const std::vector<Index>& rows(std::vector<Index> rows) const {
    return *rows_.emplace_back(std::make_unique<std::vector<Index>>(std::move(rows)));
  }

 private:
  Experiment<double> experiment_;
  Shards<double> shards_;
  std::vector<KeptPoint<double>> points_;
  std::vector<std::uint64_t> iterations_;
  std::vector<double> weights_;
  mutable std::vector<std::unique_ptr<std::vector<Index>>> rows_;
};

}  // namespace hearsay::test
