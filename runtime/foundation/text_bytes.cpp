#include "runtime/foundation/text_bytes.hpp"

#include <array>

namespace hearsay {

namespace {

using namespace std::string_view_literals;

/// What a file is that begins with these bytes.
struct Beginning {
  std::string_view bytes;
  std::string_view is;
};

constexpr std::array beginnings = {
    Beginning{"\x1f\x8b"sv, "gzip data; gunzip it first"},
    Beginning{"\x28\xb5\x2f\xfd"sv, "zstd data; decompress it first"},
    Beginning{"\xfd\x37zXZ\0"sv, "xz data; decompress it first"},
    Beginning{"BZh"sv, "bzip2 data; decompress it first"},
    Beginning{"PK\x03\x04"sv, "a zip archive; unzip it first"},
    Beginning{"\x7f\x45LF"sv, "an ELF program"},
    Beginning{"\x89PNG"sv, "a PNG picture"},
    Beginning{"\xff\xd8\xff"sv, "a JPEG picture"},
    Beginning{"%PDF-"sv, "a PDF document"},
    Beginning{"\x93NUMPY"sv, "a NumPy array"},
    Beginning{"SQLite format 3\0"sv, "an SQLite database"},
    Beginning{"\xff\xfe"sv, "UTF-16; save it as UTF-8"},
    Beginning{"\xfe\xff"sv, "UTF-16; save it as UTF-8"},
};

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// Returns how many bytes at the beginning of `text` are one character of UTF-8 that may be shown; 0 if they
/// are none.
std::size_t shown_bytes(std::string_view text) {
  const auto byte = [text](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t at = 1; at < length; ++at)
    if ((byte(at) & 0xc0) != 0x80) return 0;
  // Overlong forms, surrogates, beyond the last code point; and the control characters U+0080 to U+009F.
  const bool wrong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xed && byte(1) >= 0xa0) ||
                     (first == 0xf0 && byte(1) < 0x90) || (first == 0xf4 && byte(1) >= 0x90) ||
                     (first == 0xc2 && byte(1) < 0xa0);
  return wrong ? 0 : length;
}

}  // namespace

std::optional<std::string> defect_of_text(std::string_view bytes) {
  for (const Beginning& beginning : beginnings)
    if (bytes.starts_with(beginning.bytes)) return "it is " + std::string(beginning.is);
  const std::size_t nul = bytes.find('\0');
  if (nul != std::string_view::npos) return "byte " + std::to_string(nul) + " is NUL";
  return std::nullopt;
}

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return text;
}

std::string printable(std::string_view text) {
  constexpr std::string_view hex = "0123456789abcdef";
  std::string shown;
  while (!text.empty()) {
    const std::size_t bytes = shown_bytes(text);
    if (bytes == 0) {
      const auto byte = static_cast<unsigned char>(text.front());
      shown += "\\x";
      shown += hex[byte >> 4];
      shown += hex[byte & 15];
    }
    shown += text.substr(0, bytes);
    text.remove_prefix(bytes == 0 ? 1 : bytes);
  }
  return shown;
}

}  // namespace hearsay
