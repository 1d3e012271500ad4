#include <algorithm>
#include <cmath>
#include <string>

#include "algorithms/methods/dpsvrg.hpp"
#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

void prox(Network& net, Matrix& Q) {
  for (Index i = 0; i < Q.cols(); ++i) {
    Vector<double> q = Q.col(i);
    net.regularizer().prox(net.eta(), q);
    Q.col(i) = q;
  }
}

void dspg(Network& net) {
  net.X = ((net.X - net.eta() * net.gradients()) * net.mixing()).eval();
  prox(net, net.X);
}

std::uint64_t rounds_of(const std::string& consensus, std::uint64_t k) {
  if (consensus == "k") return k;
  if (consensus == "min(k, 20)") return std::min<std::uint64_t>(k, 20);
  return std::stoull(consensus);
}

struct Place {
  std::uint64_t epoch = 0;
  std::uint64_t k = 0;
  std::uint64_t length = 0;
  std::uint64_t rounds_before = 0;
};

/// Returns the position of an iteration, counted from iteration 1 on; the method computes it from t alone.
/// Without epochs k keeps counting.
Place place_of(const MethodOptions& options, std::uint64_t iteration) {
  Place place;
  for (std::uint64_t t = 1; t <= iteration; ++t) {
    place.rounds_before += place.k == 0 ? 0 : rounds_of(options[option::consensus], place.k);
    if (options[option::estimator] == "svrg" && place.k == place.length) {
      place.length =
          static_cast<std::uint64_t>(std::ceil(std::pow(options[option::inner_growth], ++place.epoch) *
                                               static_cast<double>(options[option::inner_length])));
      place.k = 0;
    }
    ++place.k;
  }
  return place;
}

/// Returns V = G(X; Xi) - G(snapshot; Xi) + full gradients at the snapshot.
Matrix svrg_estimate(Network& net, const Place& place) {
  const MethodOptions& options = net.options();
  const bool loopless = options[option::estimator] == "loopless-svrg";
  Matrix& snapshot = net.kept("snapshot");
  Matrix& full = net.kept("full gradient");
  Matrix& mean = net.kept("mean of the epoch");
  if (place.k == 1) {
    snapshot = !loopless && options[option::snapshot] == "average" && place.epoch > 1 ? mean : net.X;
    full = net.full_gradients(snapshot);
    mean.setZero();
  }
  const Matrix V = net.gradients() - net.gradients(snapshot) + full;
  // w^{k+1} = x^k: the snapshot of the next iteration is the point before this step.
  if (loopless && net.common_random(Purpose::decision).below(options[option::inner_length]) == 0) {
    snapshot = net.X;
    full = net.full_gradients(snapshot);
  }
  return V;
}

/// Returns, for every peer, v = mean_s T_s + sum over xi of (g_s - T_s) / |xi|, where T_s is the gradient of
/// sample s when it was last drawn. Then T_s = g_s.
Matrix saga_estimate(Network& net) {
  Matrix V = Matrix::Zero(net.X.rows(), net.X.cols());
  for (Index i = 0; i < V.cols(); ++i) {
    const auto peer = static_cast<PeerId>(i);
    const auto table = [&](Index sample) { return net.kept("sample " + std::to_string(sample)).col(i); };
    const Index samples = net.sample_count(peer);
    for (Index s = 0; s < samples; ++s) {
      if (net.t == 1) table(s) = net.gradient_of_sample(peer, s);
      V.col(i) += table(s) / static_cast<double>(samples);
    }
    const std::vector<Index> drawn = net.minibatch(peer);
    for (const Index s : drawn)
      V.col(i) += (net.gradient_of_sample(peer, s) - table(s)) / static_cast<double>(drawn.size());
    for (const Index s : drawn) table(s) = net.gradient_of_sample(peer, s);
  }
  return V;
}

/// Mixes Y by Chebyshev's rounds: y_{r+1} = (1 + e) y_r W' - e y_{r-1} from y_{-1} = y_0, with e = (1 - s) /
/// (1 + s), s^2 = 1 - rho^2. Plain gossip is e = 0.
Matrix mixed(const Network& net, Matrix Y, const Place& place) {
  const double root = std::sqrt(1.0 - net.rho() * net.rho());
  const double e = net.options()[option::gossip] == "chebyshev" ? (1.0 - root) / (1.0 + root) : 0.0;
  Matrix before = Y;
  for (std::uint64_t r = 0; r < rounds_of(net.options()[option::consensus], place.k); ++r) {
    const Matrix next = (1 + e) * (Y * net.mixing(place.rounds_before + r)) - e * before;
    before = Y;
    Y = next;
  }
  return Y;
}

void dpsvrg(Network& net) {
  const MethodOptions& options = net.options();
  const Place place = place_of(options, net.t);
  const Matrix V = options[option::estimator] == "saga" ? saga_estimate(net) : svrg_estimate(net, place);
  Matrix Q = net.X - net.eta() * V;
  if (options[option::prox_order] == "prox-then-mix") prox(net, Q);
  Q = mixed(net, Q, place);
  if (options[option::prox_order] == "mix-then-prox") prox(net, Q);
  net.X = Q;
  if (place.length != 0) net.kept("mean of the epoch") += Q / static_cast<double>(place.length);
}

}  // namespace

Recursions composite_recursions() { return {{"dspg", dspg}, {"dpsvrg", dpsvrg}}; }

}  // namespace hearsay::test
