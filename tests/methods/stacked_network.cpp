#include "tests/methods/stacked_network.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/methods/parts/shared_options.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay::test {

Network::Network(RecordedRun& run) : run_(run), initial_(run.initial()) {
  // x_0, or what the method makes of it
  X = run.model(0, 0).replicate(1, static_cast<Index>(run.schedule().peer_count()));
}

Matrix& Network::kept(const std::string& name, const Matrix& at_first) {
  at_first_.try_emplace(name, at_first);
  return kept_.try_emplace(name, at_first).first->second;
}

bool Network::takes_part(Index i) const {
  return run_.method().counts_rounds || run_.schedule().row(static_cast<PeerId>(i), t - 1).participates;
}

bool Network::trains(Index i) const { return run_.schedule().row(static_cast<PeerId>(i), t - 1).trains; }

std::vector<Index> Network::answering() const {
  std::vector<Index> peers;
  for (Index i = 0; i < X.cols(); ++i)
    if (takes_part(i) && trains(i)) peers.push_back(i);
  return peers;
}

bool Network::was_silent(Index i) const {
  const auto& sent = run_.sent(t, static_cast<PeerId>(i));
  return !sent.empty() && sent.front().packet->size() == 0;
}

PacketRef Network::answer_of(Index i) const {
  const auto& sent = run_.sent(t, static_cast<PeerId>(i));
  return i == 0 || sent.empty() ? PacketRef() : sent.front().packet;
}

void Network::step(void (*recursion)(Network&)) {
  const Matrix X_before = X;
  const std::map<std::string, Matrix> kept_before = kept_;
  recursion(*this);
  X = rounded(X);
  for (Index i = 0; i < X.cols(); ++i) {
    if (takes_part(i) && trains(i)) continue;
    if (!takes_part(i)) X.col(i) = X_before.col(i);
    for (auto& [name, matrix] : kept_) {
      if (takes_part(i) && name.starts_with("hub")) continue;
      const auto before = kept_before.find(name);
      matrix.col(i) = (before == kept_before.end() ? at_first_.at(name) : before->second).col(i);
    }
  }
}

Matrix Network::rounded(const Matrix& points) const {
  if (!run_.in_float()) return points;
  return points.cast<float>().cast<double>();
}

Matrix Network::mixing(std::uint64_t round) const {
  Matrix transposed = Matrix::Zero(X.cols(), X.cols());
  for (Index i = 0; i < X.cols(); ++i) {
    const MixingRow row = run_.schedule().row(static_cast<PeerId>(i), round);
    transposed(i, i) = row.self_weight;
    for (const WeightedNeighbor& neighbor : row.hears) transposed(neighbor.id, i) = neighbor.weight;
  }
  return transposed;
}

Matrix Network::gradients(const Matrix& points, std::uint64_t draw) const {
  Matrix G(X.rows(), X.cols());
  for (PeerId i = 0; i < G.cols(); ++i) G.col(i) = run_.gradient(i, points.col(i), minibatch(i, draw));
  return G;
}

Matrix Network::full_gradients(const Matrix& points) const {
  Matrix G(X.rows(), X.cols());
  for (PeerId i = 0; i < G.cols(); ++i) G.col(i) = run_.gradient(i, points.col(i), all_samples(i));
  return G;
}

std::vector<Index> Network::minibatch(PeerId peer, std::uint64_t draw) const {
  if (!run_.settings().algorithm.batch) return all_samples(peer);
  const auto count = static_cast<std::uint64_t>(sample_count(peer));
  std::vector<Index> samples;
  RandomStream random(seed(), peer, t, Purpose::minibatch);
  const std::uint64_t batch = *run_.settings().algorithm.batch;
  for (std::uint64_t k = 0; k < draw * batch; ++k) random.below(count);
  for (std::uint64_t k = 0; k < batch; ++k) samples.push_back(static_cast<Index>(random.below(count)));
  return samples;
}

std::vector<Index> Network::all_samples(PeerId peer) const {
  std::vector<Index> samples(static_cast<std::size_t>(sample_count(peer)));
  std::iota(samples.begin(), samples.end(), Index{0});
  return samples;
}

Matrix Network::local_steps() {
  Matrix Y = X;
  for (std::uint64_t h = 0; h < options()[option::local_steps]; ++h)
    Y = rounded(Y + local_step(Y, gradients(Y, h)));
  return Y - X;
}

Vector<double> Network::hub_step(const Vector<double>& x, const Vector<double>& g) {
  return local_step(x.replicate(1, X.cols()), g.replicate(1, X.cols()), "hub ").col(0);
}

