#include <string>

#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

template <class Scalar>
void allreduce_sgd(Network<Scalar>& net) {
  const Vector<Scalar> mean = net.gradients().rowwise().mean();
  net.X.colwise() -= net.eta() * mean;
}

template <class Scalar>
bool adapts_first(const Network<Scalar>& net) {
  return net.options().form == "adapt-then-combine";
}

template <class Scalar>
void d_psgd(Network<Scalar>& net) {
  const std::uint64_t staleness = *net.options().staleness;
  const auto gamma = static_cast<Scalar>(*net.options().consensus_step);
  const Matrix<Scalar> steps = net.local_steps();
  if (adapts_first(net)) net.X += steps;
  Matrix<Scalar> old = net.X;
  if (staleness > 0) old.swap(net.kept("models of " + std::to_string(net.t % staleness), net.X));
  if (net.t > staleness) net.X += gamma * (old * net.mixing() - old);
  if (!adapts_first(net)) net.X += steps;
}

template <class Scalar>
void naive(Network<Scalar>& net) {
  const Matrix<Scalar> steps = net.local_steps();
  if (adapts_first(net))
    net.X = (net.said(net.X + steps) * net.mixing()).eval();
  else
    net.X = (net.said(net.X) * net.mixing() + steps).eval();
}

template <class Scalar>
void dcd_psgd(Network<Scalar>& net) {
  if (adapts_first(net)) {
    Matrix<Scalar>& H = net.kept("replicas", net.X);
    H += net.said_in_changes(net.X + net.local_steps() - H);
    net.X = H * net.mixing();
    return;
  }
  const Matrix<Scalar> half = net.X * net.mixing() + net.local_steps();
  net.X += net.said_in_changes(half - net.X);
}

template <class Scalar>
void ecd_psgd(Network<Scalar>& net) {
  const std::uint64_t every = *net.options().restart_every;
  // Every peer counts the iterations in which it takes part.
  Matrix<Scalar>& counts = net.kept("counts");
  Matrix<Scalar>& Xt = net.kept("estimates", net.X);
  const Vector<Scalar> half_t = (counts.row(0).transpose().array() + 1) / 2;
  const Vector<Scalar> two_over_t = half_t.cwiseInverse();
  const bool first = adapts_first(net);
  const Matrix<Scalar> before = first ? Matrix<Scalar>(net.kept("adapted", net.X)) : net.X;
  const Matrix<Scalar> start = first ? net.X : Matrix<Scalar>(Xt * net.mixing());
  const Matrix<Scalar> next = start + net.local_steps();
  // Every R-th iteration is a restart. A peer that sits it out restarts in its next one.
  Matrix<Scalar>& restarts = net.kept("restarts before");
  const auto due = static_cast<Scalar>(every == 0 ? 0 : net.t / every);
  std::vector<bool> in_full;
  for (Index i = 0; i < net.X.cols(); ++i) in_full.push_back(restarts(0, i) < due);
  const Matrix<Scalar> Z = before + (next - before) * half_t.asDiagonal();
  const Matrix<Scalar> C = net.said_in_steps(Z, Xt, two_over_t, in_full);
  for (Index i = 0; i < net.X.cols(); ++i) {
    const bool restart = in_full[static_cast<std::size_t>(i)];
    Xt.col(i) = restart ? Vector<Scalar>(next.col(i))
                        : Vector<Scalar>(Xt.col(i) + two_over_t[i] * (C.col(i) - Xt.col(i)));
    counts.col(i).array() = restart ? Scalar(0) : counts(0, i) + 1;
  }
  restarts.setConstant(due);
  if (first) net.kept("adapted") = next;
  net.X = first ? Matrix<Scalar>(Xt * net.mixing()) : next;
}

/// The memory is kept as a step here (Karimireddy et al. 2019), as a gradient in the method. Both agree up to
/// rounding.
template <class Scalar>
void qsgd_allreduce(Network<Scalar>& net) {
  const std::string& feedback = *net.options().feedback;
  const Scalar beta = feedback == "none"            ? Scalar(0)
                      : feedback == "low-pass(0.1)" ? static_cast<Scalar>(0.1)
                                                    : Scalar(1);
  const Scalar eta = net.eta();
  Matrix<Scalar>& M = net.kept("memory");
  const Matrix<Scalar> G = net.gradients(feedback == "dgd-def" ? Matrix<Scalar>(net.X - M) : net.X);
  const Matrix<Scalar> P = G + M / eta;
  const Matrix<Scalar> C = net.said(P);
  M = ((1 - beta) * M + beta * eta * (P - C)).eval();
  const Vector<Scalar> mean = C.rowwise().mean();
  net.X.colwise() -= eta * mean;
}

template <class Scalar>
void lgc_ring(Network<Scalar>& net) {
  if (net.t <= *net.options().dense_rounds) return allreduce_sgd(net);
  // The error is kept as a step. The basis is the recorded one: a rounding turns directions of nearly equal
  // singular values.
  const Vector<Scalar>& basis = net.recorded(0, "basis");
  const Index rank = basis.size() / net.X.rows();
  const Matrix<Scalar> D = Eigen::Map<const Matrix<Scalar>>(basis.data(), net.X.rows(), rank);  // P'
  Matrix<Scalar>& E = net.kept("error");
  const Matrix<Scalar> P = net.gradients() + E / net.eta();
  const Matrix<Scalar> Z = D.transpose() * P;
  const Matrix<Scalar> S = net.said(P - D * Z);
  E = net.eta() * (P - D * Z - S);
  const Vector<Scalar> mean = D * Z.rowwise().mean() + S.rowwise().mean();
  net.X.colwise() -= net.eta() * mean;
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> baseline_recursions() {
  return {{"allreduce-sgd", allreduce_sgd<Scalar>},
          {"d-psgd", d_psgd<Scalar>},
          {"naive", naive<Scalar>},
          {"dcd-psgd", dcd_psgd<Scalar>},
          {"ecd-psgd", ecd_psgd<Scalar>},
          {"qsgd-allreduce", qsgd_allreduce<Scalar>},
          {"lgc-ring", lgc_ring<Scalar>},
          {"powersgd", allreduce_sgd<Scalar>}};
}

template std::map<std::string, Recursion<float>> baseline_recursions<float>();
template std::map<std::string, Recursion<double>> baseline_recursions<double>();

}  // namespace hearsay::test
