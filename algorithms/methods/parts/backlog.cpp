#include "algorithms/methods/parts/backlog.hpp"

#include <algorithm>
#include <limits>

#include "algorithms/arithmetic/wire_scalar.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

using Length = std::uint32_t;
/// Stands in the place of a length. Packets that are as long, or longer, are told by the vector in full.
constexpr Length dense_follows = std::numeric_limits<Length>::max();
constexpr std::size_t count_bytes = sizeof(std::uint64_t);

/// Returns the size of a packet, or a vector, with its length in front.
constexpr std::size_t with_length(std::size_t bytes) { return sizeof(Length) + bytes; }

}  // namespace

template <class Scalar>
Backlog<Scalar>::Backlog(const std::vector<PeerId>& hearers, Index dimension)
    : limit_bytes_(with_length(static_cast<std::size_t>(dimension) * sizeof(Scalar))),
      hearers_(hearers),
      told_until_(hearers.size(), 0) {}

template <class Scalar>
void Backlog<Scalar>::say(std::span<const std::byte> packet) {
  ++said_;
  const std::size_t length = with_length(packet.size());
  std::uint64_t heard_by_all = begin_ + packets_.size();
  for (const std::uint64_t told : told_until_) heard_by_all = std::min(heard_by_all, told);
  forget_until(heard_by_all);
  // Forget whole packets, the oldest first, until the new one fits.
  std::uint64_t kept_from = begin_;
  const std::uint64_t end = begin_ + packets_.size();
  while (kept_from < end && end - kept_from + length > limit_bytes_)
    kept_from += with_length(read_scalar<Length>(std::span(packets_).subspan(kept_from - begin_), 0));
  forget_until(kept_from);
  if (length > limit_bytes_ || packet.size() >= dense_follows) {
    forget_until(end);
    begin_ += length;
    return;
  }
  const std::size_t before = packets_.size();
  if (before + length > packets_.capacity())
    packets_.reserve(std::min(limit_bytes_, std::max(before + length, 2 * packets_.capacity())));
  packets_.resize(before + length);
  const std::span<std::byte> place = std::span(packets_).subspan(before);
  write_scalar(place, 0, static_cast<Length>(packet.size()));
  std::ranges::copy(packet, place.subspan(sizeof(Length)).begin());
}

template <class Scalar>
void Backlog<Scalar>::begin_anew() {
  pass_over(0);
}

template <class Scalar>
void Backlog<Scalar>::pass_over(std::uint64_t said) {
  said_ = said;
  // No hearer was told up to here, so every hearer gets the vector in full.
  begin_ += packets_.size() + 1;
  packets_.clear();
}

/// Forgets what was said before `position`, in bytes.
template <class Scalar>
void Backlog<Scalar>::forget_until(std::uint64_t position) {
  if (position <= begin_) return;
  packets_.erase(packets_.begin(), packets_.begin() + static_cast<std::ptrdiff_t>(position - begin_));
  begin_ = position;
}

/// Fills `addressed_` with what each of these peers has missed.
template <class Scalar>
void Backlog<Scalar>::address(Iteration<Scalar>& it, const Vector<Scalar>& published,
                              std::span<const PeerId> to) {
  addressed_.clear();
  auto hearer = hearers_.begin();
  for (const PeerId id : to) {
    hearer = std::lower_bound(hearer, hearers_.end(), id);
    ensure(hearer != hearers_.end() && *hearer == id, "a backlog is kept for every peer that ever hears it");
    std::uint64_t& told = told_until_[static_cast<std::size_t>(hearer - hearers_.begin())];
    // All hearers that missed a forgotten packet get the same message.
    const std::uint64_t since = told < begin_ ? 0 : told;
    auto known = std::ranges::find(messages_since_, since, &MessageSince::since);
    if (known == messages_since_.end())
      known = messages_since_.insert(known, {since, message_since(told, it, published)});
    addressed_.push_back(known->message);
    told = begin_ + packets_.size();
  }
  messages_since_.clear();
}

template <class Scalar>
Slot Backlog<Scalar>::tell(Iteration<Scalar>& it, const Vector<Scalar>& published) {
  address(it, published, it.mixing().heard_by);
  const Slot slot = it.post(addressed_);
  addressed_.clear();
  return slot;
}

template <class Scalar>
void Backlog<Scalar>::tell(Iteration<Scalar>& it, const Vector<Scalar>& published, Slot slot,
                           std::span<const PeerId> to) {
  address(it, published, to);
  for (std::size_t k = 0; k < to.size(); ++k) it.send(slot, to[k], addressed_[k]);
  addressed_.clear();
}

template <class Scalar>
void Backlog<Scalar>::told_apart(std::span<const PeerId> heard_by) {
  for (const PeerId id : heard_by) {
    const auto hearer = std::lower_bound(hearers_.begin(), hearers_.end(), id);
    told_until_[static_cast<std::size_t>(hearer - hearers_.begin())] = begin_ + packets_.size();
  }
}