Matrix Network::local_step(const Matrix& Y, const Matrix& G, const std::string& prefix) {
  const std::string optimizer = options().find(option::optimizer).value_or("sgd");
  if (optimizer == "sgd") return -eta() * G;
  Matrix& M = kept(prefix + "momentum");
  if (optimizer.starts_with("amsgrad(0.9, ")) {
    const double beta1 = run_.rounded(0.9);
    const double beta2 = run_.rounded(optimizer == "amsgrad(0.9, 0.99)" ? 0.99 : 0.999);
    Matrix& V = kept(prefix + "squares");
    Matrix& U = kept(prefix + "largest squares");
    M = beta1 * M + (1 - beta1) * G;
    V = beta2 * V + (1 - beta2) * G.cwiseAbs2();
    U = U.cwiseMax(V);
    return -eta() * (M.array() / (U.array().sqrt() + 1e-8)).matrix();
  }
  if (optimizer == "heavy-ball(0.5)") {
    M = 0.5 * M + G;
    return -eta() * M;
  }
  if (optimizer == "adagrad-da(0.5)") {
    Matrix& Z = kept(prefix + "weighted sum of gradients");
    Matrix& squares = kept(prefix + "sum of squares");
    const Matrix before = Z.array() / (0.5 + squares.array().sqrt());
    Z += eta() * G;
    squares += G.cwiseAbs2();
    return before - (Z.array() / (0.5 + squares.array().sqrt())).matrix();
  }
  const bool decays = optimizer == "adamw(0.5, 0.75, 0.25)";
  ensure(decays || optimizer == "adam(0.9, 0.999)", "the reference knows of no other optimizer");
  const double beta1 = run_.rounded(decays ? 0.5 : 0.9);
  const double beta2 = run_.rounded(decays ? 0.75 : 0.999);
  const double decay = decays ? 0.25 : 0.0;
  Matrix& V = kept(prefix + "squares");
  const Matrix ones = Matrix::Ones(X.rows(), X.cols());
  Matrix& P = kept(prefix + "powers of beta1", ones);
  Matrix& Q = kept(prefix + "powers of beta2", ones);
  M = beta1 * M + (1 - beta1) * G;
  V = beta2 * V + (1 - beta2) * G.cwiseAbs2();
  P *= beta1;
  Q *= beta2;
  const Matrix unbiased = M.array() / (1 - P.array());
  const Matrix root = (V.array() / (1 - Q.array())).sqrt();
  return -eta() * (unbiased.array() / (root.array() + 1e-8) + decay * Y.array()).matrix();
}

void Network::draw_of(std::uint64_t number) {
  streams_.clear();
  for (Index i = 0; i < X.cols(); ++i) streams_.push_back(random_of(i, number));
}

void Network::say_to_nobody() {
  const Vector<double> nothing = Vector<double>::Zero(X.rows());
  for (RandomStream& stream : streams_) run_.said_anew(nothing, nothing, stream);
}

Matrix Network::said(const Matrix& Z, Slot slot, bool near, std::size_t skip) {
  if (slot == 0) draw_of(t);
  return said_behind(Z, slot, near, skip);
}

Matrix Network::said_behind(const Matrix& Z, Slot slot, bool near, std::size_t skip) {
  if (streams_.empty()) draw_of(t);
  Matrix C = Matrix::Zero(Z.rows(), Z.cols());
  for (PeerId i = 0; i < Z.cols(); ++i) {
    if (!takes_part(i) || (in_full_ != nullptr && (*in_full_)[i])) continue;
    const Vector<double> z = Z.col(i);
    const Vector<double> side = near ? z : Vector<double>(last_share() * kept("last message").col(i));
    Vector<double> again = run_.said_anew(z, side, streams_[i]);
    const auto& all_sent = run_.sent(t, i);
    // What a hub sends is no answer of its own.
    const bool hubs_own = run_.method().pattern.has_hub && i == 0;
    const auto sent =
        hubs_own ? all_sent.end()
                 : std::ranges::find_if(all_sent, [&](const Outgoing& o) { return o.key.slot == slot; });
    Vector<double> decoded = Vector<double>::Zero(Z.rows());
    if (told_from_ != nullptr && run_.schedule().period() != 1) {
      decoded = told_from_->col(i) + (run_.published(t, i) - run_.published(t - 1, i)) / (*told_share_)[i];
      if (decoded.isZero(0)) again.setZero();  // nothing new to say
    } else if (sent == all_sent.end()) {       // nobody listens
      decoded = again;
      replayed = false;
    } else if (sent->packet->size() == 0) {  // nothing new to say
      again.setZero();
    } else {
      decoded = run_.read(sent->packet->bytes().subspan(skip), side);
    }
    // A difference of nearly equal vectors carries their roundings, however small the difference is.
    const double epsilon =
        run_.in_float() ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    const double same = (run_.in_float() ? 1e-4 : 1e-10) * again.cwiseAbs().maxCoeff() +
                        64 * epsilon * X.cwiseAbs().maxCoeff();
    flipped += static_cast<double>(((again - decoded).array().abs() > same).count());
    compared += static_cast<double>(Z.rows());
    C.col(i) = decoded;
    if (sent != all_sent.end() && sent->packet->size() > 0) kept("last message").col(i) = decoded;
  }
  return C;
}

Matrix Network::said_in_steps(const Matrix& Z, const Matrix& from, const Vector<double>& share,
                              const std::vector<bool>& in_full) {
  told_from_ = &from;
  told_share_ = &share;
  in_full_ = &in_full;
  const Matrix C = said(Z);
  told_from_ = nullptr;
  told_share_ = nullptr;
  in_full_ = nullptr;
  return C;
}

Matrix Network::said_in_changes(const Matrix& Z) {
  return said_in_steps(Z, Matrix::Zero(X.rows(), X.cols()), Vector<double>::Ones(X.cols()),
                       std::vector<bool>(static_cast<std::size_t>(X.cols())));
}

Vector<double> Network::said_by_hub(const Vector<double>& z, RandomStream& random) {
  if (options().find(option::down_compressor).value_or("none") != "none") replayed = false;
  return run_.said_anew_by_hub(z, random);
}

double Network::last_share() const {
  const std::string near = options().find(option::side_information).value_or("none");
  return near == "last" ? 1.0 : near == "mean" ? 0.5 : 0.0;
}

}  // namespace hearsay::test
