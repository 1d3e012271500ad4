#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/compression/seam/full_precision.hpp"
#include "algorithms/methods/parts/backlog.hpp"
#include "algorithms/methods/parts/full_mixing.hpp"
#include "algorithms/methods/parts/tree_place.hpp"
#include "algorithms/seam/method.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// Returns the vectors, one or two, in full precision; in iteration 1 an empty message, since all know them.
template <class Scalar, class... More>
PacketRef model_packet(Iteration<Scalar>& it, const Vector<Scalar>& model, const More&... more) {
  return it.number() == 1 ? it.new_packet().seal() : full_packet(it, model, more...);
}

/// The hub posts its model to the workers of the round, as `model_packet`.
template <class Scalar>
void tell_model(Iteration<Scalar>& it, const Vector<Scalar>& model) {
  it.post(model_packet(it, model));
}

/// A worker takes the hub's model. `packets` is what came from the hub. False if nothing came: the hub is
/// gone.
template <class Scalar>
bool hear_model(Iteration<Scalar>& it, std::span<const PacketRef> packets, Vector<Scalar>& model) {
  if (packets.empty() || !packets.front()) return false;
  const bool known = it.number() == 1 && packets.front()->size() == 0;
  if (!known && !read_full<Scalar>(packets.front()->bytes(), view(model))) it.report(CodecStatus::malformed);
  return true;
}

/// What the hub sends for `tell_model`.
inline Traffic model_traffic(std::uint64_t number, const PeerRows& rows, std::uint64_t model_bytes) {
  return gossip_traffic(rows.at(number - 1), number == 1 ? 0 : model_bytes);
}

/// The packets by which a hub moves a vector that all workers share. It encodes one packet at the end of each
/// iteration, once for all, and posts it at the beginning of the next:
///
///   say    the hub has encoded a packet, and applied the decoded bytes to its own vector
///   tell   the hub posts the last packet to the workers of the round. A worker that sat out gets all that
///          it missed, or the whole vector if that is shorter (Backlog)
///   hear   the worker applies the packets, one by one, as the hub did; the head of a group passes them on,
///          as they came, or as the hub does if workers may sit out: the head hears every packet
///
/// So a worker's vector equals the hub's as of the last packet told, bit for bit. Memory: the bytes of a
/// packet; a Backlog, of the hub and of heads, if workers may sit out.
template <class Scalar>
class Downlink {
 public:
  explicit Downlink(const MethodInput<Scalar>& input) : place_(input), links_vary_(input.links_vary) {
    if (links_vary_ && !place_.is_worker()) backlog_.emplace(place_.below, input.initial.size());
  }

  void say(std::span<const std::byte> packet) {
    if (backlog_)
      backlog_->say(packet);
    else
      said_.assign(packet.begin(), packet.end());
  }

  /// `shared`: the vector after all packets. In iteration 1 the message is empty if nothing was said yet.
  void tell(Iteration<Scalar>& it, const Vector<Scalar>& shared) {
    if (backlog_) {
      backlog_->tell(it, shared);
      return;
    }
    PacketBuffer buffer = it.new_packet();
    const std::span<std::byte> bytes = buffer.resize(said_.size());
    std::ranges::copy(said_, bytes.begin());
    it.post(std::move(buffer).seal());
  }

  /// Calls apply(packet, number) for every packet that this worker has missed; `number` is the iteration in
  /// which the hub said it, and the result is a CodecStatus. `packets` is what came from the hub. False if
  /// nothing came: the hub is gone.
  template <class Apply>
  bool hear(Iteration<Scalar>& it, std::span<const PacketRef> packets, Vector<Scalar>& shared,
            Apply&& apply) {
    if (packets.empty() || !packets.front()) return false;
    const std::span<const std::byte> message = packets.front()->bytes();
    if (links_vary_) {
      it.report(
          catch_up(message, heard_, shared, [&](std::span<const std::byte> packet, std::uint64_t number) {
            if (backlog_) backlog_->say(packet);
            return apply(packet, number);
          }));
      if (!backlog_) return true;
      if (backlog_->said() != heard_) backlog_->pass_over(heard_);
      backlog_->tell(it, shared, 0, place_.group(it));
      return true;
    }
    place_.pass_on(it, 0, packets);
    if (it.number() > 1)
      it.report(apply(message, it.number() - 1));
    else if (!message.empty())
      it.report(CodecStatus::malformed);
    return true;
  }

  /// What the hub, or a head, sends to those below it, for packets like `packet`.
  Traffic traffic(std::uint64_t number, const PeerRows& rows, const Traits& packet,
                  std::uint64_t vector_bytes) const {
    if (place_.is_worker()) return {};
    const bool exact = !packet.data_dependent_size;
    if (links_vary_)
      return BacklogTraffic{.packet_bytes = packet.bytes,
                            .exact = exact,
                            .vector_bytes = vector_bytes,
                            .own = BacklogTraffic::Own::told_next_time,
                            .not_told = place_.not_told(rows)}
          .in(number, rows);
    return place_.to_below(rows.at(number - 1), number > 1 ? packet.bytes : 0, exact);
  }
  bool catches_up() const { return links_vary_; }
  bool is_sound() const { return !backlog_ || backlog_->is_sound(); }

  void visit(StateVisitor<Scalar>& visitor) {
    if (backlog_)
      backlog_->visit(visitor);
    else
      visitor.bytes("said by the hub", said_);
    if (links_vary_) visitor.numbers("packets heard", {&heard_, 1});
  }

 private:
  TreePlace place_;
  bool links_vary_;
  std::optional<Backlog<Scalar>> backlog_;  // of the hub and of heads, if workers may sit out
  std::vector<std::byte> said_;             // of the hub, if not: the last packet
  std::uint64_t heard_ = 0;                 // of a worker, if it may sit out
};

}  // namespace hearsay
