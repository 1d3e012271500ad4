#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace hearsay {

/// The CRC-32 of a file of JSON objects, one a line, while it grows. The last member of each line says it, so
/// that a reader notices a line that was changed, moved or taken out:
///
///     {"iteration":10,"loss":0.5,"crc32":"1a2b3c4d"}
///
/// It is the CRC-32 (zlib's) of the texts of all lines so far, each up to `,"crc32"`.
class LineChecksum {
 public:
  LineChecksum() = default;
  /// Goes on after the lines of a file; `text` is what `text()` returned after them.
  explicit LineChecksum(const std::string& text);
  /// Returns the object's line, without a line end.
  std::string line(std::string_view object);
  /// "1a2b3c4d"
  std::string text() const;

 private:
  std::uint32_t crc_ = 0;
};

}  // namespace hearsay
