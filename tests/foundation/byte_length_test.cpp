#include "runtime/foundation/byte_length.hpp"

#include <doctest/doctest.h>

#include <initializer_list>

namespace hearsay::byte_length_test {

namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> numbers) {
  std::vector<std::byte> bytes;
  for (const int number : numbers) bytes.push_back(static_cast<std::byte>(number));
  return bytes;
}

std::vector<std::byte> written(std::uint64_t length) {
  ByteWriter out;
  write_length(out, length);
  return std::move(out).take();
}

}  // namespace

TEST_CASE("byte length: a length takes 32 bits below 4 GiB, and 96 from there on") {
  CHECK(written(0x01020304) == bytes_of({4, 3, 2, 1}));
  CHECK(written(0xfffffffe) == bytes_of({0xfe, 0xff, 0xff, 0xff}));
  CHECK(written(0xffffffff) == bytes_of({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}));
  CHECK(written(0x0102030405) == bytes_of({0xff, 0xff, 0xff, 0xff, 5, 4, 3, 2, 1, 0, 0, 0}));
}

TEST_CASE("byte length: a length is read as it was written, and no other form of it") {
  for (const std::uint64_t length : {std::uint64_t{0}, std::uint64_t{7}, std::uint64_t{0xfffffffe},
                                     std::uint64_t{0xffffffff}, std::uint64_t{0x0102030405}}) {
    const std::vector<std::byte> bytes = written(length);
    ByteReader in(bytes);
    CHECK(read_length(in) == length);
    CHECK(in.read_whole());
    for (std::size_t k = 0; k < bytes.size(); ++k) {
      ByteReader cut(std::span<const std::byte>(bytes).first(k));
      CHECK(read_length(cut) == 0);
      CHECK(cut.failed());
    }
  }
  const std::vector<std::byte> other_form =
      bytes_of({0xff, 0xff, 0xff, 0xff, 0xfe, 0xff, 0xff, 0xff, 0, 0, 0, 0});
  ByteReader in(other_form);
  CHECK(read_length(in) == 0);
  CHECK(in.failed());
}

}  // namespace hearsay::byte_length_test
