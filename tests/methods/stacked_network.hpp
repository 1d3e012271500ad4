#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/compression/seam/near_compressor.hpp"
#include "tests/support/cluster.hpp"
#include "topology/foundation/spelling.hpp"

namespace hearsay::test {

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

/// The whole network as matrices, d x n, a column per peer. Recursions on it replay the packets of a recorded
/// run.
template <class Scalar>
class Network {
 public:
  Network(const Experiment<Scalar>& experiment, const Recording<Scalar>& recording)
      : X(experiment.problem.dimension(), experiment.peer_count()),
        experiment_(experiment),
        recording_(recording),
        compressor_(made(experiment, experiment.settings.algorithm.compressor)),
        down_compressor_(made(experiment, options().down_compressor.value_or("none"))) {
    X.colwise() = recording.front().front().model;  // x_0, or what the method makes of it
  }

  Matrix<Scalar> X;  ///< models
  std::uint64_t t = 0;

  /// Returns a matrix that the method keeps, d x n. Zero until it is first written.
  Matrix<Scalar>& kept(const std::string& name) {
    return kept(name, Matrix<Scalar>::Zero(X.rows(), X.cols()));
  }

  /// The same with `at_first` as its start.
  Matrix<Scalar>& kept(const std::string& name, const Matrix<Scalar>& at_first) {
    at_first_.try_emplace(name, at_first);
    return kept_.try_emplace(name, at_first).first->second;
  }

  const std::map<std::string, Matrix<Scalar>>& all_kept() const { return kept_; }
  const Vector<Scalar>& initial() const { return experiment_.problem.initial; }

  /// rho of a static W, for methods that read it.
  double rho() const { return experiment_.rho; }
  /// The random stream of this iteration that all peers share.
  RandomStream common_random(Purpose purpose) const {
    return {experiment_.settings.run.seed, std::numeric_limits<PeerId>::max(), t, purpose};
  }

  Scalar eta() const { return static_cast<Scalar>(experiment_.step_size.at(t)); }
  /// eta_{t-1}; eta_1 in the first iteration.
  Scalar previous_eta() const { return static_cast<Scalar>(experiment_.step_size.at(t > 1 ? t - 1 : 1)); }
  const Regularizer<Scalar>& regularizer() const { return *experiment_.problem.regularizer; }
  const std::string& compressor_spelling() const { return experiment_.settings.algorithm.compressor; }
  const MethodOptions& options() const { return experiment_.settings.algorithm.options; }

  /// True if peer i takes part in iteration t.
  bool takes_part(Index i) const {
    return experiment_.method->counts_rounds ||
           experiment_.schedule->row(static_cast<PeerId>(i), t - 1).participates;
  }

  /// Returns the peers whose data count in iteration t, ascending.
  std::vector<Index> answering() const {
    std::vector<Index> peers;
    for (Index i = 0; i < X.cols(); ++i)
      if (takes_part(i) && trains(i)) peers.push_back(i);
    return peers;
  }
  /// True if the answer of worker i in iteration t is empty.
  bool was_silent(Index i) const {
    const auto& sent = recording_[t][static_cast<std::size_t>(i)].sent;
    return !sent.empty() && sent.front().packet->size() == 0;
  }

  /// Returns what worker i answered in iteration t. Empty of a hub, and of whom nobody listens to.
  PacketRef answer_of(Index i) const {
    const auto& sent = recording_[t][static_cast<std::size_t>(i)].sent;
    return i == 0 || sent.empty() ? PacketRef() : sent.front().packet;
  }
  /// Returns the stream with which peer i compresses in iteration t.
  RandomStream random_of(Index i) const {
    return {experiment_.settings.run.seed, static_cast<PeerId>(i), t, Purpose::compression};
  }
  /// Returns a state of a peer as recorded after iteration t.
  const Vector<Scalar>& recorded(PeerId peer, const std::string& name) const {
    return recording_[t][peer].states.at(name);
  }

