#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/foundation/byte_stream.hpp"

namespace hearsay {

/// Bytes in parts, to be written one after the other: short ones are copied, long ones stay where they are.
class ByteParts {
 public:
  template <std::unsigned_integral Number>
  void number(Number value) {
    copied_part(sizeof value).number(value);
  }
  /// Appends a copy.
  void bytes(std::span<const std::byte> more) { copied_part(more.size()).bytes(more); }
  /// Appends bytes that stay where they are, and must outlive this.
  void refer(std::span<const std::byte> more) {
    if (more.empty()) return;
    parts_.push_back({more, 0, 0});
    size_ += more.size();
  }
  /// The same, and keeps their owner.
  template <class Owner>
  void refer(std::span<const std::byte> more, Owner owner) {
    owners_.push_back(std::make_shared<const Owner>(std::move(owner)));
    refer(more);
  }
  /// Appends the parts of `more`, which stay there.
  void refer(const ByteParts& more) {
    more.each([this](std::span<const std::byte> part) { refer(part); });
  }

  std::size_t size() const { return size_; }
  /// Calls action(part) for each part, in order.
  template <class Action>
  void each(const Action& action) const {
    const std::span<const std::byte> copied = copied_.written();
    for (const Part& part : parts_)
      action(part.elsewhere.data() != nullptr ? part.elsewhere
                                              : copied.subspan(part.copied_from, part.copied_bytes));
  }
  /// Returns all bytes in one piece.
  std::vector<std::byte> joined() const {
    std::vector<std::byte> all;
    all.reserve(size_);
    each([&](std::span<const std::byte> part) { all.insert(all.end(), part.begin(), part.end()); });
    return all;
  }

 private:
  struct Part {
    std::span<const std::byte> elsewhere;  // empty: in `copied_`
    std::size_t copied_from;
    std::size_t copied_bytes;
  };

  /// Makes room for `more` bytes that are copied, and returns where they are to be written.
  ByteWriter& copied_part(std::size_t more) {
    if (parts_.empty() || parts_.back().elsewhere.data() != nullptr)
      parts_.push_back({{}, copied_.written().size(), 0});
    parts_.back().copied_bytes += more;
    size_ += more;
    return copied_;
  }

  std::vector<Part> parts_;
  ByteWriter copied_;
  std::vector<std::shared_ptr<const void>> owners_;
  std::size_t size_ = 0;
};

}  // namespace hearsay
