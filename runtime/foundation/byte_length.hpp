#pragma once

#include <cstdint>

#include "runtime/foundation/byte_stream.hpp"

namespace hearsay {

/// What stands in the place of a length of 32 bits if the length is as large, or larger: 64 bits follow.
inline constexpr std::uint32_t long_length = 0xffff'ffff;

/// Appends a length: 32 bits, or `long_length` and 64 bits.
template <class Writer>
void write_length(Writer& out, std::uint64_t length) {
  if (length < long_length) return out.number(static_cast<std::uint32_t>(length));
  out.number(long_length);
  out.number(length);
}

inline std::uint64_t read_length(ByteReader& in) {
  const auto length = in.number<std::uint32_t>();
  if (length < long_length) return length;
  const auto longer = in.number<std::uint64_t>();
  if (longer < long_length) in.fail();  // it would have another form
  return in.failed() ? 0 : longer;
}

}  // namespace hearsay
