#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/methods/artemis.hpp"
#include "algorithms/methods/ef21.hpp"
#include "algorithms/methods/fed_avg.hpp"
#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "tests/methods/stacked_hub.hpp"
#include "tests/methods/stacked_outer_step.hpp"
#include "topology/foundation/ensure.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay::test {

double number_of(const std::optional<std::string>& text) {
  double value = 0.0;
  ensure(text && parse_number(*text, value), "an option is a number");
  return value;
}

Matrix everywhere(const Network& net, const Vector<double>& x) { return x.replicate(1, net.X.cols()); }

Vector<double> sum_of_answers(const Network& net, const Matrix& C) {
  Vector<double> sum = Vector<double>::Zero(C.rows());
  for (const Index i : net.answering()) sum += C.col(i);
  return sum;
}

Vector<double> mean_of_answers(const Network& net, const Matrix& C) {
  return sum_of_answers(net, C) / static_cast<double>(net.answering().size());
}

Vector<double> hear_hub(Network& net) {
  const Vector<double> x = net.X.col(0);
  net.X = everywhere(net, x);
  return x;
}

Matrix& owed(Network& net, const std::string& name) {
  Matrix& E = net.kept(name);
  Matrix& step_size = net.kept(name + " step size");
  for (Index i = 0; i < E.cols(); ++i)
    if (step_size(0, i) != 0) E.col(i) *= step_size(0, i) / net.eta();
  step_size.row(0).setConstant(net.eta());
  return E;
}