  /// Applies `recursion` for iteration t. The columns of peers that sit it out stay as they were; of a hub
  /// whose data do not count, what it keeps as a worker.
  void step(void (*recursion)(Network&)) {
    const Matrix<Scalar> X_before = X;
    const std::map<std::string, Matrix<Scalar>> kept_before = kept_;
    recursion(*this);
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

  /// W' of iteration t, so that mixing is a product from the right.
  Matrix<Scalar> mixing() const { return mixing(t - 1); }

  /// W' of a round of the schedule.
  Matrix<Scalar> mixing(std::uint64_t round) const {
    Matrix<Scalar> transposed = Matrix<Scalar>::Zero(X.cols(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) {
      const MixingRow& row = experiment_.schedule->row(static_cast<PeerId>(i), round);
      transposed(i, i) = static_cast<Scalar>(row.self_weight);
      for (const WeightedNeighbor& neighbor : row.hears)
        transposed(neighbor.id, i) = static_cast<Scalar>(neighbor.weight);
    }
    return transposed;
  }

  /// Returns G: every peer's gradient at its own model, on its minibatch.
  Matrix<Scalar> gradients() const { return gradients(X); }

  /// The same at the columns of `points`, on the minibatch number `draw` of the iteration.
  Matrix<Scalar> gradients(const Matrix<Scalar>& points, std::uint64_t draw = 0) const {
    Matrix<Scalar> G(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) {
      const Objective<Scalar>& objective = *experiment_.problem.objectives[static_cast<std::size_t>(i)];
      Vector<Scalar> gradient(X.rows());
      objective.gradient(points.col(i), minibatch(static_cast<PeerId>(i), draw), gradient);
      G.col(i) = gradient;
    }
    return G;
  }

  /// Returns the gradient of a peer's sample at its own model.
  Vector<Scalar> gradient_of_sample(PeerId peer, Index sample) const {
    Vector<Scalar> gradient(X.rows());
    experiment_.problem.objectives[peer]->gradient(X.col(peer), {&sample, 1}, gradient);
    return gradient;
  }
  Index sample_count(PeerId peer) const { return experiment_.problem.objectives[peer]->sample_count(); }

  /// Returns the samples of a peer's gradient in iteration t, of minibatch number `draw`.
  std::vector<Index> minibatch(PeerId peer, std::uint64_t draw = 0) const {
    const Objective<Scalar>& objective = *experiment_.problem.objectives[peer];
    const Index count = objective.sample_count();
    if (!experiment_.settings.algorithm.batch) return all_samples(objective);
    std::vector<Index> samples;
    RandomStream random(experiment_.settings.run.seed, peer, t, Purpose::minibatch);
    const std::uint64_t batch = *experiment_.settings.algorithm.batch;
    for (std::uint64_t k = 0; k < draw * batch; ++k) random.below(static_cast<std::uint64_t>(count));
    for (std::uint64_t k = 0; k < batch; ++k)
      samples.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(count))));
    return samples;
  }

  /// Returns the sum of the local steps of every peer: H steps, each on its own minibatch.
  Matrix<Scalar> local_steps() {
    Matrix<Scalar> Y = X;
    for (std::uint64_t h = 0; h < *options().local_steps; ++h) Y += local_step(Y, gradients(Y, h));
    return Y - X;
  }

  /// Returns the step of the hub's optimizer from x for the gradient g.
  Vector<Scalar> hub_step(const Vector<Scalar>& x, const Vector<Scalar>& g) {
    return local_step(x.replicate(1, X.cols()), g.replicate(1, X.cols()), "hub ").col(0);
  }

