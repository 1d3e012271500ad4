#include "tests/export/event_reader.hpp"

#include <cstring>
#include <stdexcept>

namespace hearsay::test {

namespace {

/// Takes pieces off the front of some bytes.
class Bytes {
 public:
  explicit Bytes(std::string_view bytes) : rest_(bytes) {}

  bool empty() const { return rest_.empty(); }
  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw std::runtime_error("the bytes end too early");
    const std::string_view taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  template <class Number>
  Number number() {  // of this machine, which is little-endian, as the file is
    Number value{};
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<std::uint8_t>();
      value += static_cast<std::uint64_t>(byte % 128) << shift;
      if (byte < 128) return value;
    }
    throw std::runtime_error("a varint is longer than ten bytes");
  }
  std::string_view delimited() { return take(varint()); }

 private:
  std::string_view rest_;
};

/// The number of a field, and its wire type.
constexpr std::uint64_t field(std::uint64_t number, std::uint64_t wire_type) {
  return 8 * number + wire_type;
}

std::pair<std::string, float> read_value(Bytes bytes) {
  std::pair<std::string, float> value;
  while (!bytes.empty()) switch (bytes.varint()) {
      case field(1, 2):
        value.first = bytes.delimited();
        break;
      case field(2, 5):
        value.second = bytes.number<float>();
        break;
      default:
        throw std::runtime_error("a Summary.Value has an unknown field");
    }
  return value;
}

ReadEvent read_event(Bytes bytes) {
  ReadEvent event;
  while (!bytes.empty()) switch (bytes.varint()) {
      case field(1, 1):
        event.wall_time = bytes.number<double>();
        break;
      case field(2, 0):
        event.step = static_cast<std::int64_t>(bytes.varint());
        break;
      case field(3, 2):
        event.file_version = bytes.delimited();
        break;
      case field(5, 2):
        for (Bytes summary(bytes.delimited()); !summary.empty();) {
          if (summary.varint() != field(1, 2)) throw std::runtime_error("a Summary has an unknown field");
          event.scalars.push_back(read_value(Bytes(summary.delimited())));
        }
        break;
      default:
        throw std::runtime_error("an Event has an unknown field");
    }
  return event;
}

void require_checksum(std::string_view bytes, std::uint32_t masked) {
  const std::uint32_t rotated = masked - 0xa282ead8U;
  if ((rotated >> 17 | rotated << 15) != crc32c_bit_by_bit(bytes))
    throw std::runtime_error("a checksum is wrong");
}

}  // namespace

std::uint32_t crc32c_bit_by_bit(std::string_view bytes) {
  std::uint32_t remainder = 0xffffffffU;
  for (const char byte : bytes)
    for (unsigned bit = 0; bit < 8; ++bit) {
      const bool carry = ((remainder ^ (static_cast<unsigned char>(byte) >> bit)) & 1U) != 0;
      remainder = carry ? (remainder >> 1) ^ 0x82f63b78U : remainder >> 1;
    }
  return ~remainder;
}

std::vector<ReadEvent> read_events(std::string_view file) {
  std::vector<ReadEvent> events;
  for (Bytes bytes(file); !bytes.empty();) {
    const std::string_view length = bytes.take(8);
    require_checksum(length, bytes.number<std::uint32_t>());
    const std::string_view event = bytes.take(Bytes(length).number<std::uint64_t>());
    require_checksum(event, bytes.number<std::uint32_t>());
    events.push_back(read_event(Bytes(event)));
  }
  return events;
}

}  // namespace hearsay::test
