#pragma once

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/compression/seam/near_compressor.hpp"
#include "algorithms/methods/parts/replicas.hpp"
#include "algorithms/methods/parts/shared_options.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// algorithm.side_information, for methods whose peers send c_i = C(z_i), z_i the way from the replica of a
/// vector to the vector, to holders that add it to the replica. C is a grid, and its codes travel modulo k
/// (NearGrid); a holder reads them near its prediction s_i of z_i:
///
///   replica   s_i = 0: the vector stays at its replica
///   last      s_i = c_i of the last message: the replica moves once more as it did
///   mean      s_i = c_i / 2 of the last message: the mean of both
///
///   say       k = the least with which s_i yields every code of c_i;  send these modulo k;  or in full
///   hear      c_j = what the message of j says near s_j;  xhat_j <- xhat_j + c_j
///
/// Every s_i is made of what all ends have heard. So the sender tests the bound itself, and repeats in full
/// at once, in the same message, what its holders could not read: nobody has to ask again. One message serves
/// all holders. The message before the first is 0; a message that the sender left out (a silent trigger)
/// leaves s_i as it is. If the s_j of a holder is wrong all the same (a fault of its memory), a checksum says
/// so; the replica stays as it was, until digests differ and its owner repeats it in full.
///
/// Memory     last, mean: a vector for the own last message, one per neighbor, and one to read near.
/// Invariant  c_i, and with it the run, is the same with every s_i, and without (`none`), bit for bit.
template <class Scalar>
class SideInformation {
 public:
  explicit SideInformation(const MethodInput<Scalar>& input)
      : last_(uses_last(input) ? input.neighbors : std::vector<PeerId>{},
              Vector<Scalar>::Zero(uses_last(input) ? input.initial.size() : 0)),
        share_(input.options[option::side_information] == "mean" ? Scalar(0.5) : Scalar(1)) {
    if (!uses_last(input)) return;
    own_last_.setZero(input.initial.size());
    prediction_.resize(input.initial.size());
  }

  /// C as it is sent.
  static std::unique_ptr<Compressor<Scalar>> compressor(const MethodInput<Scalar>& input) {
    auto made = make_sent_compressor<Scalar>(input.compressor, input.options.find(option::side_information),
                                             input.segments);
    ensure(made != nullptr, "a compressor without a grid is refused with side information");
    return made;
  }

  /// Writes the message of c_i = C(z) to `out`;  into += c_i.
  CodecStatus say(Compressor<Scalar>& compressor, const Vector<Scalar>& z, RandomStream& random,
                  PacketBuffer& out, Vector<Scalar>& into) {
    if (!keeps_last()) return compressor.encode_and_apply({view(z), random}, out, view(into));
    predict(own_last_);
    own_last_.setZero();
    const CodecStatus status = compressor.encode_and_apply(
        {.vector = view(z), .random = random, .near = view(std::as_const(prediction_))}, out,
        view(own_last_));
    into += own_last_;
    return status;
  }

  /// Updates every neighbor's replica by its message, as Replicas::hear does.
  CodecStatus hear(Compressor<Scalar>& compressor, std::span<const WeightedNeighbor> neighbors,
                   std::span<const PacketRef> packets, Replicas<Scalar>& replicas,
                   bool silence_allowed = false) {
    if (!keeps_last()) return replicas.hear(compressor, neighbors, packets, silence_allowed);
    return replicas.hear_by(
        [&](std::span<const std::byte> packet, PeerId owner, Vector<Scalar>& replica) {
          Vector<Scalar>& last = last_.of(owner);
          predict(last);
          last.setZero();
          const CodecStatus status =
              compressor.accumulate_near(packet, view(std::as_const(prediction_)), 1, view(last));
          replica += last;
          // What cannot be read leaves a wrong replica, of which the owner's next digest tells.
          return status == CodecStatus::out_of_reach ? CodecStatus::ok : status;
        },
        neighbors, packets, silence_allowed);
  }

  void visit(StateVisitor<Scalar>& visitor) {
    if (!keeps_last()) return;
    visitor.published("last message", own_last_);
    last_.visit(visitor, "last message");
    visitor.scratch("prediction", prediction_);
  }

 private:
  static bool uses_last(const MethodInput<Scalar>& input) {
    return input.options[option::side_information] == "last" ||
           input.options[option::side_information] == "mean";
  }
  bool keeps_last() const { return own_last_.size() > 0; }
  void predict(const Vector<Scalar>& last) { prediction_ = share_ * last; }

  Vector<Scalar> own_last_;  // c_i; empty unless it is read near
  Replicas<Scalar> last_;    // c_j
  Vector<Scalar> prediction_;
  Scalar share_;
};

}  // namespace hearsay
