#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// How a hub tells its workers a vector w: each as a compressed difference to a reference H_i of its own,
/// with rounding drawn anew, so that the errors of the workers are independent.
///
///   down    hub -> i:   Omega_i = C_dwn(w - H_i)     for each i of the round, in ascending id
///   follow  hub and i:  xhat_i = H_i + Omega_i;   H_i <- H_i + alpha Omega_i
///
/// H_i is w_0 at first, and stays at both ends in a round in which i sits out. Only on a star: every worker
/// hears a packet of its own.
///
/// Memory: H_i; of the hub all of them.
template <class Scalar>
class SeparateDownlink {
 public:
  SeparateDownlink(const MethodInput<Scalar>& input, const std::string& compressor, double memory_step)
      : place_(input),
        memory_step_(static_cast<Scalar>(memory_step)),
        reference_(input.initial),
        compressor_(make_compressor<Scalar>(compressor, input.segments)) {
    for (const PeerId worker : place_.below)
      if (place_.is_hub())
        references_.push_back({worker, "reference of " + std::to_string(worker), input.initial});
  }

  /// co_await downlink.share(it, w, xhat, scratch): the hub tells w, which is empty at the others, and all
  /// that take part have xhat. False if nothing came from the hub: it is gone.
  auto share(Iteration<Scalar>& it, const Vector<Scalar>& w, Vector<Scalar>& xhat, Vector<Scalar>& scratch) {
    return place_.share(
        it, [&] { tell(it, w, xhat, scratch); },
        [this, &it, &xhat](std::span<const PacketRef> packets) {
          if (packets.empty() || !packets.front()) return false;
          it.report(take(packets.front()->bytes(), xhat));
          return true;
        });
  }

  /// What the hub sends.
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const {
    const Traits packet = compressor_->traits(static_cast<std::size_t>(reference_.size()));
    return place_.to_below(rows.at(number - 1), packet.bytes, !packet.data_dependent_size);
  }
  bool catches_up() const { return false; }
  bool is_sound() const { return true; }

  void visit_reference(StateVisitor<Scalar>& visitor) {
    visitor.state("reference", reference_);
    for (Reference& reference : references_) visitor.state(reference.name, reference.vector);
  }
  void visit_backlog(StateVisitor<Scalar>&) {}

 private:
  struct Reference {
    PeerId worker;
    std::string name;  // "reference of 3", for visitors
    Vector<Scalar> vector;
  };

  /// xhat_i = H_i + Omega_i;  H_i <- H_i + alpha Omega_i
  CodecStatus take(std::span<const std::byte> omega, Vector<Scalar>& xhat) {
    xhat = reference_;
    const CodecStatus status = compressor_->accumulate(omega, 1, view(xhat));
    const CodecStatus followed = follow(omega, reference_);
    return status == CodecStatus::ok ? followed : status;
  }
  CodecStatus follow(std::span<const std::byte> omega, Vector<Scalar>& reference) {
    return compressor_->accumulate(omega, memory_step_, view(reference));
  }

  /// The hub comes first, if its data count in the round.
  void tell(Iteration<Scalar>& it, const Vector<Scalar>& w, Vector<Scalar>& xhat, Vector<Scalar>& scratch) {
    RandomStream random = it.random(Purpose::downlink);
    const auto encoded = [&](const Vector<Scalar>& reference) {
      scratch = w - reference;
      PacketBuffer omega = it.new_packet();
      it.report(compressor_->encode({view(std::as_const(scratch)), random}, omega));
      return std::move(omega).seal();
    };
    if (it.mixing().trains) it.report(take(encoded(reference_)->bytes(), xhat));
    for (const PeerId worker : it.mixing().heard_by) {
      Vector<Scalar>& reference =
          std::ranges::lower_bound(references_, worker, {}, &Reference::worker)->vector;
      messages_.push_back(encoded(reference));
      it.report(follow(messages_.back()->bytes(), reference));
    }
    it.post(messages_);
    messages_.clear();
  }

  TreePlace place_;
  Scalar memory_step_;        // alpha
  Vector<Scalar> reference_;  // H_i of this peer
  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::vector<Reference> references_;  // of the hub: H_i of the workers, ascending
  std::vector<PacketRef> messages_;    // Omega_i of one `tell`
};

}  // namespace hearsay
