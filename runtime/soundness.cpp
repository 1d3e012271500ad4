#include "runtime/soundness.hpp"

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstdio>
#include <limits>

#include "algorithms/compression/compressor.hpp"
#include "topology/dense_mixing.hpp"
#include "topology/misuse.hpp"

namespace hearsay {

namespace {

constexpr PeerId largest_checked = 256;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

template <class Scalar>
class Check {
 public:
  explicit Check(Experiment<Scalar>& experiment)
      : experiment_(experiment),
        method_(*experiment.method),
        compressor_(experiment.settings.algorithm.compressor),
        traits_(make_compressor<Scalar>(compressor_, experiment.problem.objectives.front()->segments())
                    ->traits(static_cast<std::size_t>(experiment.problem.dimension()))) {}

  void run() {
    check_topology();
    switch (method_.compressor) {
      case CompressorNeed::none:
        if (compressor_ != "none")
          throw Misuse("algorithm.compressor", compressor_,
                       method_.name + " sends full precision; use none, or another method");
        break;
      case CompressorNeed::any:
        if (compressor_ != "none")
          experiment_.warnings.push_back(
              method_.name + " with " + compressor_ +
              ": the error of compressed models never vanishes; a negative control, expect a floor");
        break;
      case CompressorNeed::unbiased:
        check_relative();
        break;
      case CompressorNeed::absolute:
        check_absolute();
        break;
    }
  }

 private:
  void check_topology() {
    const MixingMatrix& mixing = experiment_.cluster.mixing;
    const std::string& weights = experiment_.cluster.weights;
    if (method_.needs_symmetric_mixing && !mixing.symmetric())
      unsound("topology.weights", weights, method_.name + " needs a symmetric mixing matrix");
    if (!method_.permits_negative_weights && !mixing.non_negative())
      unsound("topology.weights", weights,
              method_.name +
                  " needs weights of at least 0, and this matrix has negative ones; metropolis has none");
    if (!method_.permits_time_varying && experiment_.schedule->period() != 1)
      throw Misuse("topology.schedule", experiment_.settings.topology.schedule,
                   method_.name + " keeps replicas along fixed links; use static, or d-psgd");
  }

  void check_relative() {
    if (!traits_.unbiased)
      return unsound(
          "algorithm.compressor", compressor_,
          method_.name + " needs an unbiased compressor, such as dither(linf, bits=8, bucket=512)");
    const MixingMatrix& mixing = experiment_.cluster.mixing;
    if (mixing.peer_count() == 1 || mixing.peer_count() > largest_checked || !mixing.symmetric()) return;
    const double limit = dcd_omega_limit(mixing);
    experiment_.omega_limit = limit;
    if (traits_.omega_typical >= limit)
      unsound("algorithm.compressor", compressor_,
              "its relative variance is " + number(traits_.omega_typical) + " on Gaussian data, and " +
                  method_.name + " tolerates less than " + number(limit) +
                  " on this topology; take more bits, smaller buckets, or weights = \"lazy\"");
    else if (traits_.omega >= limit)
      experiment_.warnings.push_back(compressor_ + ": relative variance " + number(traits_.omega_typical) +
                                     " on Gaussian data, but up to " + number(traits_.omega) +
                                     " in the worst case; " + method_.name + " tolerates less than " +
                                     number(limit) + " on this topology");
  }

  void check_absolute() {
    if (!traits_.unbiased || !traits_.absolute_error_per_coordinate)
      unsound("algorithm.compressor", compressor_,
              method_.name +
                  " needs an unbiased compressor whose error does not grow with what it compresses, such as "
                  "grid(0.02)");
  }

  void unsound(const std::string& key, const std::string& value, const std::string& expectation) {
    if (!experiment_.settings.algorithm.allow_unsound)
      throw Misuse(key, value, expectation + " (algorithm.allow_unsound = true tries it all the same)");
    experiment_.warnings.push_back(key + " = " + value + ": " + expectation);
  }

  Experiment<Scalar>& experiment_;
  const MethodInfo& method_;
  std::string compressor_;
  Traits traits_;
};

}  // namespace

template <class Scalar>
void check_soundness(Experiment<Scalar>& experiment) {
  Check<Scalar>(experiment).run();
}

double dcd_omega_limit(const MixingMatrix& mixing) {
  const auto n = static_cast<Eigen::Index>(mixing.peer_count());
  if (n == 1) return std::numeric_limits<double>::infinity();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> spectrum(dense(mixing));
  // Ascending; the last one is 1, of the mean.
  const Eigen::VectorXd lambda = spectrum.eigenvalues().head(n - 1);
  const Eigen::MatrixXd Q = spectrum.eigenvectors().leftCols(n - 1);
  if (lambda.cwiseAbs().maxCoeff() > 1.0 - 1e-12) return 0.0;
  Eigen::MatrixXd K = Eigen::MatrixXd::Zero(n, n);
  for (Eigen::Index k = 0; k < n - 1; ++k) {
    const Eigen::MatrixXd products = Q.col(k).asDiagonal() * Q;
    const Eigen::ArrayXd series =
        (1.0 - lambda[k]) * (1.0 - lambda.array()) / (1.0 - lambda[k] * lambda.array());
    K += products * series.matrix().asDiagonal() * products.transpose();
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> response(K, Eigen::EigenvaluesOnly);
  return 1.0 / response.eigenvalues()[n - 1];
}

template void check_soundness<float>(Experiment<float>&);
template void check_soundness<double>(Experiment<double>&);

}  // namespace hearsay
