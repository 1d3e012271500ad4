#pragma once

#include <Eigen/Core>

namespace hearsay {

/// A compressed method's consensus by itself, with no gradients, along one eigenvector of W: with eigenvalue
/// 1 - mu, and a compressor that makes keep d + noise of d,
///
///   d = c s;    s <- A s + b noise
///
/// where s in R^3 is what the method remembers (padded with zeros) and d what it compresses next. Linear, so
/// that the noise that comes back, and with it the consensus step that a compressor permits, can be computed.
struct GossipModel {
  Eigen::Matrix3d step = Eigen::Matrix3d::Zero();              ///< A
  Eigen::Vector3d noise = Eigen::Vector3d::Zero();             ///< b
  Eigen::RowVector3d compressed = Eigen::RowVector3d::Zero();  ///< c
};

/// Methods that alternate, in whichever order,
///
///   compress   xhat <- xhat + C(x - xhat)
///   consensus  x <- x - gamma mu xhat
GossipModel replica_gossip_model(double consensus_step, double keep, double mu);

}  // namespace hearsay
