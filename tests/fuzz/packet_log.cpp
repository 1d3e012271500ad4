// A log of packets. Byte 0 says whether the checksum of each record is made right, so that the code behind it
// is reached, too.
#include "runtime/checkpoint/packet_log.hpp"

#include <xxhash.h>

#include "runtime/foundation/little_endian.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

namespace {

constexpr std::size_t head_bytes = 40;
constexpr std::size_t record_head_bytes = 32;

/// Makes the checksums right. Trusts the sizes of the records; a record that does not fit stays as it is.
void mend(std::span<std::byte> bytes) {
  if (bytes.size() < head_bytes) return;
  store_little_endian(std::uint64_t{XXH3_64bits(bytes.data(), 32)}, bytes.subspan(32));
  bytes = bytes.subspan(head_bytes);
  while (bytes.size() >= record_head_bytes) {
    const std::size_t payload = load_little_endian<std::uint32_t>(bytes);
    if (payload > bytes.size() - record_head_bytes) return;
    const std::uint64_t seed = XXH3_64bits(bytes.data(), 24);
    store_little_endian(std::uint64_t{XXH3_64bits_withSeed(bytes.data() + record_head_bytes, payload, seed)},
                        bytes.subspan(24));
    bytes = bytes.subspan(record_head_bytes + payload);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::Input input(data, size);
  const bool mended = input.take<std::uint8_t>() % 2 == 1;
  std::vector<std::byte> bytes = input.rest();
  if (mended) mend(bytes);

  PacketPool packets;
  const ReadLog log = decode_packet_log({.run_id = 1, .peer = 3}, 100, bytes, packets);
  ensure(log.whole_bytes <= bytes.size(), "a log is no longer than its file");
  ensure((log.whole_bytes == 0) == !log.defect.empty(), "what is no log is said in a sentence");
  std::size_t least = log.whole_bytes == 0 ? 0 : head_bytes;
  for (const LogRecord& heard : log.heard) {
    least += record_head_bytes;
    if (const auto* const message = std::get_if<LoggedData>(&heard)) least += message->packet->size();
  }
  ensure(least <= log.whole_bytes, "what was read is in the file");
  ensure(log.torn == (log.defect.empty() && log.whole_bytes < bytes.size()), "what comes behind is noticed");
  // The whole part of the log can be read again, and is whole.
  if (log.whole_bytes == 0) return 0;
  const ReadLog again =
      decode_packet_log({.run_id = 1, .peer = 3}, 100, std::span(bytes).first(log.whole_bytes), packets);
  ensure(!again.torn && again.heard.size() == log.heard.size(), "the whole part of a log is a log");
  return 0;
}
