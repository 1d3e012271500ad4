#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

/// Returns the CRC-32 of a text that goes on with `more` after a part whose CRC-32 is `crc` (0 of none).
std::uint32_t crc32_after(std::uint32_t crc, std::string_view more);

/// Returns eight hexadecimal digits: "1a2b3c4d".
std::string crc32_text(std::uint32_t crc);

}  // namespace hearsay
