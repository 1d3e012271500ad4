#include "tests/support/stacked.hpp"

#include <map>
#include <numeric>

#include "algorithms/full_precision.hpp"

namespace hearsay::test {

namespace {

template <class Scalar>
using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic>;

template <class Scalar>
class Network {
 public:
  Network(const Experiment<Scalar>& experiment, const Recording<Scalar>& recording)
      : X(experiment.problem.dimension(), experiment.peer_count()),
        experiment_(experiment),
        recording_(recording),
        compressor_(make_compressor<Scalar>(experiment.settings.algorithm.compressor,
                                            experiment.problem.objectives.front()->segments())) {
    X.colwise() = experiment.problem.initial;
    Xt = X;
    M.setZero(X.rows(), X.cols());
  }

  Matrix<Scalar> X;   ///< models
  Matrix<Scalar> Xt;  ///< estimates, where a method has them
  Matrix<Scalar> M;   ///< what error feedback remembers, as steps
  std::uint64_t t = 0;

  Scalar eta() const { return static_cast<Scalar>(experiment_.step_size.at(t)); }
  const std::string& feedback() const { return experiment_.settings.algorithm.feedback; }
  std::uint64_t restart_every() const { return experiment_.settings.algorithm.restart_every; }

  /// W' of iteration t, so that mixing is a product from the right.
  Matrix<Scalar> mixing() const {
    Matrix<Scalar> transposed = Matrix<Scalar>::Zero(X.cols(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) {
      const MixingRow& row = experiment_.schedule->row(static_cast<PeerId>(i), t - 1);
      transposed(i, i) = static_cast<Scalar>(row.self_weight);
      for (const WeightedNeighbor& neighbor : row.hears)
        transposed(neighbor.id, i) = static_cast<Scalar>(neighbor.weight);
    }
    return transposed;
  }

  /// G: every local gradient at the peer's own model, on its minibatch.
  Matrix<Scalar> gradients() const { return gradients(X); }

  /// The same at points of their own.
  Matrix<Scalar> gradients(const Matrix<Scalar>& points) const {
    Matrix<Scalar> G(X.rows(), X.cols());
    for (Index i = 0; i < X.cols(); ++i) {
      const Objective<Scalar>& objective = *experiment_.problem.objectives[static_cast<std::size_t>(i)];
      Vector<Scalar> gradient(X.rows());
      objective.gradient(points.col(i), minibatch(objective, static_cast<PeerId>(i)), gradient);
      G.col(i) = gradient;
    }
    return G;
  }

  /// C(Z), a column a peer, as the peers said it in iteration t.
  Matrix<Scalar> said(const Matrix<Scalar>& Z) {
    Matrix<Scalar> C = Matrix<Scalar>::Zero(Z.rows(), Z.cols());
    for (Index i = 0; i < Z.cols(); ++i) {
      const Vector<Scalar> z = Z.col(i);
      Vector<Scalar> again = Vector<Scalar>::Zero(Z.rows());
      RandomStream random(experiment_.settings.run.seed, static_cast<PeerId>(i), t, Purpose::compression);
      PacketBuffer buffer = packets_.acquire();
      compressor_->encode_and_apply({view(z), random}, buffer, view(again));
      const auto& sent = recording_[t][static_cast<std::size_t>(i)].sent;
      Vector<Scalar> decoded = Vector<Scalar>::Zero(Z.rows());
      if (sent.empty()) {  // nobody listens
        decoded = again;
        replayed = false;
      } else {
        ensure(compressor_->accumulate(sent.front().packet->bytes(), 1, view(decoded)) == CodecStatus::ok,
               "a recorded packet can be decoded");
      }
      const Scalar same =
          (std::is_same_v<Scalar, float> ? Scalar(1e-4) : Scalar(1e-10)) * again.cwiseAbs().maxCoeff();
      flipped += static_cast<double>(((again - decoded).array().abs() > same).count());
      compared += static_cast<double>(Z.rows());
      C.col(i) = decoded;
    }
    return C;
  }

  double flipped = 0.0;
  double compared = 0.0;
  bool replayed = true;

 private:
  std::vector<Index> minibatch(const Objective<Scalar>& objective, PeerId peer) const {
    const Index count = objective.sample_count();
    std::vector<Index> samples;
    if (!experiment_.settings.algorithm.batch) {
      samples.resize(static_cast<std::size_t>(count));
      std::iota(samples.begin(), samples.end(), Index{0});
      return samples;
    }
    RandomStream random(experiment_.settings.run.seed, peer, t, Purpose::minibatch);
    for (std::uint64_t k = 0; k < *experiment_.settings.algorithm.batch; ++k)
      samples.push_back(static_cast<Index>(random.below(static_cast<std::uint64_t>(count))));
    return samples;
  }

  const Experiment<Scalar>& experiment_;
  const Recording<Scalar>& recording_;
  std::unique_ptr<Compressor<Scalar>> compressor_;
  PacketPool packets_;
};

// The methods, one iteration each.

template <class Scalar>
void allreduce_sgd(Network<Scalar>& net) {
  const Vector<Scalar> mean = net.gradients().rowwise().mean();
  net.X.colwise() -= net.eta() * mean;
}

template <class Scalar>
void d_psgd(Network<Scalar>& net) {
  net.X = (net.X * net.mixing() - net.eta() * net.gradients()).eval();
}

template <class Scalar>
void naive(Network<Scalar>& net) {
  net.X = (net.said(net.X) * net.mixing() - net.eta() * net.gradients()).eval();
}

template <class Scalar>
void dcd_psgd(Network<Scalar>& net) {
  const Matrix<Scalar> half = net.X * net.mixing() - net.eta() * net.gradients();
  net.X += net.said(half - net.X);
}

template <class Scalar>
void ecd_psgd(Network<Scalar>& net) {
  const std::uint64_t every = net.restart_every();
  const auto t = static_cast<Scalar>(every == 0 ? net.t : (net.t - 1) % every + 1);
  const Matrix<Scalar> next = net.Xt * net.mixing() - net.eta() * net.gradients();
  if (every != 0 && net.t % every == 0)
    net.Xt = next;
  else
    net.Xt = ((1 - 2 / t) * net.Xt + (2 / t) * net.said((1 - t / 2) * net.X + (t / 2) * next)).eval();
  net.X = next;
}

/// The memory is kept as a step here (Karimireddy et al. 2019), as a gradient there: the same, rounding aside.
template <class Scalar>
void qsgd_allreduce(Network<Scalar>& net) {
  const std::string& feedback = net.feedback();
  const Scalar beta = feedback == "none"            ? Scalar(0)
                      : feedback == "low-pass(0.1)" ? static_cast<Scalar>(0.1)
                                                    : Scalar(1);
  const Scalar eta = net.eta();
  const Matrix<Scalar> G = net.gradients(feedback == "dgd-def" ? Matrix<Scalar>(net.X - net.M) : net.X);
  const Matrix<Scalar> P = G + net.M / eta;
  const Matrix<Scalar> C = net.said(P);
  net.M = ((1 - beta) * net.M + beta * eta * (P - C)).eval();
  const Vector<Scalar> mean = C.rowwise().mean();
  net.X.colwise() -= eta * mean;
}

template <class Scalar>
double deviation(const Matrix<Scalar>& X, const std::vector<PeerRecord<Scalar>>& peers) {
  double largest = 0.0;
  for (Index i = 0; i < X.cols(); ++i)
    largest = std::max(
        largest,
        static_cast<double>((X.col(i) - peers[static_cast<std::size_t>(i)].model).cwiseAbs().maxCoeff()));
  return largest / static_cast<double>(X.cwiseAbs().maxCoeff());
}

}  // namespace

template <class Scalar>
StackedComparison compare_with_stacked(const Experiment<Scalar>& experiment,
                                       const Recording<Scalar>& recording) {
  const std::map<std::string, void (*)(Network<Scalar>&)> methods = {
      {"allreduce-sgd", allreduce_sgd<Scalar>},
      {"d-psgd", d_psgd<Scalar>},
      {"naive", naive<Scalar>},
      {"dcd-psgd", dcd_psgd<Scalar>},
      {"ecd-psgd", ecd_psgd<Scalar>},
      {"qsgd-allreduce", qsgd_allreduce<Scalar>}};
  StackedComparison comparison;
  const auto method = methods.find(experiment.method->name);
  if (method == methods.end()) {
    comparison.known = false;
    return comparison;
  }
  Network<Scalar> network(experiment, recording);
  for (network.t = 1; network.t < recording.size(); ++network.t) {
    method->second(network);
    comparison.deviation = std::max(comparison.deviation, deviation(network.X, recording[network.t]));
  }
  comparison.replayed = network.replayed;
  if (network.compared > 0.0) comparison.flips = network.flipped / network.compared;
  return comparison;
}

template StackedComparison compare_with_stacked<float>(const Experiment<float>&, const Recording<float>&);
template StackedComparison compare_with_stacked<double>(const Experiment<double>&, const Recording<double>&);

}  // namespace hearsay::test
