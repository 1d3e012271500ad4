#include <string>

#include "algorithms/methods/demo.hpp"
#include "algorithms/methods/gas_loc.hpp"
#include "algorithms/methods/local_sgd.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/streaming_diloco.hpp"
#include "tests/methods/stacked_outer_step.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay::test {

void outer_step(Network& net, const Matrix& D, Matrix& X, const std::string& momentum) {
  const Spelling outer = parse_spelling("algorithm.outer", net.options()[option::outer]);
  const double rate = std::stod(outer.arguments[0]);
  const double beta = outer.name == "none" ? 0.0 : std::stod(outer.arguments[1]);
  Matrix& M = net.kept(momentum);
  if (outer.name == "none") X -= rate * D;
  if (outer.name == "none") return;
  M = beta * M + (outer.name == "slowmo" ? Matrix(D / net.eta()) : D);
  if (outer.name == "heavy-ball") X -= rate * M;
  if (outer.name == "nesterov") X -= rate * beta * M + rate * D;
  if (outer.name == "slowmo") X -= rate * net.eta() * M;
}

namespace {

/// The mean of the columns, as every column.
Matrix everywhere_the_mean(const Matrix& D) { return D.rowwise().mean().replicate(1, D.cols()); }

void local_sgd(Network& net) {
  Matrix& inner = net.kept("momentum");  // of heavy-ball(0.5), the one with which states are tried
  if (net.options()[option::inner_state] == "reset") inner.setZero();
  const Matrix drifts = net.local_steps();
  if (net.options()[option::inner_state] == "average")
    inner.colwise() = Vector<double>(inner.rowwise().mean());
  outer_step(net, everywhere_the_mean(-drifts), net.X);
}

void sparse_loco(Network& net) {
  Matrix& E = net.kept("error");
  E = net.options()[option::error_decay] * E - net.local_steps();
  const Matrix C = net.said(E);
  E -= C;
  outer_step(net, everywhere_the_mean(C), net.X);
}

void demo(Network& net) {
  Matrix& M = net.kept("decoupled momentum");
  M = net.options()[option::error_decay] * M + net.eta() * net.gradients(net.X);
  const Matrix C = net.said(M);
  M -= C;
  const Matrix Q = everywhere_the_mean(C);
  net.X -= net.options().find(option::signs) == "signed" ? Matrix(net.eta() * Q.array().sign()) : Q;
}

/// The outer step is taken on whole matrices, and the rows of the merged fragment are kept of it.
void streaming_diloco(Network& net) {
  const MethodOptions& options = net.options();
  const std::uint64_t fragments = options[option::fragments];
  const std::uint64_t each = options[option::local_steps] / fragments;
  const double alpha = options[option::own_share];
  Matrix& own = net.kept("own models", net.X);
  Matrix& M = net.kept("outer momentum");
  for (std::uint64_t p = 0; p < fragments; ++p) {
    const auto begin = net.X.rows() * static_cast<Index>(p) / static_cast<Index>(fragments);
    const auto end = net.X.rows() * static_cast<Index>(p + 1) / static_cast<Index>(fragments);
    const Index size = end - begin;
    Matrix D = Matrix::Zero(net.X.rows(), net.X.cols());
    for (std::uint64_t k = 1; k <= each; ++k) {
      own += net.local_step(own, net.gradients(own, p * each + k - 1));
      if (k == each - options[option::overlap])
        D.middleRows(begin, size) =
            everywhere_the_mean(net.X.middleRows(begin, size) - own.middleRows(begin, size));
    }
    const Matrix M_before = M;
    Matrix X = net.X;
    outer_step(net, D, X);
    const Matrix M_merged = M.middleRows(begin, size);
    M = M_before;
    M.middleRows(begin, size) = M_merged;
    net.X.middleRows(begin, size) = X.middleRows(begin, size);
    own.middleRows(begin, size) =
        ((1 - alpha) * X.middleRows(begin, size) + alpha * own.middleRows(begin, size)).eval();
  }
}

void gas_loc(Network& net) {
  const OuterRule outer = OuterRule::parse(net.options()[option::outer]);
  const double gamma = net.options()[option::consensus_step];
  const double beta = outer.momentum;
  Matrix& before = net.kept("moved before", net.X);
  const Matrix U = net.X + outer.rate * net.local_steps();
  const auto mixed = [&](const Matrix& V) -> Matrix { return V + gamma * (V * net.mixing() - V); };
  net.X = net.options().find(option::mixes) == "momentum" ? mixed(U + beta * (U - before))
                                                          : mixed(U) + beta * (U - before);
  before = U;
}

void noloco(Network& net) {
  const OuterRule outer = OuterRule::parse(net.options()[option::outer]);
  const double gamma = net.options()[option::consensus_step];
  Matrix& M = net.kept("outer momentum");
  const Matrix D = net.local_steps() * net.mixing();
  M = (outer.momentum * M + outer.rate * D + gamma * (net.X * net.mixing() - net.X)).eval();
  net.X += M;
}

}  // namespace

Recursions outer_loop_recursions() {
  return {{"local-sgd", local_sgd},     {"diloco", local_sgd},
          {"slowmo", local_sgd},        {"streaming-diloco", streaming_diloco},
          {"sparse-loco", sparse_loco}, {"demo", demo},
          {"gas-loc", gas_loc},         {"noloco", noloco}};
}

}  // namespace hearsay::test