  /// Returns a step of every peer's local optimizer from the columns of Y, for the gradients G there. The
  /// names of what it keeps begin with `prefix`.
  Matrix<Scalar> local_step(const Matrix<Scalar>& Y, const Matrix<Scalar>& G,
                            const std::string& prefix = "") {
    const std::string optimizer = options().optimizer.value_or("sgd");
    if (optimizer == "sgd") return -eta() * G;
    Matrix<Scalar>& M = kept(prefix + "momentum");
    if (optimizer.starts_with("amsgrad(0.9, ")) {
      const Scalar beta2 = optimizer == "amsgrad(0.9, 0.99)" ? Scalar(0.99) : Scalar(0.999);
      Matrix<Scalar>& V = kept(prefix + "squares");
      Matrix<Scalar>& U = kept(prefix + "largest squares");
      M = Scalar(0.9) * M + Scalar(1 - 0.9) * G;
      V = beta2 * V + (1 - beta2) * G.cwiseAbs2();
      U = U.cwiseMax(V);
      return -eta() * (M.array() / (U.array().sqrt() + Scalar(1e-8))).matrix();
    }
    if (optimizer == "heavy-ball(0.5)") {
      M = Scalar(0.5) * M + G;
      return -eta() * M;
    }
    if (optimizer == "adagrad-da(0.5)") {
      Matrix<Scalar>& Z = kept(prefix + "weighted sum of gradients");
      Matrix<Scalar>& squares = kept(prefix + "sum of squares");
      const Matrix<Scalar> before = Z.array() / (Scalar(0.5) + squares.array().sqrt());
      Z += eta() * G;
      squares += G.cwiseAbs2();
      return before - (Z.array() / (Scalar(0.5) + squares.array().sqrt())).matrix();
    }
    const bool decays = optimizer == "adamw(0.5, 0.75, 0.25)";
    ensure(decays || optimizer == "adam(0.9, 0.999)", "the reference knows of no other optimizer");
    const Scalar beta1 = decays ? Scalar(0.5) : Scalar(0.9);
    const Scalar beta2 = decays ? Scalar(0.75) : Scalar(0.999);
    const Scalar decay = decays ? Scalar(0.25) : Scalar(0);
    Matrix<Scalar>& V = kept(prefix + "squares");
    const Matrix<Scalar> ones = Matrix<Scalar>::Ones(X.rows(), X.cols());
    Matrix<Scalar>& P = kept(prefix + "powers of beta1", ones);
    Matrix<Scalar>& Q = kept(prefix + "powers of beta2", ones);
    M = beta1 * M + (1 - beta1) * G;
    V = beta2 * V + (1 - beta2) * G.cwiseAbs2();
    P *= beta1;
    Q *= beta2;
    const Matrix<Scalar> unbiased = M.array() / (1 - P.array());
    const Matrix<Scalar> root = (V.array() / (1 - Q.array())).sqrt();
    return -eta() * (unbiased.array() / (root.array() + Scalar(1e-8)) + decay * Y.array()).matrix();
  }

  /// Returns all full local gradients at the columns of `points`.
  Matrix<Scalar> full_gradients(const Matrix<Scalar>& points) const {
    Matrix<Scalar> G(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) {
      const Objective<Scalar>& objective = *experiment_.problem.objectives[static_cast<std::size_t>(i)];
      Vector<Scalar> gradient(X.rows());
      objective.gradient(points.col(i), all_samples(objective), gradient);
      G.col(i) = gradient;
    }
    return G;
  }

