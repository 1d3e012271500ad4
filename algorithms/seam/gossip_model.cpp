#include "algorithms/seam/gossip_model.hpp"

namespace hearsay {

/// The state is d = x - xhat, after consensus, and u = gamma mu xhat:  u' = u + a (keep d + noise),
/// d' = d - (keep d + noise) - u'.
GossipModel replica_gossip_model(double consensus_step, double keep, double mu) {
  const double a = consensus_step * mu;
  GossipModel model;
  model.step.row(0) << 1.0 - (1.0 + a) * keep, -1.0, 0.0;
  model.step.row(1) << a * keep, 1.0, 0.0;
  model.noise << -(1.0 + a), a, 0.0;
  model.compressed << 1.0, 0.0, 0.0;
  return model;
}

}  // namespace hearsay
