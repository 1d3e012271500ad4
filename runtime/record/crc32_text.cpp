#include "runtime/record/crc32_text.hpp"

#include <zlib.h>

#include <array>
#include <cstdio>

namespace hearsay {

std::uint32_t crc32_after(std::uint32_t crc, std::string_view more) {
  return static_cast<std::uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(more.data()), static_cast<z_size_t>(more.size())));
}

std::string crc32_text(std::uint32_t crc) {
  std::array<char, 9> text{};
  std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(crc));
  return text.data();
}

}  // namespace hearsay