  /// Returns C(Z), a column per peer, as recorded in `slot` of iteration t. Call it for slots in ascending
  /// order. With `near`, every column is read near itself (mod), as a receiver within reach does. A recorded
  /// message begins with `skip` other bytes.
  Matrix<Scalar> said(const Matrix<Scalar>& Z, Slot slot = 0, bool near = false, std::size_t skip = 0) {
    if (slot == 0) {
      streams_.clear();
      for (PeerId i = 0; i < Z.cols(); ++i)
        streams_.emplace_back(experiment_.settings.run.seed, i, t, Purpose::compression);
    }
    Matrix<Scalar> C = Matrix<Scalar>::Zero(Z.rows(), Z.cols());
    for (Index i = 0; i < Z.cols(); ++i) {
      if (!takes_part(i) || (in_full_ != nullptr && (*in_full_)[static_cast<std::size_t>(i)])) continue;
      const Vector<Scalar> z = Z.col(i);
      Vector<Scalar> again = Vector<Scalar>::Zero(Z.rows());
      RandomStream& random = streams_[static_cast<std::size_t>(i)];
      PacketBuffer buffer = packets_.acquire();
      const Vector<Scalar> last = last_share() * kept("last message").col(i);
      const std::span<const Scalar> side = near ? view(z) : view(last);
      ensure(compressor_->encode({.vector = view(z), .random = random, .near = side}, buffer) ==
                     CodecStatus::ok &&
                 compressor_->accumulate_near(buffer.bytes(), side, 1, view(again)) == CodecStatus::ok,
             "what the reference says can be said");
      const auto& all_sent = recording_[t][static_cast<std::size_t>(i)].sent;
      // What a hub sends is no answer of its own.
      const bool hubs_own = experiment_.method->pattern.has_hub && i == 0;
      const auto sent =
          hubs_own ? all_sent.end()
                   : std::ranges::find_if(all_sent, [&](const Outgoing& o) { return o.key.slot == slot; });
      Vector<Scalar> decoded = Vector<Scalar>::Zero(Z.rows());
      if (told_from_ != nullptr && experiment_.schedule->period() != 1) {
        const auto peer = static_cast<std::size_t>(i);
        decoded = told_from_->col(i) +
                  (*recording_[t][peer].published - *recording_[t - 1][peer].published) / (*told_share_)[i];
        if (decoded.isZero(0)) again.setZero();  // nothing new to say
      } else if (sent == all_sent.end()) {       // nobody listens
        decoded = again;
        replayed = false;
      } else if (sent->packet->size() == 0) {  // nothing new to say
        again.setZero();
      } else {
        ensure(compressor_->accumulate_near(sent->packet->bytes().subspan(skip), side, 1, view(decoded)) ==
                   CodecStatus::ok,
               "a recorded packet can be decoded");
      }
      // A difference of nearly equal vectors carries their roundings, however small the difference is.
      const Scalar same =
          (std::is_same_v<Scalar, float> ? Scalar(1e-4) : Scalar(1e-10)) * again.cwiseAbs().maxCoeff() +
          64 * std::numeric_limits<Scalar>::epsilon() * X.cwiseAbs().maxCoeff();
      flipped += static_cast<double>(((again - decoded).array().abs() > same).count());
      compared += static_cast<double>(Z.rows());
      C.col(i) = decoded;
      if (sent != all_sent.end() && sent->packet->size() > 0) kept("last message").col(i) = decoded;
    }
    return C;
  }

  /// The same for peers with a backlog if links change. C(Z) is then recovered from the published vectors
  /// before and after iteration t, since messages do not contain it alone. The published vector moves by the
  /// entry of `share` times C(Z) - `from`. The peers of `in_full` publish their vectors in another way.
  Matrix<Scalar> said_in_steps(const Matrix<Scalar>& Z, const Matrix<Scalar>& from,
                               const Vector<Scalar>& share, const std::vector<bool>& in_full) {
    told_from_ = &from;
    told_share_ = &share;
    in_full_ = &in_full;
    const Matrix<Scalar> C = said(Z);
    told_from_ = nullptr;
    in_full_ = nullptr;
    return C;
  }

  /// The same for methods that add C(Z) to the published vector.
  Matrix<Scalar> said_in_changes(const Matrix<Scalar>& Z) {
    return said_in_steps(Z, Matrix<Scalar>::Zero(X.rows(), X.cols()), Vector<Scalar>::Ones(X.cols()),
                         std::vector<bool>(static_cast<std::size_t>(X.cols())));
  }

