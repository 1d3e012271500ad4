#include "algorithms/stability/gossip_trial.hpp"

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "algorithms/methods/parts/shared_options.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::uint64_t gossip_rounds = 2000;
constexpr std::uint64_t seed = 0x676f7373;
constexpr int peers = trial_peers;

using Modes = Eigen::Matrix<double, peers, Eigen::Dynamic, Eigen::RowMajor>;

/// The eigenvectors of a ring, one per column: 1, then cos and sin of each frequency, then (-1)^i.
Eigen::Matrix<double, peers, peers> eigenvectors() {
  Eigen::Matrix<double, peers, peers> V;
  for (int k = 0; k < peers; ++k)
    for (int i = 0; i < peers; ++i) {
      const double angle = 2.0 * std::numbers::pi * ((k + 1) / 2) * i / peers;
      V(i, k) = k % 2 == 1 ? std::cos(angle) : (k == 0 ? 1.0 : std::sin(angle));
    }
  V.colwise().normalize();
  return V;
}

}  // namespace

template <class Scalar>
bool gossip_settles(const MethodInfo& method, const MethodOptions& options, double fastest,
                    Compressor<Scalar>& compressor, std::size_t dimension) {
  ensure(method.gossip_model && dimension <= most_trial_coordinates, "a trial of a linear gossip, bounded");
  const auto d = static_cast<Eigen::Index>(dimension);
  const Eigen::Matrix<double, peers, peers> V = eigenvectors();
  std::vector<GossipModel> models;
  std::vector<Eigen::Matrix<double, 3, Eigen::Dynamic>> states;
  RandomStream data(seed, 0, 0, Purpose::data);
  for (int k = 0; k < peers; ++k) {
    const double mu = fastest * (1.0 - std::cos(2.0 * std::numbers::pi * ((k + 1) / 2) / peers)) / 2.0;
    models.push_back(method.gossip_model(options, 1.0, mu));
    states.emplace_back(Eigen::Matrix<double, 3, Eigen::Dynamic>::Zero(3, d));
    if (k > 0)  // nothing makes the means agree
      for (Eigen::Index c = 0; c < d; ++c) states.back()(0, c) = data.normal();
  }
  PacketPool packets;
  PacketBuffer packet = packets.acquire();
  std::vector<Scalar> z(dimension);
  std::vector<Scalar> error(dimension);
  Modes along(peers, d);
  TrialJudge judge(gossip_rounds, 1e-8, 1e12 * static_cast<double>(peers * dimension));
  for (std::uint64_t round = 0; round < gossip_rounds; ++round) {
    for (int k = 0; k < peers; ++k) along.row(k) = models[k].compressed * states[k];
    Modes noise = V * along;
    if (const auto known = judge.note(noise.squaredNorm())) return *known;
    for (int i = 0; i < peers; ++i) {
      for (std::size_t c = 0; c < dimension; ++c) {
        z[c] = static_cast<Scalar>(noise(i, static_cast<Eigen::Index>(c)));
        error[c] = -z[c];
      }
      RandomStream random(seed, static_cast<PeerId>(i), round, Purpose::compression);
      if (compressor.encode({z, random}, packet) != CodecStatus::ok ||
          compressor.accumulate(packet.bytes(), Scalar(1), error) != CodecStatus::ok)
        return false;
      for (std::size_t c = 0; c < dimension; ++c) noise(i, static_cast<Eigen::Index>(c)) = error[c];
    }
    along = V.transpose() * noise;
    for (int k = 0; k < peers; ++k)
      states[k] = (models[k].step * states[k] + models[k].noise * along.row(k)).eval();
  }
  return judge.settles();
}

template <class Scalar>
double settling_step(const MethodInfo& method, MethodOptions options, double fastest,
                     Compressor<Scalar>& compressor, std::size_t dimension, double high) {
  const auto settles = [&](double step) {
    options.set(option::consensus_step, step);
    return gossip_settles(method, options, fastest, compressor, dimension);
  };
  if (settles(high)) return high;
  double low = high;
  do {
    high = low;
    low /= 2.0;
    if (low < 1e-4) return 0.0;
  } while (!settles(low));
  while (high > 1.05 * low) {
    const double middle = std::sqrt(low * high);
    (settles(middle) ? low : high) = middle;
  }
  return low;
}

template bool gossip_settles(const MethodInfo&, const MethodOptions&, double, Compressor<float>&,
                             std::size_t);
template bool gossip_settles(const MethodInfo&, const MethodOptions&, double, Compressor<double>&,
                             std::size_t);
template double settling_step(const MethodInfo&, MethodOptions, double, Compressor<float>&, std::size_t,
                              double);
template double settling_step(const MethodInfo&, MethodOptions, double, Compressor<double>&, std::size_t,
                              double);

}  // namespace hearsay
