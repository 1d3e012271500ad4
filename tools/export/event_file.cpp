#include "tools/export/event_file.hpp"

#include <array>
#include <bit>

namespace hearsay {

namespace {

/// The kinds of fields of a protocol buffer, as a tag says them.
enum class WireType : std::uint32_t { varint = 0, fixed64 = 1, length_delimited = 2, fixed32 = 5 };

void append_little_endian(std::string& bytes, std::uint64_t value, int width) {
  for (int k = 0; k < width; ++k) bytes += static_cast<char>(value >> (8 * k) & 0xff);
}

void append_varint(std::string& bytes, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>((value & 0x7f) | 0x80);
  bytes += static_cast<char>(value);
}

void append_tag(std::string& bytes, std::uint32_t field, WireType type) {
  append_varint(bytes, field << 3 | static_cast<std::uint32_t>(type));
}

void append_field(std::string& bytes, std::uint32_t field, const std::string& value) {
  append_tag(bytes, field, WireType::length_delimited);
  append_varint(bytes, value.size());
  bytes += value;
}

void append_field(std::string& bytes, std::uint32_t field, std::int64_t value) {
  append_tag(bytes, field, WireType::varint);
  append_varint(bytes, static_cast<std::uint64_t>(value));
}

void append_field(std::string& bytes, std::uint32_t field, double value) {
  append_tag(bytes, field, WireType::fixed64);
  append_little_endian(bytes, std::bit_cast<std::uint64_t>(value), 8);
}

void append_field(std::string& bytes, std::uint32_t field, float value) {
  append_tag(bytes, field, WireType::fixed32);
  append_little_endian(bytes, std::bit_cast<std::uint32_t>(value), 4);
}

/// For each byte, its CRC-32C (Castagnoli).
constexpr std::array<std::uint32_t, 256> crc_of_byte = [] {
  constexpr std::uint32_t polynomial = 0x82f63b78;  // reflected
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (crc & 1 ? polynomial : 0);
    table[byte] = crc;
  }
  return table;
}();

std::uint32_t masked_crc(const std::string& bytes) {
  std::uint32_t crc = 0xffffffff;
  for (const char byte : bytes) crc = crc >> 8 ^ crc_of_byte[(crc ^ static_cast<unsigned char>(byte)) & 0xff];
  return std::rotr(~crc, 15) + 0xa282ead8;
}

}  // namespace

EventFile::EventFile(double wall_time) {
  std::string event;
  append_field(event, 1, wall_time);
  append_field(event, 3, std::string("brain.Event:2"));
  append(event);
}

void EventFile::add(double wall_time, std::int64_t step, const std::vector<TaggedScalar>& scalars) {
  std::string summary;
  for (const auto& [tag, number] : scalars) {
    std::string value;
    append_field(value, 1, tag);
    append_field(value, 2, static_cast<float>(number));
    append_field(summary, 1, value);
  }
  std::string event;
  append_field(event, 1, wall_time);
  append_field(event, 2, step);
  append_field(event, 5, summary);
  append(event);
}

void EventFile::append(const std::string& event) {
  std::string length;
  append_little_endian(length, event.size(), 8);
  bytes_ += length;
  append_little_endian(bytes_, masked_crc(length), 4);
  bytes_ += event;
  append_little_endian(bytes_, masked_crc(event), 4);
}

}  // namespace hearsay
