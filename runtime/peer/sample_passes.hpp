#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// Passes over the samples of one peer (data.order = "shuffled"): every epoch e = 0, 1, 2, ... takes each of
/// the m samples once, in an order of its own.
///
///   sample number e m + j  =  entry j of a uniformly random permutation of 0 ... m-1
///
/// The permutation is drawn from (seed, peer, e, Purpose::order) by Fisher and Yates (Durstenfeld's form). So
/// what a number means depends on no earlier call: a peer that comes back continues where the others are.
/// Memory: m indices. The first sample of an epoch takes time in proportion to m.
class SamplePasses {
 public:
  /// `samples`: m, at least 1.
  SamplePasses(std::uint64_t seed, PeerId peer, std::uint64_t samples);

  /// Appends the samples number `first` ... first + count - 1. A minibatch that reaches the end of an epoch
  /// goes on in the next one.
  void take(std::uint64_t first, std::uint64_t count, std::vector<Index>& into);

 private:
  void shuffle(std::uint64_t epoch);

  std::uint64_t seed_;
  PeerId peer_;
  std::optional<std::uint64_t> epoch_;  ///< whose permutation order_ is
  std::vector<Index> order_;
};

}  // namespace hearsay
