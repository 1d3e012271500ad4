#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "algorithms/methods/chb.hpp"
#include "algorithms/methods/fed_vote.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/methods/parts/votes.hpp"
#include "algorithms/methods/predictive_coding.hpp"
#include "tests/methods/stacked_hub.hpp"
#include "tests/methods/stacked_outer_step.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

namespace {

void comp_ams(Network& net) {
  const Vector<double> x = hear_hub(net);
  Matrix& E = owed(net, "error");
  const Matrix P = net.gradients() + E;
  const Matrix C = net.said(P);
  E = P - C;
  net.X.col(0) = x + net.hub_step(x, mean_of_answers(net, C));
}

void one_bit_adam(Network& net) {
  const Vector<double> x = hear_hub(net);
  auto m = net.kept("hub mean").col(0);
  auto v = net.kept("hub squares").col(0);
  if (net.t <= net.options()[option::dense_rounds]) {
    const Vector<double> gradient = mean_of_answers(net, net.gradients());
    m = (0.9 * m + (1 - 0.9) * gradient).eval();
    v = (0.999 * v + (1 - 0.999) * gradient.cwiseAbs2()).eval();
  } else {
    Matrix& E = owed(net, "error");
    const Matrix P = 0.9 * everywhere(net, m) + (1 - 0.9) * net.gradients() + E;
    const Matrix C = net.said(P);
    E = P - C;
    Matrix& hub = owed(net, "hub error");
    const Vector<double> p = mean_of_answers(net, C) + hub.col(0);
    m = net.said_by_hub(p);
    hub.col(0) = p - m;
  }
  net.X.col(0) = x - (net.eta() * m.array() / (v.array().sqrt() + 1e-8)).matrix();
}

void qcmd_adagrad(Network& net) {
  Vector<double> x = hear_hub(net);
  const Vector<double> gradient = mean_of_answers(net, net.said(net.gradients()));
  auto squares = net.kept("hub squares").col(0);
  squares += gradient.cwiseAbs2();
  const Vector<double> steps = net.eta() / (1e-8 + squares.array().sqrt());
  x -= steps.cwiseProduct(gradient);
  net.regularizer().prox_each(steps, x);
  net.X.col(0) = x;
}

void qrda_adagrad(Network& net) {
  hear_hub(net);
  const Vector<double> gradient = mean_of_answers(net, net.said(net.gradients()));
  auto squares = net.kept("hub squares").col(0);
  auto dual = net.kept("hub dual").col(0);
  squares += gradient.cwiseAbs2();
  dual += gradient;
  const Vector<double> steps = net.eta() / (1e-8 + squares.array().sqrt());
  Vector<double> x = net.initial() - steps.cwiseProduct(dual);
  net.regularizer().prox_each(static_cast<double>(net.t) * steps, x);
  net.X.col(0) = x;
}

void chb(Network& net) {
  const Matrix heard_before = net.X;
  const Vector<double> x = hear_hub(net);
  const double threshold = net.options()[option::threshold] == "auto"
                               ? 0.1 / (net.eta() * net.eta())
                               : number_of(net.options().find(option::threshold));
  Matrix& S = net.kept("said");
  auto before = net.kept("hub before", everywhere(net, net.initial())).col(0);
  const Matrix G = net.gradients();
  for (const Index i : net.answering()) {
    const Vector<double> seen = i == 0 ? Vector<double>(before) : Vector<double>(heard_before.col(i));
    const bool silent =
        i == 0 ? net.t > 1 && (G.col(i) - S.col(i)).squaredNorm() <= threshold * (x - seen).squaredNorm()
               : net.was_silent(i);
    if (!silent) S.col(i) = G.col(i);
  }
  const Vector<double> next =
      x - net.eta() * S.rowwise().mean() + net.options()[option::momentum] * (x - before);
  before = x;
  net.X.col(0) = next;
}

void lgc(Network& net) {
  const Vector<double> x = hear_hub(net);
  if (net.t <= net.options()[option::dense_rounds]) {
    net.X.col(0) = x - net.eta() * mean_of_answers(net, net.gradients());
    return;
  }
  // The basis is the recorded one: a rounding turns directions of nearly equal singular values.
  const Vector<double> basis = net.recorded(0, "basis");
  const Index rank = basis.size() / x.size();
  const Matrix D = Eigen::Map<const Matrix>(basis.data(), x.size(), rank);  // P'
  Matrix& E = owed(net, "error");
  const Matrix P = net.gradients() + E;
  const Matrix decoded = D * (D.transpose() * P);
  const Matrix S = net.said(P - decoded, 0, false, static_cast<std::size_t>(rank) * net.scalar_bytes());
  E = P - decoded - S;
  net.X.col(0) = x - net.eta() * mean_of_answers(net, decoded + S);
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
  for (unsigned q = 0; q < options[option::quantizers]; ++q) {
    const double of_q = cost_of_grid(z, 0.01 * std::exp2(q), options[option::rate_weight]);
    if (of_q < cost) best = q;
    cost = std::min(cost, of_q);
  }
  return best;
}

void predictive_coding(Network& net) {
  hear_hub(net);
  const Matrix ones = Matrix::Ones(net.X.rows(), net.X.cols());
  Matrix& heard = net.kept("last heard", ones);
  Matrix& since = net.kept("without a gap since", ones);
  auto D1 = net.kept("hub change 1").col(0);
  auto D2 = net.kept("hub change 2").col(0);
  auto D3 = net.kept("hub change 3").col(0);
  auto m = net.kept("hub mean change").col(0);
  const std::vector<Vector<double>> offsets = {Vector<double>::Zero(m.size()), D1, (D1 + D2 + D3) / 3, m};
  const std::vector<std::string> names = {"hold", "last", "mean3", "ema"};
  const std::vector<double> changes_needed = {0, 1, 3, std::numeric_limits<double>::infinity()};

  const Matrix steps = net.local_steps();
  Matrix offset = Matrix::Zero(net.X.rows(), net.X.cols());
  Vector<double> scale = Vector<double>::Ones(net.X.cols());
  const bool lossy = net.compressor_spelling() != "none";
  for (const Index i : net.answering()) {
    const auto t = static_cast<double>(net.t);
    if (t > heard(0, i) + 1) since.col(i).setConstant(t);
    heard.col(i).setConstant(t);
    std::size_t predictor = 0;
    unsigned coarseness = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < names.size(); ++k) {
      const bool listed = net.options()[option::predictors].find(names[k]) != std::string::npos;
      const bool known = i == 0 || since(0, i) == 1 || t - since(0, i) >= changes_needed[k];
      if (!listed || !known) continue;
      double cost = 0.0;
      const unsigned q = lossy ? cheapest_grid(steps.col(i) - offsets[k], net.options(), cost) : 0;
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
    scale[i] = std::exp2(coarseness);
  }
  const Matrix C =
      net.said((steps - offset) * scale.cwiseInverse().asDiagonal(), 0, false, 1) * scale.asDiagonal();

  const Vector<double> x = net.X.col(0);
  Matrix X = net.X;
  const Vector<double> D = -mean_of_answers(net, offset + C);
  outer_step(net, everywhere(net, D), X, "hub outer momentum");
  net.X.col(0) = X.col(0);
  D3 = D2;
  D2 = D1;
  D1 = net.X.col(0) - x;
  m = (0.8 * m + 0.2 * D1).eval();
}

/// u = tanh(1.5 y), entry by entry
Matrix bounded(const Matrix& Y) {
  return Y.unaryExpr([](double y) { return std::tanh(1.5 * y); });
}

/// Returns the votes for the columns of U, drawn anew. The votes of a recorded answer replace them.
Matrix votes_for(Network& net, const Matrix& U) {
  const bool binary = net.options()[option::vote] == "binary";
  Matrix V = Matrix::Zero(U.rows(), U.cols());
  for (const Index i : net.answering()) {
    RandomStream random = net.random_of(i);
    for (Index k = 0; k < U.rows(); ++k) {
      const double u = U(k, i);
      const double draw = random.uniform();
      if (binary)
        V(k, i) = draw < (1 + u) / 2 ? 1 : -1;
      else
        V(k, i) = draw < std::abs(u) ? (u > 0 ? 1 : -1) : 0;
    }
    const PacketRef answer = net.answer_of(i);
    if (!answer) continue;
    const VoteForm form = vote_form(net.options()[option::vote]);
    ensure(are_votes(form, answer->bytes(), U.rows()), "a recorded answer holds votes");
    for_each_vote(form, answer->bytes(), U.rows(), [&](Index k, int vote) {
      net.flipped += V(k, i) == vote ? 0.0 : 1.0;
      net.compared += 1.0;
      V(k, i) = vote;
    });
  }
  return V;
}

/// Returns the weight of each answer. What the hub keeps of them is a row.
Vector<double> credibility(Network& net, const Matrix& V) {
  const std::vector<Index> workers = net.answering();
  Vector<double> nu = Vector<double>::Zero(V.cols());
  for (const Index i : workers) nu[i] = 1;
  if (net.options()[option::trust] == "equal") return nu;
  Matrix& kappa = net.kept("hub trust", Matrix::Ones(V.rows(), V.cols()));
  const Vector<double> majority = sum_of_answers(net, V).cwiseSign();
  double mean = 0.0;
  double largest = 0.0;
  for (const Index i : workers) {
    double agreeing = 0.0;
    for (Index k = 0; k < V.rows(); ++k) agreeing += majority[k] == 0 || V(k, i) == majority[k] ? 1 : 0;
    nu[i] = (kappa(0, i) + agreeing / static_cast<double>(V.rows())) / 2;
    kappa(0, i) = nu[i];
    mean += nu[i];
    largest = std::max(largest, nu[i]);
  }
  mean = std::min(mean / static_cast<double>(workers.size()), largest);  // it may have been rounded up
  for (const Index i : workers)
    if (nu[i] < mean) nu[i] = 0;
  return nu;
}

void fed_vote(Network& net) {
  constexpr double largest = 1 - 1e-4;
  const auto latent_of = [&](double m) { return std::atanh(std::clamp(m, -largest, largest)) / 1.5; };
  const Vector<double> at_first = net.initial().unaryExpr(latent_of);
  auto h = net.kept("hub latent", everywhere(net, at_first)).col(0);
  Matrix Y = everywhere(net, h);
  net.X = bounded(Y);
  Matrix U = net.X;
  for (std::uint64_t step = 0; step < net.options()[option::local_steps]; ++step) {
    const Matrix G = 1.5 * (1 - U.array().square()) * net.gradients(U, step).array();
    Y += net.local_step(Y, G);
    U = bounded(Y);
  }
  const Matrix V = votes_for(net, U);
  const Vector<double> nu = credibility(net, V);
  Vector<double> sum = Vector<double>::Zero(V.rows());
  double sum_of_weights = 0.0;
  for (const Index i : net.answering()) {
    sum += nu[i] * V.col(i);
    sum_of_weights += nu[i];
  }
  h = (sum / sum_of_weights).unaryExpr(latent_of);
  net.X.col(0) = bounded(h);
}

}  // namespace

Recursions hub_step_recursions() {
  return {{"comp-ams", comp_ams},
          {"one-bit-adam", one_bit_adam},
          {"qcmd-adagrad", qcmd_adagrad},
          {"qrda-adagrad", qrda_adagrad},
          {"chb", chb},
          {"lgc", lgc},
          {"fed-vote", fed_vote},
          {"predictive-coding", predictive_coding}};
}

}  // namespace hearsay::test
