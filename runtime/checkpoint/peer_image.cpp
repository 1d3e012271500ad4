#include "runtime/checkpoint/peer_image.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

#include "runtime/foundation/byte_length.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/peer/staleness.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

enum class Kind : std::uint8_t {
  state = 1,
  published = 2,
  replica = 3,
  late_state = 4,
  numbers = 5,
  bytes = 6
};

template <class Scalar>
struct StateWriter final : StateVisitor<Scalar> {
  explicit StateWriter(ByteParts& out) : image(out) {}
  ByteParts& image;

  void begin_item(Kind kind, std::string_view name, PeerId owner, std::size_t length) {
    image.number(static_cast<std::uint8_t>(kind));
    image.number(static_cast<std::uint16_t>(name.size()));
    image.bytes(std::as_bytes(std::span(name)));
    image.number(owner);
    image.number(std::uint64_t{length});
  }
  void item(Kind kind, std::string_view name, PeerId owner, std::span<const std::byte> content) {
    begin_item(kind, name, owner, content.size());
    image.refer(content);
  }
  void vector(Kind kind, std::string_view name, PeerId owner, const Vector<Scalar>& vector) {
    item(kind, name, owner, std::as_bytes(view(vector)));
  }
  void state(std::string_view name, Vector<Scalar>& v) override { vector(Kind::state, name, 0, v); }
  void published(std::string_view name, Vector<Scalar>& v) override { vector(Kind::published, name, 0, v); }
  void replica(std::string_view name, PeerId owner, Vector<Scalar>& v) override {
    vector(Kind::replica, name, owner, v);
  }
  void late_state(std::string_view name, Vector<Scalar>& v) override { vector(Kind::late_state, name, 0, v); }
  void numbers(std::string_view name, std::span<std::uint64_t> numbers) override {
    begin_item(Kind::numbers, name, 0, numbers.size_bytes());
    for (const std::uint64_t number : numbers) image.number(number);
  }
  void bytes(std::string_view name, std::vector<std::byte>& bytes) override {
    item(Kind::bytes, name, 0, bytes);
  }
  void scratch(std::string_view, Vector<Scalar>&) override {}
};

/// After an item that is not the one that the method names next, vectors are left unchanged.
template <class Scalar>
struct StateReader final : StateVisitor<Scalar> {
  explicit StateReader(ByteReader& in) : image(in) {}
  ByteReader& image;

  std::span<const std::byte> item(Kind kind, std::string_view name, PeerId owner) {
    const bool same_kind = image.number<std::uint8_t>() == static_cast<std::uint8_t>(kind);
    const auto written = image.bytes(image.number<std::uint16_t>());
    const bool same_name = std::ranges::equal(written, std::as_bytes(std::span(name)));
    const bool same_owner = image.number<std::uint32_t>() == owner;
    const auto content = image.bytes(image.number<std::uint64_t>());
    if (same_kind && same_name && same_owner) return content;
    image.fail();
    return {};
  }
  /// Reads a vector; its size must be that of `vector`.
  void vector(Kind kind, std::string_view name, PeerId owner, Vector<Scalar>& vector) {
    const auto content = item(kind, name, owner);
    if (content.size() != view(vector).size_bytes()) image.fail();
    if (!image.failed()) std::ranges::copy(content, std::as_writable_bytes(view(vector)).begin());
  }
  void state(std::string_view name, Vector<Scalar>& v) override { vector(Kind::state, name, 0, v); }
  void published(std::string_view name, Vector<Scalar>& v) override { vector(Kind::published, name, 0, v); }
  void replica(std::string_view name, PeerId owner, Vector<Scalar>& v) override {
    vector(Kind::replica, name, owner, v);
  }
  void late_state(std::string_view name, Vector<Scalar>& v) override {
    const auto content = item(Kind::late_state, name, 0);
    if (content.size() % sizeof(Scalar) != 0) image.fail();
    if (image.failed()) return;
    v.resize(static_cast<Index>(content.size() / sizeof(Scalar)));
    std::ranges::copy(content, std::as_writable_bytes(view(v)).begin());
  }
  void numbers(std::string_view name, std::span<std::uint64_t> numbers) override {
    ByteReader content(item(Kind::numbers, name, 0));
    if (content.left() != numbers.size_bytes()) image.fail();
    if (image.failed()) return;
    for (std::uint64_t& number : numbers) number = content.number<std::uint64_t>();
  }
  void bytes(std::string_view name, std::vector<std::byte>& bytes) override {
    const auto content = item(Kind::bytes, name, 0);
    if (!image.failed()) bytes.assign(content.begin(), content.end());
  }
  void scratch(std::string_view, Vector<Scalar>&) override {}
};

void write_optional(ByteParts& image, const std::optional<std::uint64_t>& number) {
  image.number(static_cast<std::uint8_t>(number ? 1 : 0));
  image.number(number.value_or(0));
}