  /// Returns the stream of what the hub says in iteration t.
  RandomStream hub_random() const { return {experiment_.settings.run.seed, 0, t, Purpose::downlink}; }
  /// Returns C_dwn(z), drawn anew and not replayed.
  Vector<Scalar> said_by_hub(const Vector<Scalar>& z) {
    RandomStream random = hub_random();
    return said_by_hub(z, random);
  }
  Vector<Scalar> said_by_hub(const Vector<Scalar>& z, RandomStream& random) {
    Vector<Scalar> decoded = Vector<Scalar>::Zero(z.size());
    PacketBuffer buffer = packets_.acquire();
    ensure(down_compressor_->encode({.vector = view(z), .random = random}, buffer) == CodecStatus::ok &&
               down_compressor_->accumulate(buffer.bytes(), 1, view(decoded)) == CodecStatus::ok,
           "what the hub says can be said");
    if (options().down_compressor.value_or("none") != "none") replayed = false;
    return decoded;
  }

  double flipped = 0.0;
  double compared = 0.0;
  bool replayed = true;

 private:
  /// True if the peer's data count in iteration t.
  bool trains(Index i) const { return experiment_.schedule->row(static_cast<PeerId>(i), t - 1).trains; }

  /// The share of its last message near which a peer's message is read.
  Scalar last_share() const {
    const std::string near = options().side_information.value_or("none");
    return near == "last" ? Scalar(1) : near == "mean" ? Scalar(0.5) : Scalar(0);
  }

  /// Returns C, or C^R for methods that compress R times.
  static std::unique_ptr<Compressor<Scalar>> made(const Experiment<Scalar>& experiment,
                                                  const std::string& spelling) {
    const MethodOptions& options = experiment.settings.algorithm.options;
    const std::string rounds = std::to_string(options.rounds.value_or(1));
    const SegmentTable segments = experiment.problem.objectives.front()->segments();
    if (spelling == "none") return make_compressor<Scalar>(spelling, segments);
    return make_sent_compressor<Scalar>(rounds == "1" ? spelling : "repeat(" + rounds + "){" + spelling + "}",
                                        options.side_information, segments);
  }

  static std::vector<Index> all_samples(const Objective<Scalar>& objective) {
    std::vector<Index> samples(static_cast<std::size_t>(objective.sample_count()));
    std::iota(samples.begin(), samples.end(), Index{0});
    return samples;
  }

  const Experiment<Scalar>& experiment_;
  const Recording<Scalar>& recording_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::unique_ptr<Compressor<Scalar>> down_compressor_;
  PacketPool packets_;
  std::vector<RandomStream> streams_;  // of this iteration's compressions, by peer
  std::map<std::string, Matrix<Scalar>> kept_;
  std::map<std::string, Matrix<Scalar>> at_first_;
  const Matrix<Scalar>* told_from_ = nullptr;
  const Vector<Scalar>* told_share_ = nullptr;
  const std::vector<bool>* in_full_ = nullptr;
};

/// One iteration of a method, t = network.t.
template <class Scalar>
using Recursion = void (*)(Network<Scalar>& network);

// The recursions of the methods by name, a file per family of methods.
template <class Scalar>
std::map<std::string, Recursion<Scalar>> baseline_recursions();
template <class Scalar>
std::map<std::string, Recursion<Scalar>> outer_loop_recursions();
template <class Scalar>
std::map<std::string, Recursion<Scalar>> composite_recursions();
template <class Scalar>
std::map<std::string, Recursion<Scalar>> compressed_recursions();
template <class Scalar>
std::map<std::string, Recursion<Scalar>> tracking_recursions();
/// Methods with a hub that is SGD without compression; and those whose hub steps in another way.
template <class Scalar>
std::map<std::string, Recursion<Scalar>> hub_recursions();
template <class Scalar>
std::map<std::string, Recursion<Scalar>> hub_step_recursions();

}  // namespace hearsay::test
