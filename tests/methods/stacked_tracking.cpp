#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

/// x+ = W (2x - x_- - (eta g - eta_- g_-)), the first step W (x - eta g)
void d2(Network& net) {
  Matrix& before = net.kept("X before");
  Matrix& step_before = net.kept("eta G before");
  const Matrix step = net.eta() * net.gradients();
  Matrix next = net.X - step;
  if (net.t > 1) next += net.X - before + step_before;
  before = net.X;
  step_before = step;
  net.X = next * net.mixing();
}

/// In the method's order, y before x, but with the papers' start y = g in iteration 1.
void gradient_tracking(Network& net) {
  Matrix& Y = net.kept("Y");
  Matrix& G = net.kept("G");
  const Matrix next = net.gradients();
  Y = net.t == 1 ? next : Matrix(Y * net.mixing() + next - G);
  G = next;
  net.X = ((net.X - net.eta() * Y) * net.mixing()).eval();
}

/// Keeps the sums themselves, numerators and weights, instead of their ratios.
void sgp(Network& net) {
  Matrix& sums = net.kept("numerators");
  Matrix& weights = net.kept("weights");  // all rows are the same
  if (net.t == 1) {
    sums = net.X;
    weights.setOnes();
  }
  // P': a sender gives equal shares to its hearers and itself, so rows sum to 1.
  Matrix P = (net.mixing().array() != 0).cast<double>().matrix();
  P.diagonal().setOnes();
  for (Index sender = 0; sender < P.rows(); ++sender) P.row(sender) /= P.row(sender).sum();
  sums = ((sums - net.eta() * net.gradients()) * P).eval();
  weights = (weights * P).eval();
  net.X = sums.cwiseQuotient(weights);
}

void qg_momentum(Network& net) {
  const double beta = net.options()[option::momentum];
  Matrix& M = net.kept("M");
  const Matrix G = net.gradients();
  const Matrix local = beta * M + G;
  const Matrix next = (net.X - net.eta() * (G + beta * local)) * net.mixing();
  M = (0.9 * M + 0.1 * (net.X - next) / net.eta()).eval();
  net.X = next;
}

void decentlam(Network& net) {
  const double beta = net.options()[option::momentum];
  Matrix& M = net.kept("M");
  const Matrix mixed = (net.X - net.eta() * net.gradients()) * net.mixing();
  M = (beta * M + (net.X - mixed) / net.eta()).eval();
  net.X -= net.eta() * M;
}

void k_gt(Network& net) {
  const double rho = OuterRule::parse(net.options()[option::outer]).rate;
  const std::uint64_t steps = net.options()[option::local_steps];
  Matrix& C = net.kept("corrections");
  Matrix Y = net.X;
  for (std::uint64_t h = 0; h < steps; ++h) Y -= net.eta() * (net.gradients(Y, h) + C);
  const Matrix Z = (net.X - Y) / (static_cast<double>(steps) * net.eta());
  C += Z * net.mixing() - Z;
  net.X = ((net.X + rho * (Y - net.X)) * net.mixing()).eval();
}

void led(Network& net) {
  const double beta = net.options()[option::consensus_step];
  Matrix& L = net.kept("duals");
  Matrix Y = net.X;
  for (std::uint64_t h = 0; h < net.options()[option::local_steps]; ++h)
    Y -= net.eta() * net.gradients(Y, h) + beta * L;
  net.X = Y * net.mixing();
  L += Y - net.X;
}

/// x+ = (I + W)/2 (2x - x_- - (eta g - eta_- g_-)), the first step x - eta g
void nids(Network& net) {
  Matrix& before = net.kept("X before");
  Matrix& step_before = net.kept("eta G before");
  const Matrix step = net.eta() * net.gradients();
  Matrix next = net.X - step;
  if (net.t > 1) {
    next += net.X - before + step_before;
    next = ((next + next * net.mixing()) / 2).eval();
  }
  before = net.X;
  step_before = step;
  net.X = next;
}

/// x+ = x + W x - (x_- + W x_-)/2 - (eta g - eta_- g_-), the first step W x - eta g
void extra(Network& net) {
  Matrix& before = net.kept("X before");
  Matrix& step_before = net.kept("eta G before");
  const Matrix step = net.eta() * net.gradients();
  Matrix next = net.X * net.mixing() - step;
  if (net.t > 1) next += net.X - (before + before * net.mixing()) / 2 + step_before;
  before = net.X;
  step_before = step;
  net.X = next;
}

}  // namespace

Recursions tracking_recursions() {
  return {{"d2", d2},
          {"gradient-tracking", gradient_tracking},
          {"sgp", sgp},
          {"qg-momentum", qg_momentum},
          {"decentlam", decentlam},
          {"k-gt", k_gt},
          {"led", led},
          {"nids", nids},
          {"extra", extra}};
}

}  // namespace hearsay::test
