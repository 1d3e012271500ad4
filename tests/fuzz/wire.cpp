// A frame of arbitrary bytes. Byte 0 says whether version and checksum are made right, so that the checks
// after them are reached, too, and whether payloads may be long. Then come 64 bytes of header, then the
// payload.
#include "runtime/wire/frame.hpp"

#include <array>

#include "runtime/foundation/little_endian.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const auto choice = input.take<std::uint8_t>();
  const bool mended = choice % 2 == 1;
  std::vector<std::byte> header = input.take_bytes(header_bytes);
  const std::vector<std::byte> payload = input.rest();
  if (mended && header.size() == header_bytes) {
    const std::span bytes(header);
    store_little_endian(wire_version, bytes);
    store_little_endian(payload_checksum(bytes.first(header_bytes - 4)), bytes.last(4));
  }

  const std::size_t limit_bytes = choice / 2 % 2 == 1 ? payload_bytes_limit - 1 : 1 << 16;
  const DecodedHeader decoded = decode_header(header, limit_bytes);
  ensure(!to_text(decoded.defect).empty(), "every defect has a name");
  if (decoded.defect != FrameDefect::none) return 0;
  ensure(decoded.header.payload_bytes <= limit_bytes,
         "a payload that is too long is refused with its header");
  std::array<std::byte, header_bytes> again;
  encode_header(decoded.header, again);
  ensure(std::equal(again.begin(), again.end(), header.begin()), "what decodes encodes to the same bytes");
  payload_intact(decoded.header, payload);
  due_instant(decoded.header, Instant{std::chrono::hours(1)});
  return 0;
}
