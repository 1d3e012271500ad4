#include <string>

#include "algorithms/methods/ecd_psgd.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

void allreduce_sgd(Network& net) {
  const Vector<double> mean = net.gradients().rowwise().mean();
  net.X.colwise() -= net.eta() * mean;
}

bool adapts_first(const Network& net) { return net.options().find(option::order) == "adapt-then-combine"; }

void d_psgd(Network& net) {
  const std::uint64_t staleness = net.options()[option::staleness];
  const double gamma = net.options()[option::consensus_step];
  const Matrix steps = net.local_steps();
  if (adapts_first(net)) net.X += steps;
  Matrix old = net.X;
  if (staleness > 0) old.swap(net.kept("models of " + std::to_string(net.t % staleness), net.X));
  if (net.t > staleness) net.X += gamma * (old * net.mixing() - old);
  if (!adapts_first(net)) net.X += steps;
}

void naive(Network& net) {
  const Matrix steps = net.local_steps();
  if (adapts_first(net))
    net.X = (net.said(net.X + steps) * net.mixing()).eval();
  else
    net.X = (net.said(net.X) * net.mixing() + steps).eval();
}

void dcd_psgd(Network& net) {
  if (adapts_first(net)) {
    Matrix& H = net.kept("replicas", net.X);
    H += net.said_in_changes(net.X + net.local_steps() - H);
    net.X = H * net.mixing();
    return;
  }
  const Matrix half = net.X * net.mixing() + net.local_steps();
  net.X += net.said_in_changes(half - net.X);
}

void ecd_psgd(Network& net) {
  const std::uint64_t every = net.options()[option::restart_every];
  // Every peer counts the iterations in which it takes part.
  Matrix& counts = net.kept("counts");
  Matrix& Xt = net.kept("estimates", net.X);
  const Vector<double> half_t = (counts.row(0).transpose().array() + 1) / 2;
  const Vector<double> two_over_t = half_t.cwiseInverse();
  const bool first = adapts_first(net);
  const Matrix before = first ? Matrix(net.kept("adapted", net.X)) : net.X;
  const Matrix start = first ? net.X : Matrix(Xt * net.mixing());
  const Matrix next = start + net.local_steps();
  // Every R-th iteration is a restart. A peer that sits it out restarts in its next one.
  Matrix& restarts = net.kept("restarts before");
  const auto due = static_cast<double>(every == 0 ? 0 : net.t / every);
  std::vector<bool> in_full;
  for (Index i = 0; i < net.X.cols(); ++i) in_full.push_back(restarts(0, i) < due);
  const Matrix Z = before + (next - before) * half_t.asDiagonal();
  const Matrix C = net.said_in_steps(Z, Xt, two_over_t, in_full);
  for (Index i = 0; i < net.X.cols(); ++i) {
    const bool restart = in_full[static_cast<std::size_t>(i)];
    Xt.col(i) = restart ? Vector<double>(next.col(i))
                        : Vector<double>(Xt.col(i) + two_over_t[i] * (C.col(i) - Xt.col(i)));
    counts.col(i).array() = restart ? 0 : counts(0, i) + 1;
  }
  restarts.setConstant(due);
  if (first) net.kept("adapted") = next;
  net.X = first ? Matrix(Xt * net.mixing()) : next;
}

/// The memory is kept as a step here (Karimireddy et al. 2019), as a gradient in the method. Both agree up to
/// rounding.
void qsgd_allreduce(Network& net) {
  const std::string& feedback = net.options()[option::feedback];
  const double beta = feedback == "none" ? 0 : feedback == "low-pass(0.1)" ? 0.1 : 1;
  const double eta = net.eta();
  Matrix& M = net.kept("memory");
  const Matrix G = net.gradients(feedback == "dgd-def" ? Matrix(net.X - M) : net.X);
  const Matrix P = G + M / eta;
  const Matrix C = net.said(P);
  M = ((1 - beta) * M + beta * eta * (P - C)).eval();
  const Vector<double> mean = C.rowwise().mean();
  net.X.colwise() -= eta * mean;
}

void lgc_ring(Network& net) {
  if (net.t <= net.options()[option::dense_rounds]) return allreduce_sgd(net);
  // The error is kept as a step. The basis is the recorded one: a rounding turns directions of nearly equal
  // singular values.
  const Vector<double> basis = net.recorded(0, "basis");
  const Index rank = basis.size() / net.X.rows();
  const Matrix D = Eigen::Map<const Matrix>(basis.data(), net.X.rows(), rank);  // P'
  Matrix& E = net.kept("error");
  const Matrix P = net.gradients() + E / net.eta();
  const Matrix Z = D.transpose() * P;
  const Matrix S = net.said(P - D * Z);
  E = net.eta() * (P - D * Z - S);
  const Vector<double> mean = D * Z.rowwise().mean() + S.rowwise().mean();
  net.X.colwise() -= net.eta() * mean;
}

}  // namespace

Recursions baseline_recursions() {
  return {{"allreduce-sgd", allreduce_sgd}, {"d-psgd", d_psgd},         {"naive", naive},
          {"dcd-psgd", dcd_psgd},           {"ecd-psgd", ecd_psgd},     {"qsgd-allreduce", qsgd_allreduce},
          {"lgc-ring", lgc_ring},           {"powersgd", allreduce_sgd}};
}

}  // namespace hearsay::test
