#include "tests/methods/stacked_network.hpp"

namespace hearsay::test {

namespace {

template <class Scalar>
Scalar gamma_of(const Network<Scalar>& net) {
  return static_cast<Scalar>(*net.options().consensus_step);
}

/// Returns H (W' - I), the change by gossip on replicas.
template <class Scalar>
Matrix<Scalar> gossip(const Network<Scalar>& net, const Matrix<Scalar>& H) {
  return H * net.mixing() - H;
}

template <class Scalar>
void choco_sgd(Network<Scalar>& net) {
  Matrix<Scalar>& H = net.kept("replicas", net.X);
  if (*net.options().form == "pipelined") {
    net.X += gamma_of(net) * gossip(net, H);
    H += net.said(net.X - H);
    net.X += net.local_steps();
  } else {
    net.X += net.local_steps();
    H += net.said_in_changes(net.X - H);
    net.X += gamma_of(net) * gossip(net, H);
  }
}

template <class Scalar>
void choco_gossip(Network<Scalar>& net) {
  Matrix<Scalar>& H = net.kept("replicas", net.X);
  Matrix<Scalar>& started = net.kept("started");
  // The gradient step is taken in the first iteration in which a peer takes part.
  const Matrix<Scalar> G = net.full_gradients(net.X);
  for (Index i = 0; i < net.X.cols(); ++i)
    if (net.takes_part(i) && started(0, i) == 0) {
      net.X.col(i) -= net.eta() * G.col(i);
      started.col(i).setOnes();
    }
  H += net.said_in_changes(net.X - H);
  net.X += gamma_of(net) * gossip(net, H);
}

template <class Scalar>
void deep_squeeze(Network<Scalar>& net) {
  Matrix<Scalar>& E = net.kept("errors");
  net.X += net.local_steps();
  const Matrix<Scalar> V = net.X + E;
  const Matrix<Scalar> C = net.said(V);
  E = V - C;
  net.X += gamma_of(net) * gossip(net, C);
}

/// For a model without matrices: full precision, adapt then combine.
template <class Scalar>
void power_gossip(Network<Scalar>& net) {
  net.X += net.local_steps();
  net.X += gamma_of(net) * gossip(net, net.X);
}

template <class Scalar>
void moniqua(Network<Scalar>& net) {
  const bool adapts_first = net.options().form == "adapt-then-combine";
  const Matrix<Scalar> steps = net.local_steps();
  if (adapts_first) net.X += steps;
  const Matrix<Scalar> C = net.said(net.X, 0, true);
  net.X += gamma_of(net) * gossip(net, C);
  if (!adapts_first) net.X += steps;
}

template <class Scalar>
void cedas(Network<Scalar>& net) {
  Matrix<Scalar>& H = net.kept("references");
  Matrix<Scalar>& D = net.kept("duals");
  if (net.t == 1) H = net.X;
  const Matrix<Scalar> stepped = net.X - net.eta() * net.gradients();
  const Matrix<Scalar> Q = net.said(stepped - D - H);
  const Matrix<Scalar> tried = H + Q;
  D -= gamma_of(net) / 2 * gossip(net, tried);
  H += static_cast<Scalar>(*net.options().damping) * Q;
  net.X = stepped - D;
}

template <class Scalar>
void beer(Network<Scalar>& net) {
  Matrix<Scalar>& H = net.kept("model replicas");
  Matrix<Scalar>& G = net.kept("tracker replicas");
  Matrix<Scalar>& V = net.kept("trackers");
  Matrix<Scalar>& gradient = net.kept("gradients");
  if (net.t == 1) {
    H = net.X;
    V = gradient = net.gradients();
  }
  net.X += gamma_of(net) * gossip(net, H) - net.eta() * V;
  H += net.said(net.X - H, 0);
  const Matrix<Scalar> next = net.gradients();
  V += gamma_of(net) * gossip(net, G) + next - gradient;
  gradient = next;
  G += net.said(V - G, 1);
}

template <class Scalar>
void c_gt(Network<Scalar>& net) {
  Matrix<Scalar>& H = net.kept("model references");
  Matrix<Scalar>& G = net.kept("tracker references");
  Matrix<Scalar>& Y = net.kept("trackers");
  Matrix<Scalar>& gradient = net.kept("gradients");
  const auto a = static_cast<Scalar>(*net.options().damping);
  if (net.t == 1) {
    H = net.X;
    Y = gradient = net.gradients();
  }
  const Matrix<Scalar> Q = net.said(net.X - H, 0);
  const Matrix<Scalar> R = net.said(Y - G, 1);
  net.X += gamma_of(net) * gossip<Scalar>(net, H + Q) - net.eta() * Y;
  const Matrix<Scalar> next = net.gradients();
  Y += gamma_of(net) * gossip<Scalar>(net, G + R) + next - gradient;
  gradient = next;
  H += a * Q;
  G += a * R;
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> compressed_recursions() {
  return {{"choco-sgd", choco_sgd<Scalar>},
          {"choco-gossip", choco_gossip<Scalar>},
          {"deep-squeeze", deep_squeeze<Scalar>},
          {"power-gossip", power_gossip<Scalar>},
          {"moniqua", moniqua<Scalar>},
          {"cedas", cedas<Scalar>},
          {"beer", beer<Scalar>},
          {"c-gt", c_gt<Scalar>}};
}

template std::map<std::string, Recursion<float>> compressed_recursions<float>();
template std::map<std::string, Recursion<double>> compressed_recursions<double>();

}  // namespace hearsay::test
