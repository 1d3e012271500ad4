#pragma once

#include <string_view>
#include <utility>

#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/seam/algorithm.hpp"

namespace hearsay {

/// How LEAD and related methods tell their neighbors a vector Z_i ("COMM"). The difference of Z_i to a
/// reference is compressed, and the reference follows slowly. So the recovered vector is unbiased if C is,
/// and its error vanishes as Z settles.
///
///   compress   q_i = C(Z_i - H_i), encoded once, sent to every neighbor
///   recover    zhat_j = H_j + q_j                     for every neighbor j and for i itself
///   follow     H_j <- H_j + a q_j                     for every neighbor j and for i itself
///
/// H_j equals its owner's H, bit for bit. Memory: H_i, zhat_i, a zhat_j and one H_j per neighbor.
template <class Scalar>
class DampedReferences {
 public:
  /// Every H starts at `initial`, which all peers share.
  DampedReferences(const std::vector<PeerId>& neighbors, const Vector<Scalar>& initial, double damping)
      : damping_(static_cast<Scalar>(damping)),
        own_reference_(initial),
        references_(neighbors, initial),
        own_recovered_(initial.size()),
        recovered_(initial.size()) {}

  /// H_i. The method passes the difference of Z_i to this vector to `say`.
  const Vector<Scalar>& own_reference() const { return own_reference_; }

  /// Compresses and posts `difference` = Z_i - H_i. Updates zhat_i and H_i.
  Slot say(Iteration<Scalar>& it, Compressor<Scalar>& compressor, const Vector<Scalar>& difference,
           RandomStream& random) {
    PacketBuffer buffer = it.new_packet();
    it.report(compressor.encode({view(difference), random}, buffer));
    const PacketRef own = std::move(buffer).seal();
    const Slot slot = it.post(own);
    own_recovered_ = own_reference_;
    it.report(compressor.accumulate(own->bytes(), 1, view(own_recovered_)));
    it.report(compressor.accumulate(own->bytes(), damping_, view(own_reference_)));
    return slot;
  }

  /// into += factor sum_j w_ij (zhat_i - zhat_j). Updates every H_j. The packets are in the order of
  /// `neighbors`.
  void add_differences(Iteration<Scalar>& it, Compressor<Scalar>& compressor,
                       std::span<const WeightedNeighbor> neighbors, std::span<const PacketRef> packets,
                       Scalar factor, Vector<Scalar>& into) {
    for (std::size_t j = 0; j < neighbors.size(); ++j) {
      if (!packets[j]) continue;
      Vector<Scalar>& reference = references_.of(neighbors[j].id);
      recovered_ = reference;
      it.report(compressor.accumulate(packets[j]->bytes(), 1, view(recovered_)));
      into += factor * static_cast<Scalar>(neighbors[j].weight) * (own_recovered_ - recovered_);
      it.report(compressor.accumulate(packets[j]->bytes(), damping_, view(reference)));
    }
  }

  void visit(StateVisitor<Scalar>& visitor, std::string_view name) {
    visitor.published(name, own_reference_);
    references_.visit(visitor, name);
    visitor.scratch("own recovered", own_recovered_);
    visitor.scratch("recovered", recovered_);
  }

 private:
  Scalar damping_;                // a
  Vector<Scalar> own_reference_;  // H_i
  Replicas<Scalar> references_;   // H_j
  Vector<Scalar> own_recovered_;  // zhat_i
  Vector<Scalar> recovered_;      // zhat_j, one neighbor at a time
};

}  // namespace hearsay