std::optional<std::uint64_t> read_optional(ByteReader& image) {
  const auto there = image.number<std::uint8_t>();
  const auto number = image.number<std::uint64_t>();
  if (there > 1 || (there == 0 && number != 0)) image.fail();
  return there == 1 ? std::optional(number) : std::nullopt;
}

}  // namespace

template <class Scalar>
ByteParts image_parts(Peer<Scalar>& peer) {
  ensure(peer.state_ == PeerState::checkpoint_due, "a peer is saved when a checkpoint is due");
  ByteParts image;
  image.number(peer.completed_);
  write_optional(image, peer.verdicts_.last);
  write_optional(image, peer.verdicts_.stop_after);
  image.number(peer.verdicts_.checkpoint_every);
  if (const auto evaluations = peer.verdicts_.evaluations.progress())
    for (const std::uint64_t iteration : *evaluations) image.number(iteration);
  for (const PeerCounterRow& row : peer_counter_rows) image.number(peer.counters_.*row.member);
  image.number(static_cast<std::uint32_t>(peer.method_.guard().last_sent_digests().size()));
  for (const auto& [hearer, digest] : peer.method_.guard().last_sent_digests()) {
    image.number(hearer);
    image.number(digest);
  }
  const std::vector<Inbox::Message> waiting =
      peer.method_.inbox().waiting_beyond(first_needed_in(peer.completed_ + 1, peer.input_.staleness) - 1);
  image.number(static_cast<std::uint32_t>(waiting.size()));
  for (const Inbox::Message& message : waiting) {
    image.number(message.key.iteration);
    image.number(message.key.slot);
    image.number(message.key.sender);
    write_length(image, message.packet->size());
    image.refer(message.packet->bytes(), message.packet);
  }
  StateWriter<Scalar> state(image);
  peer.input_.algorithm->visit_state(state);
  return image;
}

template <class Scalar>
bool restore(Peer<Scalar>& peer, std::span<const std::byte> bytes, InboxOnRestore inbox) {
  ensure(peer.state_ == PeerState::idle && peer.completed_ == 0 && !peer.verdicts_.last,
         "a peer is restored before anything happens to it");
  if (peer.role_.asynchronous()) return false;
  ByteReader image(bytes);
  peer.completed_ = image.number<std::uint64_t>();
  peer.verdicts_.last = read_optional(image);
  peer.verdicts_.stop_after = read_optional(image);
  peer.verdicts_.checkpoint_every = image.number<std::uint64_t>();
  if (auto evaluations = peer.verdicts_.evaluations.progress()) {
    for (std::uint64_t& iteration : *evaluations) iteration = image.number<std::uint64_t>();
    if (image.failed() || !peer.verdicts_.evaluations.restore(*evaluations)) return false;
  }
  for (const PeerCounterRow& row : peer_counter_rows)
    peer.counters_.*row.member = image.number<std::uint64_t>();
  if (image.number<std::uint32_t>() != peer.method_.guard().last_sent_digests().size()) return false;
  for (auto& [hearer, digest] : peer.method_.guard().last_sent_digests()) {
    if (image.number<std::uint32_t>() != hearer) return false;
    digest = image.number<std::uint64_t>();
  }
  const auto message_count = image.number<std::uint32_t>();
  for (std::uint32_t k = 0; k < message_count && !image.failed(); ++k) {
    MessageKey key{};
    key.iteration = image.number<std::uint64_t>();
    key.slot = image.number<std::uint32_t>();
    key.sender = image.number<std::uint32_t>();
    const auto content = image.bytes(read_length(image));
    if (image.failed() || key.iteration < first_needed_in(peer.completed_ + 1, peer.input_.staleness) ||
        key.sender >= peer.input_.schedule->peer_count())
      return false;
    if (inbox == InboxOnRestore::drop) continue;
    PacketBuffer packet = peer.input_.packets->acquire();
    std::ranges::copy(content, packet.resize(content.size()).begin());
    if (peer.method_.inbox().file(key, std::move(packet).seal()) != Inbox::Filing::filed) return false;
  }
  peer.says_again_ = inbox == InboxOnRestore::drop;
  StateReader<Scalar> state(image);
  peer.input_.algorithm->visit_state(state);
  return image.read_whole() && peer.completed_ > 0 &&
         peer.input_.algorithm->is_sound(peer.input_.objective->sample_count());
}

template ByteParts image_parts<float>(Peer<float>&);
template ByteParts image_parts<double>(Peer<double>&);
template bool restore<float>(Peer<float>&, std::span<const std::byte>, InboxOnRestore);
template bool restore<double>(Peer<double>&, std::span<const std::byte>, InboxOnRestore);

}  // namespace hearsay
