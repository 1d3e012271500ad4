#include "tests/methods/stacked_network.hpp"

#include "algorithms/methods/parts/shared_options.hpp"

namespace hearsay::test {

namespace {

double gamma_of(const Network& net) { return net.options()[option::consensus_step]; }

/// Returns H (W' - I), the change by gossip on replicas.
Matrix gossip(const Network& net, const Matrix& H) { return H * net.mixing() - H; }

void choco_sgd(Network& net) {
  Matrix& H = net.kept("replicas", net.X);
  if (net.options()[option::order] == "pipelined") {
    net.X += gamma_of(net) * gossip(net, H);
    H += net.said(net.X - H);
    net.X += net.local_steps();
  } else {
    net.X += net.local_steps();
    H += net.said_in_changes(net.X - H);
    net.X += gamma_of(net) * gossip(net, H);
  }
}

void choco_gossip(Network& net) {
  Matrix& H = net.kept("replicas", net.X);
  Matrix& started = net.kept("started");
  // The gradient step is taken in the first iteration in which a peer takes part.
  const Matrix G = net.full_gradients(net.X);
  for (Index i = 0; i < net.X.cols(); ++i)
    if (net.takes_part(i) && started(0, i) == 0) {
      net.X.col(i) -= net.eta() * G.col(i);
      started.col(i).setOnes();
    }
  H += net.said_in_changes(net.X - H);
  net.X += gamma_of(net) * gossip(net, H);
}

void deep_squeeze(Network& net) {
  Matrix& E = net.kept("errors");
  net.X += net.local_steps();
  const Matrix V = net.X + E;
  const Matrix C = net.said(V);
  E = V - C;
  net.X += gamma_of(net) * gossip(net, C);
}

/// For a model without matrices: full precision, adapt then combine.
void power_gossip(Network& net) {
  net.X += net.local_steps();
  net.X += gamma_of(net) * gossip(net, net.X);
}

void moniqua(Network& net) {
  const bool adapts_first = net.options().find(option::order) == "adapt-then-combine";
  const Matrix steps = net.local_steps();
  if (adapts_first) net.X += steps;
  const Matrix C = net.said(net.X, 0, true);
  net.X += gamma_of(net) * gossip(net, C);
  if (!adapts_first) net.X += steps;
}

void cedas(Network& net) {
  Matrix& H = net.kept("references");
  Matrix& D = net.kept("duals");
  if (net.t == 1) H = net.X;
  const Matrix stepped = net.X - net.eta() * net.gradients();
  const Matrix Q = net.said(stepped - D - H);
  const Matrix tried = H + Q;
  D -= gamma_of(net) / 2 * gossip(net, tried);
  H += net.options()[option::damping] * Q;
  net.X = stepped - D;
}

void beer(Network& net) {
  Matrix& H = net.kept("model replicas");
  Matrix& G = net.kept("tracker replicas");
  Matrix& V = net.kept("trackers");
  Matrix& gradient = net.kept("gradients");
  G += net.said_behind(V - G, 0);
  if (net.t == 1) {
    H = net.X;
    V = gradient = net.gradients();
  }
  net.X += gamma_of(net) * gossip(net, H) - net.eta() * V;
  net.draw_of(net.t);
  H += net.said_behind(net.X - H, 1);
  const Matrix next = net.gradients();
  V += gamma_of(net) * gossip(net, G) + next - gradient;
  gradient = next;
}

void c_gt(Network& net) {
  Matrix& H = net.kept("model references");
  Matrix& G = net.kept("tracker references");
  Matrix& Y = net.kept("trackers");
  Matrix& gradient = net.kept("gradients");
  Matrix& told = net.kept("models as they are told");  // xhat, of the last models
  const double a = net.options()[option::damping];
  if (net.t == 1) {
    told = H = net.X;
    Y = gradient = net.gradients();
    net.draw_of(1);
    net.say_to_nobody();
  }
  const Matrix R = net.said_behind(Y - G, 0);
  net.X += gamma_of(net) * gossip(net, told) - net.eta() * Y;
  net.draw_of(net.t + 1);
  const Matrix Q = net.said_behind(net.X - H, 1);
  told = H + Q;
  const Matrix next = net.gradients();
  Y += gamma_of(net) * gossip(net, G + R) + next - gradient;
  gradient = next;
  H += a * Q;
  G += a * R;
}

}  // namespace

Recursions compressed_recursions() {
  return {{"choco-sgd", choco_sgd},
          {"choco-gossip", choco_gossip},
          {"deep-squeeze", deep_squeeze},
          {"power-gossip", power_gossip},
          {"moniqua", moniqua},
          {"cedas", cedas},
          {"beer", beer},
          {"c-gt", c_gt}};
}

}  // namespace hearsay::test
