#pragma once

#include <Eigen/Core>

namespace hearsay {

/// The consensus of a compressed method, without gradients, along one eigenvector of W with eigenvalue 1 -
/// mu. The compressor turns d into keep d + noise:
///
///   d = c s;    s <- A s + b noise
///
/// Here s in R^3 is the state of the method (padded with zeros), and d is the value that it compresses next.
/// The model is linear. So the noise that feeds back can be computed, and with it the consensus steps that a
/// compressor permits.
struct GossipModel {
  Eigen::Matrix3d step = Eigen::Matrix3d::Zero();              ///< A
  Eigen::Vector3d noise = Eigen::Vector3d::Zero();             ///< b
  Eigen::RowVector3d compressed = Eigen::RowVector3d::Zero();  ///< c
};

/// The model of methods that alternate, in either order,
///
///   compress   xhat <- xhat + C(x - xhat)
///   consensus  x <- x - gamma mu xhat
GossipModel replica_gossip_model(double consensus_step, double keep, double mu);

/// The consensus of a method whose peers keep a momentum over rounds, without gradients. x in R^n is a
/// coordinate of all models, m its momentum. A round, with the W of the round:
///
///   each peer's own   m <- beta m - gamma (I - W) x;   x <- x + m
///   mixed             v = x + beta m;   x <- v - gamma (I - W) v;   m = x - its value before
struct OuterGossip {
  double consensus_step;  ///< gamma
  double momentum;        ///< beta
  bool mixed;
};

}  // namespace hearsay
