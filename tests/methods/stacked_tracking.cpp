#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

/// x+ = W (2x - x_- - (eta g - eta_- g_-)), the first step W (x - eta g)
template <class Scalar>
void d2(Network<Scalar>& net) {
  Matrix<Scalar>& before = net.kept("X before");
  Matrix<Scalar>& step_before = net.kept("eta G before");
  const Matrix<Scalar> step = net.eta() * net.gradients();
  Matrix<Scalar> next = net.X - step;
  if (net.t > 1) next += net.X - before + step_before;
  before = net.X;
  step_before = step;
  net.X = next * net.mixing();
}

/// In the method's order, y before x, but with the papers' start y = g in iteration 1.
template <class Scalar>
void gradient_tracking(Network<Scalar>& net) {
  Matrix<Scalar>& Y = net.kept("Y");
  Matrix<Scalar>& G = net.kept("G");
  const Matrix<Scalar> next = net.gradients();
  Y = net.t == 1 ? next : Matrix<Scalar>(Y * net.mixing() + next - G);
  G = next;
  net.X = ((net.X - net.eta() * Y) * net.mixing()).eval();
}

/// Keeps the sums themselves, numerators and weights, instead of their ratios.
template <class Scalar>
void sgp(Network<Scalar>& net) {
  Matrix<Scalar>& sums = net.kept("numerators");
  Matrix<Scalar>& weights = net.kept("weights");  // all rows are the same
  if (net.t == 1) {
    sums = net.X;
    weights.setOnes();
  }
  // P': a sender gives equal shares to its hearers and itself, so rows sum to 1.
  Matrix<Scalar> P = (net.mixing().array() != 0).template cast<Scalar>().matrix();
  P.diagonal().setOnes();
  for (Index sender = 0; sender < P.rows(); ++sender) P.row(sender) /= P.row(sender).sum();
  sums = ((sums - net.eta() * net.gradients()) * P).eval();
  weights = (weights * P).eval();
  net.X = sums.cwiseQuotient(weights);
}

template <class Scalar>
void qg_momentum(Network<Scalar>& net) {
  const auto beta = static_cast<Scalar>(*net.options().momentum);
  Matrix<Scalar>& M = net.kept("M");
  const Matrix<Scalar> G = net.gradients();
  const Matrix<Scalar> local = beta * M + G;
  const Matrix<Scalar> next = (net.X - net.eta() * (G + beta * local)) * net.mixing();
  M = (Scalar(0.9) * M + Scalar(0.1) * (net.X - next) / net.eta()).eval();
  net.X = next;
}

template <class Scalar>
void decentlam(Network<Scalar>& net) {
  const auto beta = static_cast<Scalar>(*net.options().momentum);
  Matrix<Scalar>& M = net.kept("M");
  const Matrix<Scalar> mixed = (net.X - net.eta() * net.gradients()) * net.mixing();
  M = (beta * M + (net.X - mixed) / net.eta()).eval();
  net.X -= net.eta() * M;
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> tracking_recursions() {
  return {{"d2", d2<Scalar>},
          {"gradient-tracking", gradient_tracking<Scalar>},
          {"sgp", sgp<Scalar>},
          {"qg-momentum", qg_momentum<Scalar>},
          {"decentlam", decentlam<Scalar>}};
}

template std::map<std::string, Recursion<float>> tracking_recursions<float>();
template std::map<std::string, Recursion<double>> tracking_recursions<double>();

}  // namespace hearsay::test
