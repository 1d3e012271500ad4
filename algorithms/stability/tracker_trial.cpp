#include "algorithms/stability/tracker_trial.hpp"

#include <Eigen/Core>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "algorithms/arithmetic/random.hpp"
#include "algorithms/stability/trial.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t trial_seed = 0x747261636b;
/// Trackers that drift apart may first come closer for 2,000 rounds.
constexpr std::uint64_t tracker_rounds = 6000;

using PeerRowsOf = Eigen::Matrix<double, trial_peers, Eigen::Dynamic, Eigen::RowMajor>;
using PeerMatrix = Eigen::Matrix<double, trial_peers, trial_peers>;

/// I - W of a ring with equal weights, whose largest eigenvalue is `fastest`.
PeerMatrix pulls(double fastest) {
  PeerMatrix M = PeerMatrix::Zero();
  for (int i = 0; i < trial_peers; ++i) {
    M(i, i) = fastest / 2.0;
    M(i, (i + 1) % trial_peers) = M(i, (i + trial_peers - 1) % trial_peers) = -fastest / 4.0;
  }
  return M;
}

/// A vector of each peer that others know through a compressor.
template <class Scalar>
class Followed {
 public:
  Followed(Compressor<Scalar>& compressor, double damping, std::size_t dimension)
      : compressor_(compressor),
        damping_(damping),
        memory_(PeerRowsOf::Zero(trial_peers, static_cast<Eigen::Index>(dimension))),
        known_(memory_),
        difference_(dimension),
        decoded_(dimension) {}

  /// Returns what others know of `vectors` after a message; null if the compressor fails.
  const PeerRowsOf* follow(const PeerRowsOf& vectors, std::uint64_t draw) {
    for (int i = 0; i < trial_peers; ++i) {
      for (std::size_t c = 0; c < difference_.size(); ++c) {
        const auto column = static_cast<Eigen::Index>(c);
        difference_[c] = static_cast<Scalar>(vectors(i, column) - memory_(i, column));
        decoded_[c] = 0;
      }
      RandomStream random(trial_seed, static_cast<PeerId>(i), draw, Purpose::compression);
      if (compressor_.encode({difference_, random}, packet_) != CodecStatus::ok ||
          compressor_.accumulate(packet_.bytes(), Scalar(1), decoded_) != CodecStatus::ok)
        return nullptr;
      for (std::size_t c = 0; c < decoded_.size(); ++c) {
        const auto column = static_cast<Eigen::Index>(c);
        known_(i, column) = memory_(i, column) + static_cast<double>(decoded_[c]);
        memory_(i, column) += damping_ * static_cast<double>(decoded_[c]);
      }
    }
    return &known_;
  }

 private:
  Compressor<Scalar>& compressor_;
  double damping_;
  PeerRowsOf memory_;  // H, or G
  PeerRowsOf known_;
  std::vector<Scalar> difference_;
  std::vector<Scalar> decoded_;
  PacketPool packets_;
  PacketBuffer packet_ = packets_.acquire();
};

double distance_from_mean(const PeerRowsOf& x) { return (x.rowwise() - x.colwise().mean()).squaredNorm(); }

}  // namespace

template <class Scalar>
bool trackers_settle(const CompressedTracking& of, double fastest, Compressor<Scalar>& compressor,
                     std::size_t dimension) {
  const auto d = static_cast<Eigen::Index>(dimension);
  const Eigen::RowVectorXd curvatures =
      Eigen::RowVectorXd::LinSpaced(d, of.curvature / static_cast<double>(d), of.curvature);
  const PeerMatrix pull = of.consensus_step * pulls(fastest);
  RandomStream data(trial_seed, 0, 0, Purpose::data);
  PeerRowsOf x(trial_peers, d);
  for (int i = 0; i < trial_peers; ++i)
    for (Eigen::Index c = 0; c < d; ++c) x(i, c) = data.normal();
  const auto gradients = [&](const PeerRowsOf& at) -> PeerRowsOf {
    return at.array().rowwise() * curvatures.array();
  };
  PeerRowsOf y = gradients(x);
  Followed<Scalar> models(compressor, of.damping, dimension);
  Followed<Scalar> trackers(compressor, of.damping, dimension);
  const double at_first = distance_from_mean(x);
  TrialJudge judge(tracker_rounds, 1e-12 * at_first, 1e12 * at_first);
  for (std::uint64_t round = 0; round < tracker_rounds; ++round) {
    const PeerRowsOf* const known_x = models.follow(x, 2 * round);
    const PeerRowsOf* const known_y = trackers.follow(y, 2 * round + 1);
    if (known_x == nullptr || known_y == nullptr) return false;
    const PeerRowsOf next = x - pull * *known_x - of.step_size * y;
    y += gradients(next - x) - pull * *known_y;
    x = next;
    if (const auto known = judge.note(distance_from_mean(x))) return *known;
  }
  return judge.settles();
}

template bool trackers_settle(const CompressedTracking&, double, Compressor<float>&, std::size_t);
template bool trackers_settle(const CompressedTracking&, double, Compressor<double>&, std::size_t);

}  // namespace hearsay
