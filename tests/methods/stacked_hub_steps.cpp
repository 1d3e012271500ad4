#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "algorithms/methods/parts/votes.hpp"
#include "tests/methods/stacked_hub.hpp"
#include "tests/methods/stacked_outer_step.hpp"

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

/// Returns rms error + lambda (bits a coordinate) of a grid of the default step, on average over its
/// rounding.
double cost_of_grid(const Vector<double>& z, double step, double rate_weight) {
  std::map<double, double> shares;
  double squares = 0.0;
  for (const double entry : z) {
    const double below = std::floor(entry / step);
    const double up = entry / step - below;
    squares += up * (1 - up) * step * step;
    shares[below] += (1 - up) / static_cast<double>(z.size());
    shares[below + 1] += up / static_cast<double>(z.size());
  }
  double bits = 0.0;
  for (const auto& [place, share] : shares) bits -= share > 0 ? share * std::log2(share) : 0.0;
  return std::sqrt(squares / static_cast<double>(z.size())) + rate_weight * bits;
}

/// Returns by how many factors of two the cheapest grid for z is coarser than 0.01; `cost` is then its cost.
unsigned cheapest_grid(const Vector<double>& z, const MethodOptions& options, double& cost) {
  unsigned best = 0;
  cost = std::numeric_limits<double>::infinity();
  for (unsigned q = 0; q < *options.quantizers; ++q) {
    const double of_q = cost_of_grid(z, 0.01 * std::exp2(q), *options.rate_weight);
    if (of_q < cost) best = q;
    cost = std::min(cost, of_q);
  }
  return best;
}

template <class Scalar>
void predictive_coding(Network<Scalar>& net) {
  hear_hub(net);
  const Matrix<Scalar> ones = Matrix<Scalar>::Ones(net.X.rows(), net.X.cols());
  Matrix<Scalar>& heard = net.kept("last heard", ones);
  Matrix<Scalar>& since = net.kept("without a gap since", ones);
  auto D1 = net.kept("hub change 1").col(0);
  auto D2 = net.kept("hub change 2").col(0);
  auto D3 = net.kept("hub change 3").col(0);
  auto m = net.kept("hub mean change").col(0);
  const std::vector<Vector<Scalar>> offsets = {Vector<Scalar>::Zero(m.size()), D1, (D1 + D2 + D3) / Scalar(3),
                                               m};
  const std::vector<std::string> names = {"hold", "last", "mean3", "ema"};
  const std::vector<Scalar> changes_needed = {0, 1, 3, std::numeric_limits<Scalar>::infinity()};

  const Matrix<Scalar> steps = net.local_steps();
  Matrix<Scalar> offset = Matrix<Scalar>::Zero(net.X.rows(), net.X.cols());
  Vector<Scalar> scale = Vector<Scalar>::Ones(net.X.cols());
  const bool lossy = net.compressor_spelling() != "none";
  for (const Index i : net.answering()) {
    const auto t = static_cast<Scalar>(net.t);
    if (t > heard(0, i) + 1) since.col(i).setConstant(t);
    heard.col(i).setConstant(t);
    std::size_t predictor = 0;
    unsigned coarseness = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool listed = net.options().predictors->find(names[k]) != std::string::npos;
      const bool known = i == 0 || since(0, i) == 1 || t - since(0, i) >= changes_needed[k];
      if (!listed || !known) continue;
      double cost = 0.0;
      const unsigned q =
          lossy ? cheapest_grid((steps.col(i) - offsets[k]).template cast<double>(), net.options(), cost) : 0;
      if (cost < least) {
        predictor = k;
        coarseness = q;
        least = cost;
      }
    }
    if (const PacketRef answer = net.answer_of(i)) {
      const auto told = std::to_integer<unsigned>(answer->bytes().front());
      net.flipped += told == predictor + 4 * coarseness ? 0.0 : 1.0;
      net.compared += 1.0;
      predictor = told % 4;
      coarseness = told / 4;
    }
    offset.col(i) = offsets[predictor];
    scale[i] = std::exp2(static_cast<Scalar>(coarseness));
  }
  const Matrix<Scalar> C =
      net.said((steps - offset) * scale.cwiseInverse().asDiagonal(), 0, false, 1) * scale.asDiagonal();

  const Vector<Scalar> x = net.X.col(0);
  Matrix<Scalar> X = net.X;
  const Vector<Scalar> D = -mean_of_answers<Scalar>(net, offset + C);
  outer_step<Scalar>(net, everywhere(net, D), X, "hub outer momentum");
  net.X.col(0) = X.col(0);
  D3 = D2;
  D2 = D1;
  D1 = net.X.col(0) - x;
  m = (Scalar(0.8) * m + Scalar(0.2) * D1).eval();
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
          {"fed-vote", fed_vote<Scalar>},
          {"predictive-coding", predictive_coding<Scalar>}};
}

template std::map<std::string, Recursion<float>> hub_step_recursions<float>();
template std::map<std::string, Recursion<double>> hub_step_recursions<double>();

}  // namespace hearsay::test
