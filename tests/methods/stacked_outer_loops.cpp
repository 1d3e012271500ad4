#include <string>

#include "algorithms/methods/parts/outer_rule.hpp"
#include "tests/methods/stacked_network.hpp"
#include "tests/methods/stacked_outer_step.hpp"

namespace hearsay::test {

namespace {

/// The mean of the columns, as every column.
template <class Scalar>
Matrix<Scalar> everywhere_the_mean(const Matrix<Scalar>& D) {
  return D.rowwise().mean().replicate(1, D.cols());
}

template <class Scalar>
void local_sgd(Network<Scalar>& net) {
  Matrix<Scalar>& inner = net.kept("momentum");  // of heavy-ball(0.5), the one with which states are tried
  if (*net.options().inner_state == "reset") inner.setZero();
  const Matrix<Scalar> drifts = net.local_steps();
  if (*net.options().inner_state == "average") inner.colwise() = Vector<Scalar>(inner.rowwise().mean());
  outer_step<Scalar>(net, everywhere_the_mean<Scalar>(-drifts), net.X);
}

template <class Scalar>
void sparse_loco(Network<Scalar>& net) {
  Matrix<Scalar>& E = net.kept("error");
  E = static_cast<Scalar>(*net.options().error_decay) * E - net.local_steps();
  const Matrix<Scalar> C = net.said(E);
  E -= C;
  outer_step<Scalar>(net, everywhere_the_mean<Scalar>(C), net.X);
}

template <class Scalar>
void demo(Network<Scalar>& net) {
  Matrix<Scalar>& M = net.kept("decoupled momentum");
  M = static_cast<Scalar>(*net.options().error_decay) * M + net.eta() * net.gradients(net.X);
  const Matrix<Scalar> C = net.said(M);
  M -= C;
  const Matrix<Scalar> Q = everywhere_the_mean<Scalar>(C);
  net.X -= net.options().form == "signed" ? Matrix<Scalar>(net.eta() * Q.array().sign()) : Q;
}

/// The outer step is taken on whole matrices, and the rows of the merged fragment are kept of it.
template <class Scalar>
void streaming_diloco(Network<Scalar>& net) {
  const MethodOptions& options = net.options();
  const std::uint64_t fragments = *options.fragments;
  const std::uint64_t each = *options.local_steps / fragments;
  const auto alpha = static_cast<Scalar>(*options.own_share);
  Matrix<Scalar>& own = net.kept("own models", net.X);
  Matrix<Scalar>& M = net.kept("outer momentum");
  for (std::uint64_t p = 0; p < fragments; ++p) {
    const auto begin = net.X.rows() * static_cast<Index>(p) / static_cast<Index>(fragments);
    const auto end = net.X.rows() * static_cast<Index>(p + 1) / static_cast<Index>(fragments);
    const Index size = end - begin;
    Matrix<Scalar> D = Matrix<Scalar>::Zero(net.X.rows(), net.X.cols());
    for (std::uint64_t k = 1; k <= each; ++k) {
      own += net.local_step(own, net.gradients(own, p * each + k - 1));
      if (k == each - *options.overlap)
        D.middleRows(begin, size) =
            everywhere_the_mean<Scalar>(net.X.middleRows(begin, size) - own.middleRows(begin, size));
    }
    const Matrix<Scalar> M_before = M;
    Matrix<Scalar> X = net.X;
    outer_step<Scalar>(net, D, X);
    const Matrix<Scalar> M_merged = M.middleRows(begin, size);
    M = M_before;
    M.middleRows(begin, size) = M_merged;
    net.X.middleRows(begin, size) = X.middleRows(begin, size);
    own.middleRows(begin, size) =
        ((1 - alpha) * X.middleRows(begin, size) + alpha * own.middleRows(begin, size)).eval();
  }
}

template <class Scalar>
void gas_loc(Network<Scalar>& net) {
  const OuterRule outer = OuterRule::parse(*net.options().outer);
  const auto gamma = static_cast<Scalar>(*net.options().consensus_step);
  const auto beta = static_cast<Scalar>(outer.momentum);
  Matrix<Scalar>& before = net.kept("moved before", net.X);
  const Matrix<Scalar> U = net.X + static_cast<Scalar>(outer.rate) * net.local_steps();
  const auto mixed = [&](const Matrix<Scalar>& V) -> Matrix<Scalar> {
    return V + gamma * (V * net.mixing() - V);
  };
  net.X = net.options().form == "mixed" ? mixed(U + beta * (U - before)) : mixed(U) + beta * (U - before);
  before = U;
}

template <class Scalar>
void noloco(Network<Scalar>& net) {
  const OuterRule outer = OuterRule::parse(*net.options().outer);
  const auto gamma = static_cast<Scalar>(*net.options().consensus_step);
  Matrix<Scalar>& M = net.kept("outer momentum");
  const Matrix<Scalar> D = net.local_steps() * net.mixing();
  M = (static_cast<Scalar>(outer.momentum) * M + static_cast<Scalar>(outer.rate) * D +
       gamma * (net.X * net.mixing() - net.X))
          .eval();
  net.X += M;
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> outer_loop_recursions() {
  return {{"local-sgd", local_sgd<Scalar>},     {"diloco", local_sgd<Scalar>},
          {"slowmo", local_sgd<Scalar>},        {"streaming-diloco", streaming_diloco<Scalar>},
          {"sparse-loco", sparse_loco<Scalar>}, {"demo", demo<Scalar>},
          {"gas-loc", gas_loc<Scalar>},         {"noloco", noloco<Scalar>}};
}

template std::map<std::string, Recursion<float>> outer_loop_recursions<float>();
template std::map<std::string, Recursion<double>> outer_loop_recursions<double>();

}  // namespace hearsay::test
