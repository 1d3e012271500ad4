#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "algorithms/methods/parts/votes.hpp"
#include "tests/methods/stacked_hub.hpp"

namespace hearsay::test {

namespace {

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

template <class Scalar>
void lgc(Network<Scalar>& net) {
  const Vector<Scalar> x = hear_hub(net);
  if (net.t <= *net.options().dense_rounds) {
    net.X.col(0) = x - net.eta() * mean_of_answers(net, net.gradients());
    return;
  }
  // The basis is the recorded one: a rounding turns directions of nearly equal singular values.
  const Vector<Scalar>& basis = net.recorded(0, "basis");
  const Index rank = basis.size() / x.size();
  const Matrix<Scalar> D = Eigen::Map<const Matrix<Scalar>>(basis.data(), x.size(), rank);  // P'
  Matrix<Scalar>& E = owed(net, "error");
  const Matrix<Scalar> P = net.gradients() + E;
  const Matrix<Scalar> decoded = D * (D.transpose() * P);
  const Matrix<Scalar> S = net.said(P - decoded, 0, false, static_cast<std::size_t>(rank) * sizeof(Scalar));
  E = P - decoded - S;
  net.X.col(0) = x - net.eta() * mean_of_answers<Scalar>(net, decoded + S);
}

/// u = tanh(1.5 y), entry by entry
template <class Scalar>
Matrix<Scalar> bounded(const Matrix<Scalar>& Y) {
  return Y.unaryExpr([](Scalar y) { return static_cast<Scalar>(std::tanh(1.5 * static_cast<double>(y))); });
}

/// Returns the votes for the columns of U, drawn anew. The votes of a recorded answer replace them.
template <class Scalar>
Matrix<Scalar> votes_for(Network<Scalar>& net, const Matrix<Scalar>& U) {
  const bool binary = *net.options().vote == "binary";
  Matrix<Scalar> V = Matrix<Scalar>::Zero(U.rows(), U.cols());
  for (const Index i : net.answering()) {
    RandomStream random = net.random_of(i);
    for (Index k = 0; k < U.rows(); ++k) {
      const auto u = static_cast<double>(U(k, i));
      const double draw = random.uniform();
      if (binary)
        V(k, i) = draw < (1 + u) / 2 ? 1 : -1;
      else
        V(k, i) = draw < std::abs(u) ? (u > 0 ? 1 : -1) : 0;
    }
    const PacketRef answer = net.answer_of(i);
    if (!answer) continue;
    const VoteForm form = vote_form(*net.options().vote);
    ensure(are_votes(form, answer->bytes(), U.rows()), "a recorded answer holds votes");
    for_each_vote(form, answer->bytes(), U.rows(), [&](Index k, int vote) {
      net.flipped += V(k, i) == static_cast<Scalar>(vote) ? 0.0 : 1.0;
      net.compared += 1.0;
      V(k, i) = static_cast<Scalar>(vote);
    });
  }
  return V;
}

/// Returns the weight of each answer. What the hub keeps of them is a row.
template <class Scalar>
Vector<Scalar> credibility(Network<Scalar>& net, const Matrix<Scalar>& V) {
  const std::vector<Index> workers = net.answering();
  Vector<Scalar> nu = Vector<Scalar>::Zero(V.cols());
  for (const Index i : workers) nu[i] = 1;
  if (*net.options().trust == "equal") return nu;
  Matrix<Scalar>& kappa = net.kept("hub trust", Matrix<Scalar>::Ones(V.rows(), V.cols()));
  const Vector<Scalar> majority = sum_of_answers(net, V).cwiseSign();
  double mean = 0.0;
  double largest = 0.0;
  for (const Index i : workers) {
    Scalar agreeing = 0;
    for (Index k = 0; k < V.rows(); ++k) agreeing += majority[k] == 0 || V(k, i) == majority[k] ? 1 : 0;
    nu[i] = (kappa(0, i) + agreeing / static_cast<Scalar>(V.rows())) / 2;
    kappa(0, i) = nu[i];
    mean += static_cast<double>(nu[i]);
    largest = std::max(largest, static_cast<double>(nu[i]));
  }
  mean = std::min(mean / static_cast<double>(workers.size()), largest);  // it may have been rounded up
  for (const Index i : workers)
    if (static_cast<double>(nu[i]) < mean) nu[i] = 0;
  return nu;
}

template <class Scalar>
void fed_vote(Network<Scalar>& net) {
  constexpr double largest = 1 - 1e-4;
  const auto latent_of = [&](Scalar m) {
    return static_cast<Scalar>(std::atanh(std::clamp<double>(m, -largest, largest)) / 1.5);
  };
  const Vector<Scalar> at_first = net.initial().unaryExpr(latent_of);
  auto h = net.kept("hub latent", everywhere(net, at_first)).col(0);
  Matrix<Scalar> Y = everywhere<Scalar>(net, h);
  net.X = bounded(Y);
  Matrix<Scalar> U = net.X;
  for (std::uint64_t step = 0; step < *net.options().local_steps; ++step) {
    const Matrix<Scalar> G = Scalar(1.5) * (1 - U.array().square()) * net.gradients(U, step).array();
    Y += net.local_step(Y, G);
    U = bounded(Y);
  }
  const Matrix<Scalar> V = votes_for(net, U);
  const Vector<Scalar> nu = credibility(net, V);
  Vector<Scalar> sum = Vector<Scalar>::Zero(V.rows());
  Scalar sum_of_weights = 0;
  for (const Index i : net.answering()) {
    sum += nu[i] * V.col(i);
    sum_of_weights += nu[i];
  }
  h = (sum / sum_of_weights).unaryExpr(latent_of);
  net.X.col(0) = bounded<Scalar>(h);
}

}  // namespace

template <class Scalar>
std::map<std::string, Recursion<Scalar>> hub_step_recursions() {
  return {{"comp-ams", comp_ams<Scalar>},
          {"one-bit-adam", one_bit_adam<Scalar>},
          {"qcmd-adagrad", qcmd_adagrad<Scalar>},
          {"qrda-adagrad", qrda_adagrad<Scalar>},
          {"chb", chb<Scalar>},
          {"lgc", lgc<Scalar>},
          {"fed-vote", fed_vote<Scalar>}};
}

template std::map<std::string, Recursion<float>> hub_step_recursions<float>();
template std::map<std::string, Recursion<double>> hub_step_recursions<double>();

}  // namespace hearsay::test
