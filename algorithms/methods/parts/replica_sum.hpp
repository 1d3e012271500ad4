#pragma once

#include <optional>
#include <span>
#include <vector>

#include "algorithms/arithmetic/compensated_sum.hpp"
#include "algorithms/compression/seam/compressor.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/algorithm.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// algorithm.memory = "aggregate": of the replicas xhat_j of its neighbors a peer keeps the sum alone that
/// gossip needs, however many neighbors there are:
///
///   S_i = sum_j w_ij (xhat_j - xhat_i)
///   say    xhat_i <- xhat_i + c_i:   S_i <- S_i - sum_j w_ij c_i
///   hear   xhat_j <- xhat_j + c_j:   S_i <- S_i + sum_j w_ij c_j
///
/// All vectors start at the same x_0, so S_i starts at 0. An estimate that forgets (ECD), xhat_j <- f xhat_j
/// + c_j, has S_i <- f S_i first. W must be fixed, and nobody may leave: what a single neighbor has added is
/// not known.
///
/// Memory     2 d: a compensated sum. In one vector the rounding of S_i would add up, iteration by iteration,
///            and move the mean of the models away: sum_i S_i = 0 has to hold for as long as a run takes.
template <class Scalar>
class ReplicaSum {
 public:
  /// A sum of vectors in R^d, d = `dimension`.
  explicit ReplicaSum(Index dimension) : sum_(dimension) {}

  /// S_i, an expression in R^d.
  auto value() const { return sum_.value(); }

  /// All xhat were multiplied by `factor`.
  void forget(Scalar factor) { sum_.scale(factor); }
  /// All xhat are set anew: each neighbor is `add`ed after that.
  void begin_anew() { sum_.clear(); }
  void add(const WeightedNeighbor& neighbor, const Vector<Scalar>& its_vector, const Vector<Scalar>& own) {
    sum_.add(static_cast<Scalar>(neighbor.weight), its_vector);
    sum_.add(-static_cast<Scalar>(neighbor.weight), own);
  }

  /// xhat_i <- xhat_i + scale c_i
  void say(std::span<const WeightedNeighbor> neighbors, const Vector<Scalar>& change, Scalar scale = 1) {
    double weights = 0.0;  // each as the neighbor has it, or sum_i S_i would not stay 0
    for (const WeightedNeighbor& neighbor : neighbors) weights += static_cast<Scalar>(neighbor.weight);
    const auto rounded = static_cast<Scalar>(weights);
    const auto cut_off = static_cast<Scalar>(weights - rounded);
    sum_.add(-scale * rounded, change);
    if (cut_off != 0) sum_.add(-scale * cut_off, change);
  }
  /// The same with c_i as its packet says. Overwrites `scratch`, of R^d.
  CodecStatus say(Compressor<Scalar>& compressor, std::span<const WeightedNeighbor> neighbors,
                  std::span<const std::byte> packet, Vector<Scalar>& scratch) {
    scratch.setZero();
    const CodecStatus status = compressor.accumulate(packet, 1, view(scratch));
    say(neighbors, scratch);
    return status;
  }

  /// xhat_j <- xhat_j + scale c_j for every neighbor, the packets in the order of `neighbors`. There may be
  /// an empty message while `silence_allowed`: its sender's vector has stayed as it was. Overwrites
  /// `scratch`.
  CodecStatus hear(Compressor<Scalar>& compressor, std::span<const WeightedNeighbor> neighbors,
                   std::span<const PacketRef> packets, Vector<Scalar>& scratch, Scalar scale = 1,
                   bool silence_allowed = false) {
    CodecStatus status = CodecStatus::ok;
    scratch.setZero();
    for (std::size_t j = 0; j < neighbors.size(); ++j) {
      if (!packets[j] || (silence_allowed && packets[j]->size() == 0)) continue;
      const auto weight = static_cast<Scalar>(neighbors[j].weight);
      const CodecStatus one = compressor.accumulate(packets[j]->bytes(), weight, view(scratch));
      if (one != CodecStatus::ok) status = one;
    }
    sum_.add(scale, scratch);
    return status;
  }

  void visit(StateVisitor<Scalar>& visitor) {
    visitor.state("aggregate", sum_.rounded());
    visitor.state("aggregate, cut off", sum_.cut_off());
  }

 private:
  CompensatedSum<Scalar> sum_;
};

/// Returns the sum of a peer that keeps one. Empty if it keeps the replicas.
template <class Scalar>
std::optional<ReplicaSum<Scalar>> replica_sum_for(const MethodInput<Scalar>& input) {
  if (input.options[option::memory] != "aggregate") return std::nullopt;
  return ReplicaSum<Scalar>(input.initial.size());
}

/// Whose replicas a peer keeps: nobody's, if it keeps the sum.
template <class Scalar>
std::vector<PeerId> replicas_kept(const MethodInput<Scalar>& input) {
  return input.options[option::memory] == "aggregate" ? std::vector<PeerId>{} : input.neighbors;
}

}  // namespace hearsay