template <class Scalar>
PacketRef Backlog<Scalar>::message_since(std::uint64_t position, Iteration<Scalar>& it,
                                         const Vector<Scalar>& published) {
  PacketBuffer buffer = it.new_packet();
  if (position < begin_) {
    const std::span<std::byte> bytes = buffer.resize(count_bytes + limit_bytes_);
    write_scalar(bytes, 0, said_);
    write_scalar(bytes.subspan(count_bytes), 0, dense_follows);
    std::ranges::copy(std::as_bytes(view(published)), bytes.subspan(count_bytes + sizeof(Length)).begin());
  } else {
    const auto missed = std::span(packets_).subspan(position - begin_);
    const std::span<std::byte> bytes = buffer.resize(count_bytes + missed.size());
    write_scalar(bytes, 0, said_);
    std::ranges::copy(missed, bytes.subspan(count_bytes).begin());
  }
  return std::move(buffer).seal();
}

template <class Scalar>
void Backlog<Scalar>::visit(StateVisitor<Scalar>& visitor) {
  visitor.bytes("backlog", packets_);
  visitor.numbers("backlog begins at", {&begin_, 1});
  visitor.numbers("packets said", {&said_, 1});
  visitor.numbers("backlog told until", told_until_);
}

template <class Scalar>
bool Backlog<Scalar>::is_sound() const {
  constexpr std::uint64_t far = std::uint64_t{1} << 62;  // no sum of two positions overflows
  if (packets_.size() > limit_bytes_ || begin_ > far) return false;
  std::span<const std::byte> rest = packets_;
  const auto position = [&] { return begin_ + (packets_.size() - rest.size()); };
  std::vector<std::uint64_t> beginnings = {position()};
  while (take_packet(rest)) beginnings.push_back(position());
  return rest.empty() && std::ranges::all_of(told_until_, [&](std::uint64_t told) {
           return told < begin_ || std::ranges::binary_search(beginnings, told);
         });
}

std::optional<std::span<const std::byte>> take_packet(std::span<const std::byte>& packets) {
  if (packets.size() < sizeof(Length)) return std::nullopt;
  const std::size_t length = read_scalar<Length>(packets, 0);
  if (length > packets.size() - sizeof(Length)) return std::nullopt;
  const auto packet = packets.subspan(sizeof(Length), length);
  packets = packets.subspan(with_length(length));
  return packet;
}

std::optional<BacklogMessage> BacklogMessage::parse(std::span<const std::byte> bytes, std::uint64_t heard,
                                                    std::size_t vector_bytes) {
  if (bytes.size() < count_bytes) return std::nullopt;
  BacklogMessage message{read_scalar<std::uint64_t>(bytes, 0), std::nullopt, bytes.subspan(count_bytes)};
  if (message.packets.size() >= sizeof(Length) && read_scalar<Length>(message.packets, 0) == dense_follows) {
    message.dense = message.packets.subspan(sizeof(Length));
    return message.dense->size() == vector_bytes ? std::optional(message) : std::nullopt;
  }
  std::uint64_t count = 0;
  std::span<const std::byte> rest = message.packets;
  while (take_packet(rest)) ++count;
  // A message whose count differs from its packets belongs to another history.
  const bool whole = rest.empty() && message.said >= heard && message.said - heard == count;
  return whole ? std::optional(message) : std::nullopt;
}

Traffic BacklogTraffic::in(std::uint64_t number, const PeerRows& rows) const {
  const std::uint64_t most = with_length(vector_bytes);
  std::vector<PeerId> hearers = rows.at(number - 1).heard_by;
  std::erase(hearers, not_told);
  Traffic traffic{hearers.size(), hearers.size() * count_bytes, exact};
  // Go back in time until every hearer was told. A hearer gets what it missed, and at most a dense vector.
  std::uint64_t missed = 0;
  const auto begins_anew_in = [&](std::uint64_t iteration) {
    if (anew_every == 0) return false;
    while (iteration % anew_every != 0 && iteration > 1 && !rows.at(iteration - 2).participates) --iteration;
    return iteration % anew_every == 0;
  };
  const auto say_in = [&](std::uint64_t iteration) {
    if (!rows.at(iteration - 1).participates) return;
    missed = begins_anew_in(iteration) ? most : std::min(most, missed + with_length(packet_bytes));
  };
  const auto tell_in = [&](std::uint64_t iteration) {
    const std::vector<PeerId>& told = rows.at(iteration - 1).heard_by;
    traffic.payload_bytes +=
        missed * std::erase_if(hearers, [&](PeerId id) { return std::ranges::binary_search(told, id); });
  };
  if (own == Own::told_with_others) say_in(number);
  for (std::uint64_t before = number - 1; before > 0 && !hearers.empty() && missed < most; --before) {
    if (own == Own::told_next_time) say_in(before);
    tell_in(before);
    if (own != Own::told_next_time) say_in(before);
  }
  traffic.payload_bytes += missed * hearers.size();
  return traffic;
}

template class Backlog<float>;
template class Backlog<double>;

}  // namespace hearsay
