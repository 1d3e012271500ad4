#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace hearsay {

/// The payload of one message: bytes that are encoded once, then shared, unchanged, by every send and every
/// reader. References may be taken and dropped in any thread; dropping the last one calls `retire`.
///
/// The bytes of a lent packet (PacketBuffer::lend) stand elsewhere at first, and are copied as they are asked
/// for, in the thread that has lent it. So a long message begins to travel before its last byte is copied.
class Packet {
 public:
  Packet(const Packet&) = delete;
  Packet& operator=(const Packet&) = delete;

  std::span<const std::byte> bytes() const { return bytes(0, size()); }
  /// `count` bytes from the `from`th on.
  std::span<const std::byte> bytes(std::size_t from, std::size_t count) const {
    if (lent_) copy_lent(from + count);
    return bytes_.subspan(from, count);
  }
  std::size_t size() const { return bytes_.size(); }
  /// True if bytes of a lent packet are still to be copied. Ask in the thread that has lent it.
  bool is_lent() const { return lent_ != nullptr; }

 protected:
  Packet() = default;
  virtual ~Packet() = default;
  /// Called without any reference left: recycles or deletes the packet.
  virtual void retire() = 0;

  std::span<const std::byte> bytes_;
  mutable const std::byte* lent_ = nullptr;  // where the bytes stand; null: none is still to be copied
  mutable std::size_t copied_ = 0;           // how many of them are copied

 private:
  friend class PacketRef;
  void copy_lent(std::size_t until) const;

  std::atomic<std::uint32_t> references_{0};
};

/// A shared reference to a packet; empty if no packet came, as from an absent neighbor.
class PacketRef {
 public:
  PacketRef() = default;
  explicit PacketRef(Packet* packet) : packet_(packet) { acquire(); }
  PacketRef(const PacketRef& other) : packet_(other.packet_) { acquire(); }
  PacketRef(PacketRef&& other) noexcept : packet_(std::exchange(other.packet_, nullptr)) {}
  // Two operators, not one that takes its argument by value: clang 14 never destroys that argument in
  // `reference = {}`.
  PacketRef& operator=(const PacketRef& other) { return *this = PacketRef(other); }
  PacketRef& operator=(PacketRef&& other) noexcept {
    PacketRef taken(std::move(other));
    std::swap(packet_, taken.packet_);
    return *this;
  }
  ~PacketRef() { release(); }

  explicit operator bool() const { return packet_ != nullptr; }
  const Packet& operator*() const { return *packet_; }
  const Packet* operator->() const { return packet_; }
  bool operator==(const PacketRef&) const = default;

  /// Gives this reference up to code that can only hold a pointer (a C library's free function). `adopt`
  /// makes it a reference again.
  Packet* detach() { return std::exchange(packet_, nullptr); }
  static PacketRef adopt(Packet* packet) {
    PacketRef reference;
    reference.packet_ = packet;
    return reference;
  }

 private:
  void acquire() {
    if (packet_) packet_->references_.fetch_add(1, std::memory_order_relaxed);
  }
  void release() {
    if (packet_ && packet_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) packet_->retire();
  }
  Packet* packet_ = nullptr;
};

/// A packet as it travels in one frame: whole, or a part of it.
struct PacketPart {
  PacketPart() = default;
  PacketPart(PacketRef whole) : packet(std::move(whole)), size(packet ? packet->size() : 0) {}
  PacketPart(PacketRef of, std::size_t begin, std::size_t count)
      : packet(std::move(of)), from(begin), size(count) {}

  explicit operator bool() const { return bool(packet); }
  /// The packet keeps them.
  std::span<const std::byte> bytes() const {
    return packet ? packet->bytes(from, size) : std::span<const std::byte>();
  }

  PacketRef packet;
  std::size_t from = 0;
  std::size_t size = 0;
};

/// Returns a packet with the bytes of a vector, which it keeps.
PacketRef packet_with(std::vector<std::byte> bytes);
/// Returns a packet of bytes that stand elsewhere, unchanged for as long as the packet has `owner`.
PacketRef packet_at(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

class PacketPool;

/// A packet that is still being written; its bytes start at a 64-byte boundary. `seal` makes it immutable and
/// shareable.
class PacketBuffer {
 public:
  PacketBuffer(PacketBuffer&&) noexcept;
  PacketBuffer& operator=(PacketBuffer&&) noexcept;
  ~PacketBuffer();

  /// Sets the size; new bytes are uninitialized, earlier ones stay. Allocates only if the message is larger
  /// than all before it in this storage.
  std::span<std::byte> resize(std::size_t bytes);
  std::span<std::byte> bytes();
  PacketRef seal() &&;
  /// Seals the packet with these bytes, in the place of those that it has. They are copied as they are asked
  /// for: until somebody has asked for all, they stay where they are, unchanged.
  PacketRef lend(std::span<const std::byte> bytes) &&;

 private:
  friend class PacketPool;
  class Pooled;
  explicit PacketBuffer(Pooled* packet) : packet_(packet) {}
  Pooled* packet_;
};

/// Recycles packet storage, so that a run allocates none after its first messages. Packets may come back from
/// any thread, and may outlive the pool.
class PacketPool {
 public:
  PacketPool();
  ~PacketPool();
  PacketPool(PacketPool&&) noexcept;
  PacketPool& operator=(PacketPool&&) noexcept;

  PacketBuffer acquire() { return acquire(0); }
  /// The same for a packet of this many bytes: storage that has room for them already, if there is any.
  PacketBuffer acquire(std::size_t bytes);

 private:
  friend class PacketBuffer;
  struct Shelf;
  std::shared_ptr<Shelf> shelf_;
};

}  // namespace hearsay
