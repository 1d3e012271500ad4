#include "algorithms/methods/parts/outer_rule.hpp"
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

template <class Scalar>
void k_gt(Network<Scalar>& net) {
  const auto rho = static_cast<Scalar>(OuterRule::parse(*net.options().outer).rate);
  const std::uint64_t steps = *net.options().local_steps;
  Matrix<Scalar>& C = net.kept("corrections");
  Matrix<Scalar> Y = net.X;
  for (std::uint64_t h = 0; h < steps; ++h) Y -= net.eta() * (net.gradients(Y, h) + C);
  const Matrix<Scalar> Z = (net.X - Y) / (static_cast<Scalar>(steps) * net.eta());
  C += Z * net.mixing() - Z;
  net.X = ((net.X + rho * (Y - net.X)) * net.mixing()).eval();
}

template <class Scalar>
void led(Network<Scalar>& net) {
  const auto beta = static_cast<Scalar>(*net.options().consensus_step);
  Matrix<Scalar>& L = net.kept("duals");
  Matrix<Scalar> Y = net.X;
  for (std::uint64_t h = 0; h < *net.options().local_steps; ++h)
    Y -= net.eta() * net.gradients(Y, h) + beta * L;
  net.X = Y * net.mixing();
  L += Y - net.X;
}

/// x+ = (I + W)/2 (2x - x_- - (eta g - eta_- g_-)), the first step x - eta g
template <class Scalar>
void nids(Network<Scalar>& net) {
  Matrix<Scalar>& before = net.kept("X before");
  Matrix<Scalar>& step_before = net.kept("eta G before");
  const Matrix<Scalar> step = net.eta() * net.gradients();
  Matrix<Scalar> next = net.X - step;
  if (net.t > 1) {
    next += net.X - before + step_before;
    next = ((next + next * net.mixing()) / 2).eval();
  }
  before = net.X;
  step_before = step;
  net.X = next;
}

/// x+ = x + W x - (x_- + W x_-)/2 - (eta g - eta_- g_-), the first step W x - eta g
template <class Scalar>
void extra(Network<Scalar>& net) {
  Matrix<Scalar>& before = net.kept("X before");
  Matrix<Scalar>& step_before = net.kept("eta G before");
  const Matrix<Scalar> step = net.eta() * net.gradients();
  Matrix<Scalar> next = net.X * net.mixing() - step;
  if (net.t > 1) next += net.X - (before + before * net.mixing()) / 2 + step_before;
  before = net.X;
  step_before = step;
  net.X = next;
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> tracking_recursions() {
  return {{"d2", d2<Scalar>},
          {"gradient-tracking", gradient_tracking<Scalar>},
          {"sgp", sgp<Scalar>},
          {"qg-momentum", qg_momentum<Scalar>},
          {"decentlam", decentlam<Scalar>},
          {"k-gt", k_gt<Scalar>},
          {"led", led<Scalar>},
          {"nids", nids<Scalar>},
          {"extra", extra<Scalar>}};
}

template std::map<std::string, Recursion<float>> tracking_recursions<float>();
template std::map<std::string, Recursion<double>> tracking_recursions<double>();

}  // namespace hearsay::test