namespace {

/// The sums of the local steps from X, the gradients with mu (Y - X) added.
Matrix pulled_steps(Network& net, double mu) {
  Matrix Y = net.X;
  for (std::uint64_t h = 0; h < net.options()[option::local_steps]; ++h)
    Y = net.rounded(Y + net.local_step(Y, net.gradients(Y, h) + mu * (Y - net.X)));
  return Y - net.X;
}

void fed_avg(Network& net) {
  hear_hub(net);
  const double mu = net.options().find(option::proximal).value_or(0.0);
  const Vector<double> D = -mean_of_answers(net, net.said(pulled_steps(net, mu)));
  Matrix X = net.X;
  outer_step(net, everywhere(net, D), X, "hub outer momentum");
  net.X.col(0) = X.col(0);
}

void scaffold(Network& net) {
  const auto steps = static_cast<double>(net.options()[option::local_steps]);
  const Vector<double> x = hear_hub(net);
  Matrix& own = net.kept("own control");
  auto c = net.kept("hub control").col(0);
  const Matrix corrections = everywhere(net, c) - own;
  Matrix Y = net.X;
  for (std::uint64_t h = 0; h < net.options()[option::local_steps]; ++h)
    Y -= net.eta() * (net.gradients(Y, h) + corrections);
  const Matrix news = (net.X - Y) / (steps * net.eta()) - everywhere(net, c);
  own += news;
  net.X.col(0) = x + OuterRule::parse(net.options()[option::outer]).rate * mean_of_answers(net, Y - net.X);
  c += sum_of_answers(net, news) / static_cast<double>(net.X.cols());
}

void gen_qsgd(Network& net) {
  const Vector<double> x = hear_hub(net);
  const auto peers = static_cast<PeerId>(net.X.cols());
  std::uint64_t most = 0;
  for (PeerId i = 0; i < peers; ++i) most = std::max(most, local_steps_of(net.options(), i, peers, peers));
  Matrix Y = net.X;
  for (std::uint64_t h = 0; h < most; ++h) {
    const Matrix before = Y;
    const std::map<std::string, Matrix> kept = net.all_kept();
    Y += net.local_step(Y, net.gradients(Y, h));
    for (PeerId i = 0; i < peers; ++i) {
      if (h < local_steps_of(net.options(), i, peers, peers)) continue;
      Y.col(i) = before.col(i);
      for (const auto& [name, matrix] : kept) net.kept(name).col(i) = matrix.col(i);
    }
  }
  const Matrix C = net.said((Y - net.X) / net.eta());
  net.X.col(0) = x + net.eta() * net.said_by_hub(mean_of_answers(net, C));
}

/// Moves the memories by what is said of V - H. Returns hbar + mean_S C(V - H), hbar as it was before.
Vector<double> estimate_by_memories(Network& net, const Matrix& V, double alpha) {
  Matrix& H = net.kept("memory");
  auto mean = net.kept("hub mean memory").col(0);
  const Matrix Q = net.said(V - H);
  const Vector<double> estimate = net.options().find(option::memories) == "pp1"
                                      ? mean_of_answers(net, H + Q)
                                      : Vector<double>(mean + mean_of_answers(net, Q));
  mean += alpha / static_cast<double>(net.X.cols()) * sum_of_answers(net, Q);
  H += alpha * Q;
  return estimate;
}

void artemis(Network& net) {
  const Vector<double> x = hear_hub(net);
  const double alpha = number_of(net.options().find(option::memory_step));
  const Vector<double> estimate = estimate_by_memories(net, net.gradients(), alpha);
  net.X.col(0) = x - net.eta() * net.said_by_hub(estimate);
}

void dore(Network& net) {
  const Vector<double> x = hear_hub(net);
  const double alpha = number_of(net.options().find(option::memory_step));
  const Vector<double> estimate = estimate_by_memories(net, net.gradients(), alpha);
  auto error = net.kept("hub error").col(0);
  const Vector<double> p = -net.eta() * estimate + net.options()[option::error_decay] * error;
  const Vector<double> c = net.said_by_hub(p);
  error = p - c;
  net.X.col(0) = x + net.options()[option::damping] * c;
}

void mcm(Network& net) {
  const Vector<double> w = net.X.col(0);
  const double down_alpha = number_of(net.options().find(option::down_memory_step));
  auto reference = net.kept("hub reference", everywhere(net, net.initial())).col(0);
  const Vector<double> omega = net.said_by_hub(w - reference);
  net.X = everywhere(net, reference + omega);
  reference += down_alpha * omega;
  const double alpha = number_of(net.options().find(option::memory_step));
  net.X.col(0) = w - net.eta() * estimate_by_memories(net, net.gradients(), alpha);
}

void rand_mcm(Network& net) {
  const Vector<double> w = net.X.col(0);
  const double down_alpha = number_of(net.options().find(option::down_memory_step));
  Matrix& references = net.kept("reference", everywhere(net, net.initial()));
  RandomStream random = net.hub_random();
  for (const Index i : net.answering()) {
    const Vector<double> omega = net.said_by_hub(w - references.col(i), random);
    net.X.col(i) = references.col(i) + omega;
    references.col(i) += down_alpha * omega;
  }
  const double alpha = number_of(net.options().find(option::memory_step));
  net.X.col(0) = w - net.eta() * estimate_by_memories(net, net.gradients(), alpha);
}

void ef21(Network& net) {
  const Vector<double> x = hear_hub(net);
  const double beta = net.options()[option::momentum];
  Matrix& V = net.kept("tracked");
  V = (beta * V + (1 - beta) * net.gradients()).eval();
  estimate_by_memories(net, V, 1.0);
  const Vector<double> mean = net.kept("hub mean memory").col(0);
  if (!net.options().has(option::down_compressor)) {
    net.X.col(0) = x - net.eta() * mean;
    return;
  }
  auto common = net.kept("hub common").col(0);
  common += net.said_by_hub(mean - common);
  net.X.col(0) = x + net.hub_step(x, common);
}

void econtrol(Network& net) {
  const Vector<double> x = hear_hub(net);
  Matrix& E = owed(net, "error");
  const Matrix G = net.gradients();
  estimate_by_memories(net, G + net.options()[option::control] * E, 1.0);
  E += G - net.kept("memory");
  net.X.col(0) = x - net.eta() * net.kept("hub mean memory").col(0);
}

void double_squeeze(Network& net) {
  const Vector<double> x = hear_hub(net);
  const double share = net.options()[option::error_decay];
  const std::uint64_t rounds = net.options().find(option::rounds).value_or(1);
  Matrix G = net.gradients();
  for (std::uint64_t draw = 1; draw < rounds; ++draw) G += net.gradients(net.X, draw);
  Matrix& E = owed(net, "error");
  const Matrix P = G / static_cast<double>(rounds) + share * E;
  const Matrix C = net.said(P);
  E = P - C;
  Matrix& hub = owed(net, "hub error");
  const Vector<double> p = mean_of_answers(net, C) + share * hub.col(0);
  const Vector<double> c = net.said_by_hub(p);
  hub.col(0) = p - c;
  net.X.col(0) = x - net.eta() * c;
}

}  // namespace

Recursions hub_recursions() {
  return {{"fed-avg", fed_avg},
          {"fed-paq", fed_avg},
          {"fed-prox", fed_avg},
          {"scaffold", scaffold},
          {"gen-qsgd", gen_qsgd},
          {"artemis", artemis},
          {"diana", artemis},
          {"dore", dore},
          {"mcm", mcm},
          {"rand-mcm", rand_mcm},
          {"ef21", ef21},
          {"ef21-bc", ef21},
          {"cd-adam", ef21},
          {"econtrol", econtrol},
          {"double-squeeze", double_squeeze},
          {"neolithic", double_squeeze}};
}

}  // namespace hearsay::test
