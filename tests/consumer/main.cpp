// Four stations measure the same 100 quantities, each with a bias and with occasional outliers. No station
// can tell the truth from its own readings, but by talking to its neighbors in a ring each of them finds it.

#include <cmath>
#include <iostream>

#include "runtime/hearsay.hpp"

using hearsay::Index;
using hearsay::Vector;

/// The objective of a station, a robust center of its readings y_s in R^d: an outlier pulls little harder
/// than any other reading (pseudo-Huber loss).
///
///     f(x) = mean_s sum_k sqrt(1 + (x_k - y_sk)^2) - 1
class RobustCenter final : public hearsay::Objective<double> {
 public:
  explicit RobustCenter(std::vector<Vector<double>> readings) : readings_(std::move(readings)) {}

  Index dimension() const override { return readings_.front().size(); }
  Index sample_count() const override { return std::ssize(readings_); }

  double loss(const Vector<double>& x) const override {
    double sum = 0.0;
    for (const Vector<double>& y : readings_) sum += ((1 + (x - y).array().square()).sqrt() - 1).sum();
    return sum / static_cast<double>(sample_count());
  }

  void gradient(const Vector<double>& x, std::span<const Index> samples,
                Vector<double>& gradient) const override {
    gradient.setZero();
    for (const Index s : samples) {
      const auto residual = (x - readings_[s]).array();
      gradient.array() += residual / (1 + residual.square()).sqrt();
    }
    gradient /= static_cast<double>(samples.size());
  }

 private:
  std::vector<Vector<double>> readings_;
};

int main() {
  // The errors of all stations together are symmetric about 0, so the truth minimises the sum of their
  // objectives.
  const Vector<double> truth = Vector<double>::LinSpaced(100, -1.0, 1.0);
  const Vector<double> error = Vector<double>::LinSpaced(100, 0.5, 1.5);
  hearsay::Problem<double> problem;
  problem.initial = Vector<double>::Zero(truth.size());
  for (const double bias : {-0.9, -0.3, 0.3, 0.9}) {
    std::vector<Vector<double>> readings;
    for (const double factor : {bias - 0.1, bias + 0.1, 10 * bias})
      readings.push_back(truth + factor * error);
    problem.objectives.push_back(std::make_unique<RobustCenter>(std::move(readings)));
  }

  const auto settings = hearsay::parse_run(R"toml(
    run       = { iterations = 200 }
    topology  = { kind = "ring", peers = 4 }
    network   = { bandwidth = "10 Mbit/s", latency = "1 ms" }
    algorithm = { kind = "dcd-psgd", compressor = "dither(linf, bits=8)", batch = "full", step_size = 0.5 }
  )toml");
  const auto experiment = hearsay::prepare(settings, std::move(problem));

  // First in virtual time, 20 us per gradient; then with four real processes over ZeroMQ.
  const auto simulated = hearsay::simulate(experiment, std::chrono::microseconds(20));
  const auto trained = hearsay::run_local(experiment);

  const double least_loss = experiment.problem.loss(truth);
  const double loss = trained.evaluations.back().loss;
  std::cout << "loss at the start  " << trained.evaluations.front().loss << '\n'
            << "     simulated     " << simulated.evaluations.back().loss << '\n'
            << "     over ZeroMQ   " << loss << '\n'
            << "     at the truth  " << least_loss << '\n';

  const bool twins = trained.mean_model == simulated.mean_model;
  return twins && loss < least_loss + 1e-3 ? 0 : 1;
}
