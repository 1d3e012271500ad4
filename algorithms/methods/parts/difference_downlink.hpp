#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "algorithms/methods/parts/answers.hpp"
#include "algorithms/methods/parts/backlog.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"

namespace hearsay {

/// How a hub tells its workers a vector w: as a compressed difference to a reference H, which all move by the
/// same decoded bytes. So the differences, and with them the errors, vanish as w settles.
///
///   down    hub -> i:   Omega = C_dwn(w - H)
///   follow  all:        xhat = H + Omega;   H <- H + alpha Omega
///
/// H is w_0 at first. The head of a group passes on what it hears. If workers may sit out, those of the round
/// first hear how H was moved without them, in a message of its own (Backlog), from the hub or their head.
///
/// Memory: H; a Backlog, of the hub and of heads, if workers may sit out.
template <class Scalar>
class DifferenceDownlink {
 public:
  DifferenceDownlink(const MethodInput<Scalar>& input, const std::string& compressor, double memory_step)
      : place_(input),
        links_vary_(input.links_vary),
        memory_step_(static_cast<Scalar>(memory_step)),
        reference_(input.initial),
        compressor_(make_compressor<Scalar>(compressor, input.segments)) {
    if (links_vary_ && !place_.is_worker()) backlog_.emplace(place_.below, input.initial.size());
  }

  class Share;
  /// co_await downlink.share(it, w, xhat, scratch): the hub tells w, which is empty at the others, and all
  /// have xhat. False if nothing came from the hub: it is gone.
  Share share(Iteration<Scalar>& it, const Vector<Scalar>& w, Vector<Scalar>& xhat, Vector<Scalar>& scratch) {
    return {*this, it, w, xhat, scratch};
  }

  /// What the hub, or a head, sends to those below it.
  Traffic traffic(std::uint64_t number, const PeerRows& rows) const {
    const Traits packet = compressor_->traits(static_cast<std::size_t>(reference_.size()));
    const bool exact = !packet.data_dependent_size;
    const Traffic omega = place_.to_below(rows.at(number - 1), packet.bytes, exact);
    if (!backlog_) return omega;
    const Traffic missed = BacklogTraffic{.packet_bytes = packet.bytes,
                                          .exact = exact,
                                          .vector_bytes = view(reference_).size_bytes(),
                                          .own = BacklogTraffic::Own::told_apart,
                                          .not_told = place_.not_told(rows)}
                               .in(number, rows);
    return {omega.messages + missed.messages, omega.payload_bytes + missed.payload_bytes,
            omega.exact && missed.exact};
  }
  bool catches_up() const { return links_vary_; }
  bool is_sound() const { return !backlog_ || backlog_->is_sound(); }

  void visit_reference(StateVisitor<Scalar>& visitor) {
    if (place_.is_hub())
      visitor.published("reference", reference_);
    else if (links_vary_ && place_.above.front() != hub_id)
      visitor.state("reference", reference_);  // it is the hub's of when its head last told it
    else
      visitor.replica("reference", hub_id, reference_);
  }
  /// What was told and heard, if workers may sit out.
  void visit_backlog(StateVisitor<Scalar>& visitor) {
    if (backlog_) backlog_->visit(visitor);
    if (!place_.is_hub() && links_vary_) visitor.numbers("packets heard", {&heard_, 1});
  }

 private:
  /// xhat = H + Omega;  H <- H + alpha Omega
  CodecStatus take(std::span<const std::byte> omega, Vector<Scalar>& xhat) {
    xhat = reference_;
    const CodecStatus status = compressor_->accumulate(omega, 1, view(xhat));
    const CodecStatus followed = follow(omega);
    return status == CodecStatus::ok ? followed : status;
  }
  CodecStatus follow(std::span<const std::byte> omega) {
    return compressor_->accumulate(omega, memory_step_, view(reference_));
  }

  void tell(Iteration<Scalar>& it, const Vector<Scalar>& w, Vector<Scalar>& xhat, Vector<Scalar>& scratch) {
    if (backlog_) backlog_->tell(it, reference_);
    scratch = w - reference_;
    const PacketRef omega = encoded_packet(it, *compressor_, scratch, Purpose::downlink);
    it.report(take(omega->bytes(), xhat));  // before the post: what is sent is digested as published by then
    it.post(omega);
    note(omega, it.mixing().heard_by);
  }

  /// Takes in how H was moved while this peer sat out. Its group hears the same from it.
  void hear_missed(Iteration<Scalar>& it, const PacketRef& message) {
    it.report(catch_up(message->bytes(), heard_, reference_,
                       [&](std::span<const std::byte> omega, std::uint64_t) { return follow(omega); }));
    if (backlog_) backlog_->tell(it, reference_, 0, place_.group(it));
  }

  void hear(Iteration<Scalar>& it, Slot slot, std::span<const PacketRef> packets, Vector<Scalar>& xhat) {
    place_.pass_on(it, slot, packets);
    it.report(take(packets.front()->bytes(), xhat));
    ++heard_;
    if (backlog_) note(packets.front(), place_.group(it));
  }

  /// The peers below that take part have Omega, the others will be told.
  void note(const PacketRef& omega, std::span<const PeerId> have_it) {
    if (!backlog_) return;
    backlog_->say(omega->bytes());
    backlog_->told_apart(have_it);
  }

  TreePlace place_;
  bool links_vary_;
  Scalar memory_step_;        // alpha
  Vector<Scalar> reference_;  // H
  std::unique_ptr<Compressor<Scalar>> compressor_;
  std::optional<Backlog<Scalar>> backlog_;  // of the hub and of heads, if workers may sit out
  std::uint64_t heard_ = 0;                 // packets, of a worker
};

/// The messages of a DifferenceDownlink in one round: what was missed, if workers may sit out, and Omega.
template <class Scalar>
class DifferenceDownlink<Scalar>::Share final : public StepsOf<typename DifferenceDownlink<Scalar>::Share> {
 public:
  Share(DifferenceDownlink& downlink, Iteration<Scalar>& it, const Vector<Scalar>& w, Vector<Scalar>& xhat,
        Vector<Scalar>& scratch)
      : downlink_(downlink), it_(it), xhat_(xhat), last_(downlink.links_vary_ ? 1 : 0) {
    if (!downlink.place_.is_hub()) return;
    downlink.tell(it, w, xhat, scratch);
    slot_ = last_ + 1;
  }

  bool has_more() const { return !is_gone_ && slot_ <= last_; }
  bool begin_step() { return it_.request_packets(slot_, downlink_.place_.above); }
  void end_step() {
    const std::span<const PacketRef> packets = it_.requested_packets();
    is_gone_ = packets.empty() || !packets.front();
    if (is_gone_) return;
    if (slot_ < last_)
      downlink_.hear_missed(it_, packets.front());
    else
      downlink_.hear(it_, slot_, packets, xhat_);
    ++slot_;
  }
  bool await_resume() const { return !is_gone_; }

 private:
  DifferenceDownlink& downlink_;
  Iteration<Scalar>& it_;
  Vector<Scalar>& xhat_;
  Slot last_;
  Slot slot_ = 0;
  bool is_gone_ = false;
};

}  // namespace hearsay
