#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "tests/methods/stacked_hub.hpp"
#include "tests/methods/stacked_outer_step.hpp"

namespace hearsay::test {

namespace {

/// The sums of the local steps from X, the gradients with mu (Y - X) added.
template <class Scalar>
Matrix<Scalar> pulled_steps(Network<Scalar>& net, Scalar mu) {
  Matrix<Scalar> Y = net.X;
  for (std::uint64_t h = 0; h < *net.options().local_steps; ++h)
    Y += net.local_step(Y, net.gradients(Y, h) + mu * (Y - net.X));
  return Y - net.X;
}

template <class Scalar>
void fed_avg(Network<Scalar>& net) {
  hear_hub(net);
  const auto mu = static_cast<Scalar>(net.options().proximal.value_or(0.0));
  const Vector<Scalar> D = -mean_of_answers(net, net.said(pulled_steps(net, mu)));
  Matrix<Scalar> X = net.X;
  outer_step<Scalar>(net, everywhere(net, D), X, "hub outer momentum");
  net.X.col(0) = X.col(0);
}

template <class Scalar>
void scaffold(Network<Scalar>& net) {
  const auto steps = static_cast<Scalar>(*net.options().local_steps);
  const Vector<Scalar> x = hear_hub(net);
  Matrix<Scalar>& own = net.kept("own control");
  auto c = net.kept("hub control").col(0);
  const Matrix<Scalar> corrections = everywhere<Scalar>(net, c) - own;
  Matrix<Scalar> Y = net.X;
  for (std::uint64_t h = 0; h < *net.options().local_steps; ++h)
    Y -= net.eta() * (net.gradients(Y, h) + corrections);
  const Matrix<Scalar> news = (net.X - Y) / (steps * net.eta()) - everywhere<Scalar>(net, c);
  own += news;
  net.X.col(0) = x + static_cast<Scalar>(OuterRule::parse(*net.options().outer).rate) *
                         mean_of_answers<Scalar>(net, Y - net.X);
  c += sum_of_answers(net, news) / static_cast<Scalar>(net.X.cols());
}

template <class Scalar>
void gen_qsgd(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  const auto peers = static_cast<PeerId>(net.X.cols());
  std::uint64_t most = 0;
  for (PeerId i = 0; i < peers; ++i) most = std::max(most, local_steps_of(net.options(), i, peers, peers));
  Matrix<Scalar> Y = net.X;
  for (std::uint64_t h = 0; h < most; ++h) {
    const Matrix<Scalar> before = Y;
    const std::map<std::string, Matrix<Scalar>> kept = net.all_kept();
    Y += net.local_step(Y, net.gradients(Y, h));
    for (PeerId i = 0; i < peers; ++i) {
      if (h < local_steps_of(net.options(), i, peers, peers)) continue;
      Y.col(i) = before.col(i);
      for (const auto& [name, matrix] : kept) net.kept(name).col(i) = matrix.col(i);
    }
  }
  const Matrix<Scalar> C = net.said((Y - net.X) / net.eta());
  net.X.col(0) = x + net.eta() * net.said_by_hub(mean_of_answers(net, C));
}

/// Moves the memories by what is said of V - H. Returns hbar + mean_S C(V - H), hbar as it was before.
template <class Scalar>
Vector<Scalar> estimate_by_memories(Network<Scalar>& net, const Matrix<Scalar>& V, Scalar alpha) {
  Matrix<Scalar>& H = net.kept("memory");
  auto mean = net.kept("hub mean memory").col(0);
  const Matrix<Scalar> Q = net.said(V - H);
  const Vector<Scalar> estimate = net.options().form == "pp1"
                                      ? mean_of_answers<Scalar>(net, H + Q)
                                      : Vector<Scalar>(mean + mean_of_answers(net, Q));
  mean += alpha / static_cast<Scalar>(net.X.cols()) * sum_of_answers(net, Q);
  H += alpha * Q;
  return estimate;
}

template <class Scalar>
void artemis(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  const auto alpha = static_cast<Scalar>(number_of(net.options().memory_step));
  const Vector<Scalar> estimate = estimate_by_memories(net, net.gradients(), alpha);
  net.X.col(0) = x - net.eta() * net.said_by_hub(estimate);
}

template <class Scalar>
void dore(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  const auto alpha = static_cast<Scalar>(number_of(net.options().memory_step));
  const Vector<Scalar> estimate = estimate_by_memories(net, net.gradients(), alpha);
  auto error = net.kept("hub error").col(0);
  const Vector<Scalar> p = -net.eta() * estimate + static_cast<Scalar>(*net.options().error_decay) * error;
  const Vector<Scalar> c = net.said_by_hub(p);
  error = p - c;
  net.X.col(0) = x + static_cast<Scalar>(*net.options().damping) * c;
}

template <class Scalar>
void mcm(Network<Scalar>& net) {
  const Vector<Scalar> w = net.X.col(0);
  const auto down_alpha = static_cast<Scalar>(number_of(net.options().down_memory_step));
  auto reference = net.kept("hub reference", everywhere(net, net.initial())).col(0);
  const Vector<Scalar> omega = net.said_by_hub(w - reference);
  net.X = everywhere<Scalar>(net, reference + omega);
  reference += down_alpha * omega;
  const auto alpha = static_cast<Scalar>(number_of(net.options().memory_step));
  net.X.col(0) = w - net.eta() * estimate_by_memories(net, net.gradients(), alpha);
}

template <class Scalar>
void rand_mcm(Network<Scalar>& net) {
  const Vector<Scalar> w = net.X.col(0);
  const auto down_alpha = static_cast<Scalar>(number_of(net.options().down_memory_step));
  Matrix<Scalar>& references = net.kept("reference", everywhere(net, net.initial()));
  RandomStream random = net.hub_random();
  for (const Index i : net.answering()) {
    const Vector<Scalar> omega = net.said_by_hub(w - references.col(i), random);
    net.X.col(i) = references.col(i) + omega;
    references.col(i) += down_alpha * omega;
  }
  const auto alpha = static_cast<Scalar>(number_of(net.options().memory_step));
  net.X.col(0) = w - net.eta() * estimate_by_memories(net, net.gradients(), alpha);
}

template <class Scalar>
void ef21(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  const auto beta = static_cast<Scalar>(*net.options().momentum);
  Matrix<Scalar>& V = net.kept("tracked");
  V = (beta * V + (1 - beta) * net.gradients()).eval();
  estimate_by_memories(net, V, Scalar(1));
  const Vector<Scalar> mean = net.kept("hub mean memory").col(0);
  if (!net.options().down_compressor) {
    net.X.col(0) = x - net.eta() * mean;
    return;
  }
  auto common = net.kept("hub common").col(0);
  common += net.said_by_hub(mean - common);
  net.X.col(0) = x + net.hub_step(x, common);
}

template <class Scalar>
void econtrol(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  Matrix<Scalar>& E = owed(net, "error");
  const Matrix<Scalar> G = net.gradients();
  estimate_by_memories<Scalar>(net, G + static_cast<Scalar>(*net.options().control) * E, Scalar(1));
  E += G - net.kept("memory");
  net.X.col(0) = x - net.eta() * net.kept("hub mean memory").col(0);
}

template <class Scalar>
void double_squeeze(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  const auto share = static_cast<Scalar>(*net.options().error_decay);
  const std::uint64_t rounds = net.options().rounds.value_or(1);
  Matrix<Scalar> G = net.gradients();
  for (std::uint64_t draw = 1; draw < rounds; ++draw) G += net.gradients(net.X, draw);
  Matrix<Scalar>& E = owed(net, "error");
  const Matrix<Scalar> P = G / static_cast<Scalar>(rounds) + share * E;
  const Matrix<Scalar> C = net.said(P);
  E = P - C;
  Matrix<Scalar>& hub = owed(net, "hub error");
  const Vector<Scalar> p = mean_of_answers(net, C) + share * hub.col(0);
  const Vector<Scalar> c = net.said_by_hub(p);
  hub.col(0) = p - c;
  net.X.col(0) = x - net.eta() * c;
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> hub_recursions() {
  return {{"fed-avg", fed_avg<Scalar>},
          {"fed-paq", fed_avg<Scalar>},
          {"fed-prox", fed_avg<Scalar>},
          {"scaffold", scaffold<Scalar>},
          {"gen-qsgd", gen_qsgd<Scalar>},
          {"artemis", artemis<Scalar>},
          {"diana", artemis<Scalar>},
          {"dore", dore<Scalar>},
          {"mcm", mcm<Scalar>},
          {"rand-mcm", rand_mcm<Scalar>},
          {"ef21", ef21<Scalar>},
          {"ef21-bc", ef21<Scalar>},
          {"cd-adam", ef21<Scalar>},
          {"econtrol", econtrol<Scalar>},
          {"double-squeeze", double_squeeze<Scalar>},
          {"neolithic", double_squeeze<Scalar>}};
}

template std::map<std::string, Recursion<float>> hub_recursions<float>();
template std::map<std::string, Recursion<double>> hub_recursions<double>();

}  // namespace hearsay::test
