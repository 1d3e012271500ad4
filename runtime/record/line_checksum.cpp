#include "runtime/record/line_checksum.hpp"

#include "runtime/record/crc32_text.hpp"

namespace hearsay {

LineChecksum::LineChecksum(const std::string& text)
    : crc_(static_cast<std::uint32_t>(std::stoul(text, nullptr, 16))) {}

std::string LineChecksum::line(std::string_view object) {
  object.remove_suffix(1);
  crc_ = crc32_after(crc_, object);
  return std::string(object) + ",\"crc32\":\"" + text() + "\"}";
}

std::string LineChecksum::text() const { return crc32_text(crc_); }

}  // namespace hearsay
