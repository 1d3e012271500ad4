#include "algorithms/stability/consensus_limit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "algorithms/methods/parts/shared_options.hpp"

namespace hearsay {

namespace {

/// Beyond these sizes a limit takes longer than a user would wait.
constexpr std::size_t most_peers = 4096;
constexpr PeerId largest_consensus_power_iteration = 48;

/// Returns sum_{t>=0} (c A^t b)(c' A'^t b') of two modes, by doubling: S_2m = S_m + A^m S_m A'^m.
double response(const GossipModel& one, const GossipModel& other) {
  Eigen::Matrix3d sum = one.noise * other.noise.transpose();
  Eigen::Matrix3d power = one.step;
  Eigen::Matrix3d other_power = other.step;
  for (int doublings = 0; doublings < 50; ++doublings) {
    const Eigen::Matrix3d more = power * sum * other_power.transpose();
    sum += more;
    // The negation makes NaN infinite, too.
    if (!(sum.cwiseAbs().maxCoeff() < 1e12)) return std::numeric_limits<double>::infinity();
    if (more.cwiseAbs().maxCoeff() <= 1e-14 * sum.cwiseAbs().maxCoeff()) break;
    power = (power * power).eval();
    other_power = (other_power * other_power).eval();
  }
  return one.compressed * sum * other.compressed.transpose();
}

}  // namespace

std::optional<ConsensusLimit> ConsensusLimit::of(const MixingMatrix& mixing, const MethodInfo& method) {
  if (!method.gossip_model || mixing.peer_count() == 1 || mixing.peer_count() > most_peers)
    return std::nullopt;
  std::optional<NoiseFeedback> feedback = NoiseFeedback::of(mixing);
  if (!feedback || (!feedback->peers_alike() && mixing.peer_count() > largest_consensus_power_iteration))
    return std::nullopt;
  return ConsensusLimit(std::move(*feedback), method);
}

bool ConsensusLimit::stable(const MethodOptions& options, const LinearError& error) const {
  const double gain = feedback_.gain([&](double lambda_k, double lambda_l) {
    return response(method_->gossip_model(options, error.keep, 1.0 - lambda_k),
                    method_->gossip_model(options, error.keep, 1.0 - lambda_l));
  });
  return std::isfinite(gain) && error.noise * gain < 1.0;
}

double ConsensusLimit::largest_step(MethodOptions options, const LinearError& error) const {
  const auto stable_at = [&](double step) {
    options.set(option::consensus_step, step);
    return stable(options, error);
  };
  double low = 1e-4;
  double high = 8.0;
  if (!stable_at(low)) return 0.0;
  while (high > 1.0005 * low) {
    const double middle = std::sqrt(low * high);
    (stable_at(middle) ? low : high) = middle;
  }
  return low;
}

}  // namespace hearsay
