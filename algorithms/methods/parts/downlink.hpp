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

/// A worker takes the hub's model, or two vectors. `packets` is what came from the hub. False if nothing
/// came: the hub is gone.
template <class Scalar>
bool hear_model(Iteration<Scalar>& it, std::span<const PacketRef> packets, Vector<Scalar>& model,
                Vector<Scalar>* second = nullptr) {
  if (packets.empty() || !packets.front()) return false;
  const std::span<const std::byte> bytes = packets.front()->bytes();
  if (it.number() == 1 && bytes.empty()) return true;
  const std::size_t of_first = second ? bytes.size() / 2 : bytes.size();
  if (!read_full<Scalar>(bytes.first(of_first), view(model)) ||
      (second && !read_full<Scalar>(bytes.subspan(of_first), view(*second))))
    it.report(CodecStatus::malformed);
  return true;
}

/// co_await share_model(it, place, x): the hub posts its model, or two vectors, as `model_packet`. The others
/// take it, and heads pass it on. False if the hub is gone.
template <class Scalar>
auto share_model(Iteration<Scalar>& it, TreePlace& place, Vector<Scalar>& model,
                 Vector<Scalar>* second = nullptr) {
  return place.share(
      it, [&, second] { it.post(second ? model_packet(it, model, *second) : model_packet(it, model)); },
      [&, second](std::span<const PacketRef> packets) {
        place.pass_on(it, 0, packets);
        return hear_model(it, packets, model, second);
      });
}

/// What the hub sends for `tell_model`.
inline Traffic model_traffic(std::uint64_t number, const PeerRows& rows, std::uint64_t model_bytes) {
  return gossip_traffic(rows.at(number - 1), number == 1 ? 0 : model_bytes);
}

/// What a hub tells of the vector that it shares with its workers.
enum class HubShares {
  packets,  ///< the packets by which it moves
  vector,   ///< the vector itself
};

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
/// packet; a Backlog, of the hub and of heads, if workers may sit out. A hub that shares the vector itself
/// (HubShares::vector) says no packets, and tells the vector in full precision.
template <class Scalar>
class Downlink {
 public:
  explicit Downlink(const MethodInput<Scalar>& input, HubShares shares = HubShares::packets)
      : place_(input),
        shares_(shares),
        packets_are_missed_(input.links_vary && shares == HubShares::packets) {
    if (packets_are_missed_ && !place_.is_worker()) backlog_.emplace(place_.below, input.initial.size());
  }

  void say(std::span<const std::byte> packet) {
    if (backlog_)
      backlog_->say(packet);
    else
      said_.assign(packet.begin(), packet.end());
  }

  /// co_await downlink.share(it, shared, apply): the hub tells, the others hear. `shared` is the vector after
  /// all packets; apply(packet, number) applies a packet that the hub has said in iteration `number`, and
  /// returns a CodecStatus. False if the hub is gone.
  template <class Apply>
  auto share(Iteration<Scalar>& it, Vector<Scalar>& shared, Apply apply) {
    return place_.share(
        it, [&] { tell(it, shared); },
        [&, apply](std::span<const PacketRef> packets) { return hear(it, packets, shared, apply); });
  }

  /// What the hub, or a head, sends to those below it, for packets like `packet`.
  Traffic traffic(std::uint64_t number, const PeerRows& rows, const Traits& packet,
                  std::uint64_t vector_bytes) const {
    if (place_.is_worker()) return {};
    if (shares_ == HubShares::vector)
      return place_.to_below(rows.at(number - 1), number > 1 ? vector_bytes : 0);
    const bool exact = !packet.data_dependent_size;
    if (packets_are_missed_)
      return BacklogTraffic{.packet_bytes = packet.bytes,
                            .exact = exact,
                            .vector_bytes = vector_bytes,
                            .own = BacklogTraffic::Own::told_next_time,
                            .not_told = place_.not_told(rows)}
          .in(number, rows);
    return place_.to_below(rows.at(number - 1), number > 1 ? packet.bytes : 0, exact);
  }
  bool catches_up() const { return packets_are_missed_; }
  bool is_sound() const { return !backlog_ || backlog_->is_sound(); }

  void visit(StateVisitor<Scalar>& visitor) {
    if (shares_ == HubShares::vector) return;
    if (backlog_)
      backlog_->visit(visitor);
    else
      visitor.bytes("said by the hub", said_);
    if (packets_are_missed_) visitor.numbers("packets heard", {&heard_, 1});
  }

 private:
  /// In iteration 1 the message is empty if nothing was said yet.
  void tell(Iteration<Scalar>& it, const Vector<Scalar>& shared) {
    if (shares_ == HubShares::vector) return tell_model(it, shared);
    if (backlog_) {
      backlog_->tell(it, shared);
      return;
    }
    PacketBuffer buffer = it.new_packet();
    const std::span<std::byte> bytes = buffer.resize(said_.size());
    std::ranges::copy(said_, bytes.begin());
    it.post(std::move(buffer).seal());
  }

  template <class Apply>
  bool hear(Iteration<Scalar>& it, std::span<const PacketRef> packets, Vector<Scalar>& shared,
            const Apply& apply) {
    if (shares_ == HubShares::vector) {
      place_.pass_on(it, 0, packets);
      return hear_model(it, packets, shared);
    }
    if (packets.empty() || !packets.front()) return false;
    const std::span<const std::byte> message = packets.front()->bytes();
    if (packets_are_missed_) {
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

  TreePlace place_;
  HubShares shares_;
  bool packets_are_missed_;                 // by workers that sit out
  std::optional<Backlog<Scalar>> backlog_;  // of the hub and of heads, if packets are missed
  std::vector<std::byte> said_;             // of the hub, if not: the last packet
  std::uint64_t heard_ = 0;                 // of a worker, if it may sit out
};

}  // namespace hearsay
