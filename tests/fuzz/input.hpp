#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/foundation/misuse.hpp"

/// Runs one input of any bytes; an input must never crash it. Every target of this folder defines this
/// function. libFuzzer calls it with generated inputs, `replay.cpp` with those kept in `corpus/`.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace hearsay::fuzz {

/// The bytes of one input, taken from the front; zeros after its end.
class Input {
 public:
  Input(const std::uint8_t* data, std::size_t size) : bytes_(std::as_bytes(std::span(data, size))) {}

  bool empty() const { return bytes_.empty(); }

  template <class Number>
  Number take() {
    Number number = 0;
    const std::size_t size = std::min(sizeof number, bytes_.size());
    if (size != 0) std::memcpy(&number, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
    return number;
  }

  /// Returns at most `size` bytes in storage of their own, so that the address sanitizer sees a read past
  /// their end.
  std::vector<std::byte> take_bytes(std::size_t size) {
    const auto taken = bytes_.first(std::min(size, bytes_.size()));
    bytes_ = bytes_.subspan(taken.size());
    return {taken.begin(), taken.end()};
  }

  std::vector<std::byte> rest() { return take_bytes(bytes_.size()); }

  std::string text() {
    const auto taken = rest();
    return {reinterpret_cast<const char*>(taken.data()), taken.size()};
  }

 private:
  std::span<const std::byte> bytes_;
};

/// Calls `action`, which may refuse its input with a Misuse. Any other exception ends the program and is a
/// finding.
template <class Action>
void may_refuse(const Action& action) {
  try {
    action();
  } catch (const Misuse&) {
    return;
  }
}

}  // namespace hearsay::fuzz
