#include "tools/advise/plan_probe.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "algorithms/arithmetic/random.hpp"

namespace hearsay {

namespace {

/// Draws minibatches of the workers' own, as a run does, and takes 20 plain steps of gradient descent with
/// the run's step size on a fixed part of the data.
template <class Scalar>
class PlanProbe {
 public:
  PlanProbe(const Problem<Scalar>& problem, const RunSettings& settings, Index batch)
      : problem_(problem), settings_(settings), batch_(batch) {}

  ProblemConstants run() {
    ProblemConstants measured;
    measured.first_loss = problem_.loss(problem_.initial);
    measured.variance = variance_at(problem_.initial, measured.gradient_square);
    Vector<Scalar> x = problem_.initial;
    Vector<Scalar> gradient = mean_gradient(x);
    measured.first_square = static_cast<double>(gradient.squaredNorm());
    for (int step = 0; step < count; ++step) {
      const Vector<Scalar> next = x - static_cast<Scalar>(settings_.algorithm.step_size) * gradient;
      const Vector<Scalar> there = mean_gradient(next);
      const auto way = static_cast<double>((next - x).norm());
      if (!(way > 0.0) || !std::isfinite(way) || !std::isfinite(static_cast<double>(there.norm()))) break;
      measured.smoothness =
          std::max(measured.smoothness, static_cast<double>((there - gradient).norm()) / way);
      x = next;
      gradient = there;
      double square = 0.0;
      each_worker([&](PeerId peer) { square += minibatch_square(peer, x, count + step); });
      measured.gradient_square =
          std::max(measured.gradient_square, square / static_cast<double>(problem_.worker_count()));
    }
    return measured;
  }

 private:
  static constexpr int count = 20;

  template <class Action>
  void each_worker(const Action& action) const {
    for (std::size_t peer = 0; peer < problem_.peer_count(); ++peer)
      if (problem_.objectives[peer]->has_data()) action(static_cast<PeerId>(peer));
  }

  std::vector<Index> drawn(PeerId peer, int number) const {
    const auto of = static_cast<std::uint64_t>(problem_.objectives[peer]->sample_count());
    std::vector<Index> samples;
    if (of == 0) return samples;
    RandomStream random(settings_.run.seed, peer, static_cast<std::uint64_t>(number), Purpose::minibatch);
    for (Index k = 0; k < batch_; ++k) samples.push_back(static_cast<Index>(random.below(of)));
    return samples;
  }

  double minibatch_square(PeerId peer, const Vector<Scalar>& x, int number) const {
    Vector<Scalar> gradient(problem_.dimension());
    problem_.objectives[peer]->gradient(x, drawn(peer, number), gradient);
    return static_cast<double>(gradient.squaredNorm());
  }

  /// The variance of a single sample's gradient, mean over the workers: that of 20 minibatches, times B.
  double variance_at(const Vector<Scalar>& x, double& mean_square) const {
    double variance = 0.0, squares = 0.0;
    each_worker([&](PeerId peer) {
      Vector<Scalar> gradient(problem_.dimension());
      Vector<double> sum = Vector<double>::Zero(problem_.dimension());
      double square = 0.0;
      for (int number = 0; number < count; ++number) {
        problem_.objectives[peer]->gradient(x, drawn(peer, number), gradient);
        sum += gradient.template cast<double>();
        square += static_cast<double>(gradient.squaredNorm());
      }
      variance += std::max(0.0, square - sum.squaredNorm() / count) / (count - 1);
      squares += square / count;
    });
    const auto workers = static_cast<double>(problem_.worker_count());
    mean_square = squares / workers;
    return variance / workers * static_cast<double>(batch_);
  }

  /// The mean over the workers, each on its first 20 B samples: always the same ones.
  Vector<Scalar> mean_gradient(const Vector<Scalar>& x) const {
    Vector<Scalar> gradient(problem_.dimension());
    Vector<Scalar> sum = Vector<Scalar>::Zero(problem_.dimension());
    each_worker([&](PeerId peer) {
      std::vector<Index> samples(static_cast<std::size_t>(
          std::min<Index>(problem_.objectives[peer]->sample_count(), count * batch_)));
      std::iota(samples.begin(), samples.end(), Index{0});
      problem_.objectives[peer]->gradient(x, samples, gradient);
      sum += gradient;
    });
    return sum / static_cast<Scalar>(problem_.worker_count());
  }

  const Problem<Scalar>& problem_;
  const RunSettings& settings_;
  Index batch_;
};

}  // namespace

template <class Scalar>
ProblemConstants measure_for_plan(const Problem<Scalar>& problem, const RunSettings& settings, Index batch) {
  return PlanProbe<Scalar>(problem, settings, batch).run();
}

template ProblemConstants measure_for_plan(const Problem<float>&, const RunSettings&, Index);
template ProblemConstants measure_for_plan(const Problem<double>&, const RunSettings&, Index);

}  // namespace hearsay
