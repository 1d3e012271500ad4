#pragma once

#include <cstddef>
#include <cstdint>

namespace hearsay {

/// Lets the processor fetch `bytes` bytes from `object` on, and `before` bytes before it, into its caches.
/// Changes nothing and reads nothing, so any address may be given.
inline void fetch_ahead(const void* object, std::size_t bytes, std::size_t before = 0) {
  constexpr std::size_t line = 64;
  const auto at = reinterpret_cast<std::uintptr_t>(object);
  for (std::uintptr_t address = at - before; address < at + bytes; address += line)
    __builtin_prefetch(reinterpret_cast<const void*>(address));
  asm volatile("");  // g++ 12 drops calls of a function that does nothing but fetch
}

}  // namespace hearsay
