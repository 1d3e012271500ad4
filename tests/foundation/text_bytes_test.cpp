#include "runtime/foundation/text_bytes.hpp"

#include <doctest/doctest.h>

namespace hearsay::text_bytes_test {

TEST_CASE("text: letters of all languages may be shown, control characters and broken UTF-8 are spelled") {
  for (const std::string plain : {"a b~", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80", "\xc2\xa0"})
    CHECK(printable(plain) == plain);
  CHECK(printable("\x1b[2J\t\x7f") == "\\x1b[2J\\x09\\x7f");
  CHECK(printable("\xc2\x9b") == "\\xc2\\x9b");                    // U+009B begins a command, too
  CHECK(printable("\xc3") == "\\xc3");                             // cut off
  CHECK(printable("\xc0\x9b") == "\\xc0\\x9b");                    // overlong
  CHECK(printable("\xe0\x80\x9b") == "\\xe0\\x80\\x9b");           // overlong
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // a surrogate
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last code point
  CHECK(printable(std::string_view("\0", 1)) == "\\x00");
}

TEST_CASE("text: what is no text is called what it is") {
  CHECK(defect_of_text("run.seed = 1") == std::nullopt);
  CHECK(defect_of_text("") == std::nullopt);
  CHECK(defect_of_text("caf\xe9") == std::nullopt);
  CHECK(defect_of_text("PK\x03\x04") == "it is a zip archive; unzip it first");
  CHECK(defect_of_text("\x93NUMPY") == "it is a NumPy array");
  CHECK(defect_of_text(std::string_view("ab\0c\0", 5)) == "byte 2 is NUL");
  CHECK(without_byte_order_mark("\xef\xbb\xbf"
                                "a") == "a");
  CHECK(without_byte_order_mark("a\xef\xbb\xbf") == "a\xef\xbb\xbf");
}

}  // namespace hearsay::text_bytes_test
