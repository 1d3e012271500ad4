#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/foundation/read_in_place.hpp"
#include "runtime/foundation/shared_bytes.hpp"

namespace hearsay {

/// Memory that a process shares with those that it forks: two slots for each of its owners. The process of an
/// owner puts bytes into one of its slots, and says so to another process, which reads them there. What the
/// process of an owner has put there stays when it dies.
///
/// Each content has a mark, which grows. A content stays as it is until its owner knows that nobody needs
/// it: a process that takes the place of one that died does not know what of it is being read.
class SharedSlots final : public ReadInPlace {
 public:
  static constexpr std::size_t slots_of_owner = 2;

  /// Call it before the processes are forked. Null if the machine does not give that much address space. The
  /// slots take no memory until something is put in.
  static std::unique_ptr<SharedSlots> make(std::size_t owners, std::size_t longest_bytes);
  ~SharedSlots() override;

  // In the process of an owner.

  /// Puts the parts, one after the other, into a slot of `owner` whose content nobody needs: its mark is at
  /// most `read_up_to`. Returns what is there; as long as there is a copy of it, the
  /// slot is not used again. Returns nothing if both slots are needed, or the parts are too long. This object
  /// must outlive the copies.
  std::optional<SharedBytes> put(std::size_t owner, std::uint64_t mark, std::uint64_t read_up_to,
                                 std::initializer_list<std::span<const std::byte>> parts);
  /// Gives the memory of what this process has put there back to the machine, if there is no copy any more.
  void give_back(std::size_t owner);
  /// Returns the slot of `owner` that the bytes begin; nothing if they stand elsewhere.
  std::optional<std::uint32_t> slot_of(std::size_t owner, std::span<const std::byte> bytes) const;

  // In any process.

  /// Returns the first `length` bytes of a slot; nothing if its content has another mark, or there is no such
  /// slot, or it is shorter.
  std::optional<std::span<const std::byte>> content(std::size_t owner, std::uint32_t slot, std::uint64_t mark,
                                                    std::uint64_t length) const;
  bool holds(std::span<const std::byte> bytes) const override;
  void let_go(std::span<const std::byte> bytes) const override;
  /// Forgets all contents. No other process may use them any more.
  void clear();

 private:
  /// What the process of an owner knows of its slot.
  struct Own {
    std::atomic<bool> is_kept{false};
    bool has_pages = false;
  };

  SharedSlots(std::size_t owners, std::size_t slot_bytes, std::span<std::byte> all);
  std::size_t place_of(std::size_t owner, std::size_t slot) const { return owner * slots_of_owner + slot; }
  std::span<std::byte> slot(std::size_t place) const {
    return slots_.subspan(place * slot_bytes_, slot_bytes_);
  }
  std::atomic<std::uint64_t>& mark_of(std::size_t place) const;
  /// Returns a slot whose content nobody needs.
  std::optional<std::size_t> free_place(std::size_t owner, std::uint64_t read_up_to) const;

  std::size_t owners_;
  std::size_t slot_bytes_;
  std::span<std::byte> all_;  // the marks, and the slots behind them
  std::span<std::byte> slots_;
  std::vector<Own> own_;  // by place
};

}  // namespace hearsay
