#include <cmath>

#include "tests/support/stacked_network.hpp"

namespace hearsay::test {

namespace {

template <class Scalar>
void prox(Network<Scalar>& net, Matrix<Scalar>& Q) {
  for (Index i = 0; i < Q.cols(); ++i) {
    Vector<Scalar> q = Q.col(i);
    net.regularizer().prox(net.eta(), q);
    Q.col(i) = q;
  }
}

template <class Scalar>
void dspg(Network<Scalar>& net) {
  net.X = ((net.X - net.eta() * net.gradients()) * net.mixing()).eval();
  prox(net, net.X);
}

std::uint64_t rounds_of(const std::string& consensus, std::uint64_t k) {
  if (consensus == "k") return k;
  if (consensus == "min(k, 20)") return std::min<std::uint64_t>(k, 20);
  return std::stoull(consensus);
}

/// Epochs are counted up here, from iteration 1 on, where the method works out where it stands.
template <class Scalar>
void dpsvrg(Network<Scalar>& net) {
  const MethodOptions& options = net.options();
  std::uint64_t epoch = 0, k = 0, rounds = 0, length = 0;
  for (std::uint64_t t = 1; t <= net.t; ++t) {
    rounds += k == 0 ? 0 : rounds_of(*options.consensus, k);
    if (k == length) {
      length = static_cast<std::uint64_t>(
          std::ceil(std::pow(*options.inner_growth, ++epoch) * static_cast<double>(*options.inner_length)));
      k = 0;
    }
    ++k;
  }
  Matrix<Scalar>& snapshot = net.kept("snapshot");
  Matrix<Scalar>& full = net.kept("full gradient");
  Matrix<Scalar>& mean = net.kept("mean of the epoch");
  if (k == 1) {
    snapshot = *options.snapshot == "average" && epoch > 1 ? mean : net.X;
    full = net.full_gradients(snapshot);
    mean.setZero();
  }
  Matrix<Scalar> Q = net.X - net.eta() * (net.gradients() - net.gradients(snapshot) + full);
  if (*options.prox_order == "prox-then-mix") prox(net, Q);
  for (std::uint64_t r = 0; r < rounds_of(*options.consensus, k); ++r)
    Q = (Q * net.mixing(rounds + r)).eval();
  if (*options.prox_order == "mix-then-prox") prox(net, Q);
  net.X = Q;
  mean += Q / static_cast<Scalar>(length);
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> composite_recursions() {
  return {{"dspg", dspg<Scalar>}, {"dpsvrg", dpsvrg<Scalar>}};
}

template std::map<std::string, Recursion<float>> composite_recursions<float>();
template std::map<std::string, Recursion<double>> composite_recursions<double>();

}  // namespace hearsay::test
