#include <cmath>
#include <string>
#include <vector>

#include "algorithms/methods/parts/outer_rule.hpp"
#include "algorithms/methods/parts/worker_steps.hpp"
#include "tests/methods/stacked_network.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay::test {

namespace {

/// Column 0 is the hub. What it keeps for itself begins with "hub"; what else is in column 0 it keeps as a
/// worker.

double number_of(const std::optional<std::string>& text) {
  double value = 0.0;
  ensure(text && parse_number(*text, value), "an option is a number");
  return value;
}

template <class Scalar>
Matrix<Scalar> everywhere(const Network<Scalar>& net, const Vector<Scalar>& x) {
  return x.replicate(1, net.X.cols());
}

template <class Scalar>
Vector<Scalar> sum_of_answers(const Network<Scalar>& net, const Matrix<Scalar>& C) {
  Vector<Scalar> sum = Vector<Scalar>::Zero(C.rows());
  for (const Index i : net.answering()) sum += C.col(i);
  return sum;
}

template <class Scalar>
Vector<Scalar> mean_of_answers(const Network<Scalar>& net, const Matrix<Scalar>& C) {
  return sum_of_answers(net, C) / static_cast<Scalar>(net.answering().size());
}

/// Begins an iteration: all hear the hub's model. Returns it.
template <class Scalar>
Vector<Scalar> hear_hub(Network<Scalar>& net) {
  const Vector<Scalar> x = net.X.col(0);
  net.X = everywhere(net, x);
  return x;
}

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
  const OuterRule outer = OuterRule::parse(*net.options().outer);
  const auto beta = static_cast<Scalar>(outer.momentum);
  const auto rho = static_cast<Scalar>(outer.rate);
  const Vector<Scalar> x = hear_hub(net);
  const auto mu = static_cast<Scalar>(net.options().proximal.value_or(0.0));
  const Vector<Scalar> D = -mean_of_answers(net, net.said(pulled_steps(net, mu)));
  auto m = net.kept("hub outer momentum").col(0);
  switch (outer.kind) {
    case OuterRule::Kind::none:
      net.X.col(0) = x - rho * D;
      break;
    case OuterRule::Kind::heavy_ball:
      m = (beta * m + D).eval();
      net.X.col(0) = x - rho * m;
      break;
    case OuterRule::Kind::nesterov:
      m = (beta * m + D).eval();
      net.X.col(0) = x - rho * (D + beta * m);
      break;
    case OuterRule::Kind::slowmo:
      m = (beta * m + D / net.eta()).eval();
      net.X.col(0) = x - rho * net.eta() * m;
      break;
  }
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
  for (PeerId i = 0; i < peers; ++i) most = std::max(most, local_steps_of(net.options(), i, peers));
  Matrix<Scalar> Y = net.X;
  for (std::uint64_t h = 0; h < most; ++h) {
    const Matrix<Scalar> before = Y;
    const std::map<std::string, Matrix<Scalar>> kept = net.all_kept();
    Y += net.local_step(Y, net.gradients(Y, h));
    for (PeerId i = 0; i < peers; ++i) {
      if (h < local_steps_of(net.options(), i, peers)) continue;
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

/// Returns what each peer owes, as a part of this iteration's step.
template <class Scalar>
Matrix<Scalar>& owed(Network<Scalar>& net, const std::string& name) {
  Matrix<Scalar>& E = net.kept(name);
  Matrix<Scalar>& step_size = net.kept(name + " step size");
  for (Index i = 0; i < E.cols(); ++i)
    if (step_size(0, i) != 0) E.col(i) *= step_size(0, i) / net.eta();
  step_size.row(0).setConstant(net.eta());
  return E;
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

template <class Scalar>
void comp_ams(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  Matrix<Scalar>& E = owed(net, "error");
  const Matrix<Scalar> P = net.gradients() + E;
  const Matrix<Scalar> C = net.said(P);
  E = P - C;
  net.X.col(0) = x + net.hub_step(x, mean_of_answers(net, C));
}

template <class Scalar>
void one_bit_adam(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  auto m = net.kept("hub mean").col(0);
  auto v = net.kept("hub squares").col(0);
  if (net.t <= *net.options().dense_rounds) {
    const Vector<Scalar> gradient = mean_of_answers(net, net.gradients());
    m = (Scalar(0.9) * m + Scalar(1 - 0.9) * gradient).eval();
    v = (Scalar(0.999) * v + Scalar(1 - 0.999) * gradient.cwiseAbs2()).eval();
  } else {
    Matrix<Scalar>& E = owed(net, "error");
    const Matrix<Scalar> P = Scalar(0.9) * everywhere<Scalar>(net, m) + Scalar(1 - 0.9) * net.gradients() + E;
    const Matrix<Scalar> C = net.said(P);
    E = P - C;
    Matrix<Scalar>& hub = owed(net, "hub error");
    const Vector<Scalar> p = mean_of_answers(net, C) + hub.col(0);
    m = net.said_by_hub(p);
    hub.col(0) = p - m;
  }
  net.X.col(0) = x - (net.eta() * m.array() / (v.array().sqrt() + Scalar(1e-8))).matrix();
}

template <class Scalar>
void qcmd_adagrad(Network<Scalar>& net) {
  Vector<Scalar> x = hear_hub(net);
  const Vector<Scalar> gradient = mean_of_answers(net, net.said(net.gradients()));
  auto squares = net.kept("hub squares").col(0);
  squares += gradient.cwiseAbs2();
  const Vector<Scalar> steps = net.eta() / (Scalar(1e-8) + squares.array().sqrt());
  x -= steps.cwiseProduct(gradient);
  net.regularizer().prox_each(steps, x);
  net.X.col(0) = x;
}

template <class Scalar>
void qrda_adagrad(Network<Scalar>& net) {
  hear_hub(net);
  const Vector<Scalar> gradient = mean_of_answers(net, net.said(net.gradients()));
  auto squares = net.kept("hub squares").col(0);
  auto dual = net.kept("hub dual").col(0);
  squares += gradient.cwiseAbs2();
  dual += gradient;
  const Vector<Scalar> steps = net.eta() / (Scalar(1e-8) + squares.array().sqrt());
  Vector<Scalar> x = net.initial() - steps.cwiseProduct(dual);
  net.regularizer().prox_each(static_cast<Scalar>(net.t) * steps, x);
  net.X.col(0) = x;
}

template <class Scalar>
void chb(Network<Scalar>& net) {
  const Matrix<Scalar> heard_before = net.X;
  const Vector<Scalar> x = hear_hub(net);
  const auto eta = static_cast<double>(net.eta());
  const double threshold =
      *net.options().threshold == "auto" ? 0.1 / (eta * eta) : number_of(net.options().threshold);
  Matrix<Scalar>& S = net.kept("said");
  auto before = net.kept("hub before", everywhere(net, net.initial())).col(0);
  const Matrix<Scalar> G = net.gradients();
  for (const Index i : net.answering()) {
    const Vector<Scalar> seen = i == 0 ? Vector<Scalar>(before) : Vector<Scalar>(heard_before.col(i));
    const bool silent = i == 0 ? net.t > 1 && static_cast<double>((G.col(i) - S.col(i)).squaredNorm()) <=
                                                  threshold * static_cast<double>((x - seen).squaredNorm())
                               : net.was_silent(i);
    if (!silent) S.col(i) = G.col(i);
  }
  const Vector<Scalar> next =
      x - net.eta() * S.rowwise().mean() + static_cast<Scalar>(*net.options().momentum) * (x - before);
  before = x;
  net.X.col(0) = next;
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
          {"neolithic", double_squeeze<Scalar>},
          {"comp-ams", comp_ams<Scalar>},
          {"one-bit-adam", one_bit_adam<Scalar>},
          {"qcmd-adagrad", qcmd_adagrad<Scalar>},
          {"qrda-adagrad", qrda_adagrad<Scalar>},
          {"chb", chb<Scalar>}};
}

template std::map<std::string, Recursion<float>> hub_recursions<float>();
template std::map<std::string, Recursion<double>> hub_recursions<double>();

}  // namespace hearsay::test
