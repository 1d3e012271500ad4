#include "algorithms/compression/seam/packet.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {
constexpr std::size_t alignment_bytes = 64;

class PacketOfVector final : public Packet {
 public:
  explicit PacketOfVector(std::vector<std::byte> bytes) : kept_(std::move(bytes)) { bytes_ = kept_; }
  void retire() override { delete this; }

 private:
  std::vector<std::byte> kept_;
};

class PacketOfOwner final : public Packet {
 public:
  PacketOfOwner(std::span<const std::byte> bytes, std::shared_ptr<const void> owner)
      : owner_(std::move(owner)) {
    bytes_ = bytes;
  }
  void retire() override { delete this; }

 private:
  std::shared_ptr<const void> owner_;
};

}  // namespace

void Packet::copy_lent(std::size_t until) const {
  if (until > copied_) {
    std::memcpy(const_cast<std::byte*>(bytes_.data()) + copied_, lent_ + copied_, until - copied_);
    copied_ = until;
  }
  if (copied_ == bytes_.size()) lent_ = nullptr;
}

PacketRef packet_with(std::vector<std::byte> bytes) {
  return PacketRef(new PacketOfVector(std::move(bytes)));
}

PacketRef packet_at(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  return PacketRef(new PacketOfOwner(bytes, std::move(owner)));
}

/// Holds the packets that wait for reuse. The pool and every packet share it, so the last of them frees it.
struct PacketPool::Shelf {
  std::mutex mutex;
  std::vector<PacketBuffer::Pooled*> free;
  bool pool_alive = true;
};

class PacketBuffer::Pooled final : public Packet {
 public:
  explicit Pooled(std::shared_ptr<PacketPool::Shelf> shelf) : shelf_(std::move(shelf)) {}
  ~Pooled() override { ::operator delete (storage_, std::align_val_t{alignment_bytes}); }

  std::span<std::byte> resize(std::size_t bytes) {
    if (bytes > capacity_) {
      const std::size_t capacity = (bytes + alignment_bytes - 1) / alignment_bytes * alignment_bytes;
      auto* grown = static_cast<std::byte*>(::operator new (capacity, std::align_val_t{alignment_bytes}));
      if (!bytes_.empty()) std::memcpy(grown, storage_, bytes_.size());
      ::operator delete (storage_, std::align_val_t{alignment_bytes});
      storage_ = grown;
      capacity_ = capacity;
    }
    bytes_ = {storage_, bytes};
    return {storage_, bytes};
  }

  std::size_t capacity() const { return capacity_; }
  std::span<std::byte> writable() { return {storage_, bytes_.size()}; }

  void lend(std::span<const std::byte> bytes) {
    resize(bytes.size());
    lent_ = bytes.data();
    copied_ = 0;
  }

  void retire() override {
    lent_ = nullptr;
    // A copy: `delete this` below must not free the shelf while its mutex is held.
    const std::shared_ptr<PacketPool::Shelf> shelf = shelf_;
    bool keep = false;
    {
      const std::lock_guard lock(shelf->mutex);
      keep = shelf->pool_alive;
      if (keep) {
        bytes_ = {};
        shelf->free.push_back(this);
      }
    }
    if (!keep) delete this;
  }

 private:
  std::shared_ptr<PacketPool::Shelf> shelf_;
  std::byte* storage_ = nullptr;
  std::size_t capacity_ = 0;
};

PacketPool::PacketPool() : shelf_(std::make_shared<Shelf>()) {}
PacketPool::PacketPool(PacketPool&&) noexcept = default;
/// The destructor of `other` gives up what was here: packets that wait for reuse share the shelf.
PacketPool& PacketPool::operator=(PacketPool&& other) noexcept {
  shelf_.swap(other.shelf_);
  return *this;
}

PacketPool::~PacketPool() {
  if (!shelf_) return;
  std::vector<PacketBuffer::Pooled*> idle;
  {
    const std::lock_guard lock(shelf_->mutex);
    shelf_->pool_alive = false;
    idle.swap(shelf_->free);
  }
  for (auto* packet : idle) delete packet;
}

PacketBuffer PacketPool::acquire(std::size_t bytes) {
  {
    const std::lock_guard lock(shelf_->mutex);
    std::vector<PacketBuffer::Pooled*>& free = shelf_->free;
    if (!free.empty()) {
      const auto has_room = [bytes](const PacketBuffer::Pooled* packet) {
        return packet->capacity() >= bytes;
      };
      const auto found = std::find_if(free.rbegin(), free.rend(), has_room);  // used last: in the caches
      const auto taken = found != free.rend() ? std::prev(found.base()) : std::prev(free.end());
      PacketBuffer::Pooled* const packet = *taken;
      free.erase(taken);
      return PacketBuffer(packet);
    }
  }
  return PacketBuffer(new PacketBuffer::Pooled(shelf_));
}

PacketBuffer::PacketBuffer(PacketBuffer&& other) noexcept : packet_(std::exchange(other.packet_, nullptr)) {}

PacketBuffer& PacketBuffer::operator=(PacketBuffer&& other) noexcept {
  std::swap(packet_, other.packet_);
  return *this;
}

PacketBuffer::~PacketBuffer() {
  if (packet_) packet_->retire();
}

std::span<std::byte> PacketBuffer::resize(std::size_t bytes) { return packet_->resize(bytes); }
std::span<std::byte> PacketBuffer::bytes() { return packet_->writable(); }

PacketRef PacketBuffer::seal() && {
  ensure(packet_ != nullptr, "a packet is sealed once");
  return PacketRef(std::exchange(packet_, nullptr));
}

PacketRef PacketBuffer::lend(std::span<const std::byte> bytes) && {
  packet_->lend(bytes);
  return std::move(*this).seal();
}

}  // namespace hearsay
