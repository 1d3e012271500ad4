#include "runtime/wire/frame.hpp"

#include <xxh_x86dispatch.h>  // XXH3 with the widest vector instructions of the machine; same digests

#include <algorithm>
#include <memory>

#include "runtime/foundation/little_endian.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {
namespace {

constexpr std::size_t checksum_offset = 60;
constexpr unsigned length_shift = 4;  // in the byte of the flags: bits of the payload's length from here on
constexpr std::uint8_t flags_mask = (1u << length_shift) - 1;

std::uint32_t folded(std::uint64_t hash) { return static_cast<std::uint32_t>(hash >> 32 ^ hash); }

std::uint32_t checksum(std::span<const std::byte> bytes) {
  return folded(XXH3_64bits(bytes.data(), bytes.size()));
}

bool known(std::uint8_t kind) {
  return kind >= static_cast<std::uint8_t>(FrameKind::hello) &&
         kind <= static_cast<std::uint8_t>(FrameKind::letter);
}

bool known_flags(std::uint8_t flags) { return (flags & ~flag_remaining_hold) == 0; }

bool due_in_range(std::int64_t due_ns) { return due_ns >= 0 && due_ns < due_limit_ns; }

}  // namespace

std::string_view to_text(FrameDefect defect) {
  switch (defect) {
    case FrameDefect::none:
      return "none";
    case FrameDefect::truncated:
      return "truncated";
    case FrameDefect::excess:
      return "excess";
    case FrameDefect::version:
      return "version";
    case FrameDefect::header_checksum:
      return "header checksum";
    case FrameDefect::kind:
      return "kind";
    case FrameDefect::flags:
      return "flags";
    case FrameDefect::due:
      return "due";
    case FrameDefect::payload_length:
      return "payload length";
    case FrameDefect::payload_checksum:
      return "payload checksum";
  }
  return "unknown";
}

void encode_header(const FrameHeader& header, std::span<std::byte, header_bytes> out) {
  ensure(known_flags(header.flags), "a frame's flags are known ones");
  ensure(due_in_range(header.due_ns), "a frame's due time lies in [0, 2^62) ns");
  ensure(header.payload_bytes < payload_bytes_limit, "a frame's payload is shorter than 2^36 bytes");
  store_little_endian(wire_version, out.subspan(0));
  store_little_endian(static_cast<std::uint8_t>(header.kind), out.subspan(2));
  store_little_endian(static_cast<std::uint8_t>(header.flags | header.payload_bytes >> 32 << length_shift),
                      out.subspan(3));
  store_little_endian(header.run_id, out.subspan(4));
  store_little_endian(header.sender, out.subspan(8));
  store_little_endian(header.incarnation, out.subspan(12));
  store_little_endian(header.iteration, out.subspan(16));
  store_little_endian(header.slot, out.subspan(24));
  store_little_endian(header.degree, out.subspan(28));
  store_little_endian(header.sequence, out.subspan(32));
  store_little_endian(static_cast<std::uint64_t>(header.due_ns), out.subspan(40));
  store_little_endian(header.replica_digest, out.subspan(48));
  store_little_endian(static_cast<std::uint32_t>(header.payload_bytes), out.subspan(52));
  store_little_endian(header.payload_checksum, out.subspan(56));
  store_little_endian(checksum(out.first(checksum_offset)), out.subspan(checksum_offset));
}

DecodedHeader decode_header(std::span<const std::byte> bytes, std::size_t payload_limit_bytes) {
  const auto refused = [](FrameDefect defect) { return DecodedHeader{defect, {}}; };
  // The version is checked first: the layout of another version is not known here.
  if (bytes.size() < sizeof(wire_version)) return refused(FrameDefect::truncated);
  if (load_little_endian<std::uint16_t>(bytes) != wire_version) return refused(FrameDefect::version);
  if (bytes.size() < header_bytes) return refused(FrameDefect::truncated);
  if (bytes.size() > header_bytes) return refused(FrameDefect::excess);
  if (load_little_endian<std::uint32_t>(bytes.subspan(checksum_offset)) !=
      checksum(bytes.first(checksum_offset)))
    return refused(FrameDefect::header_checksum);

  const auto kind = load_little_endian<std::uint8_t>(bytes.subspan(2));
  if (!known(kind)) return refused(FrameDefect::kind);
  FrameHeader header;
  header.kind = static_cast<FrameKind>(kind);
  const auto flags_and_length = load_little_endian<std::uint8_t>(bytes.subspan(3));
  header.flags = flags_and_length & flags_mask;
  header.run_id = load_little_endian<std::uint32_t>(bytes.subspan(4));
  header.sender = load_little_endian<PeerId>(bytes.subspan(8));
  header.incarnation = load_little_endian<std::uint32_t>(bytes.subspan(12));
  header.iteration = load_little_endian<std::uint64_t>(bytes.subspan(16));
  header.slot = load_little_endian<std::uint32_t>(bytes.subspan(24));
  header.degree = load_little_endian<std::uint32_t>(bytes.subspan(28));
  header.sequence = load_little_endian<std::uint64_t>(bytes.subspan(32));
  header.due_ns = static_cast<std::int64_t>(load_little_endian<std::uint64_t>(bytes.subspan(40)));
  header.replica_digest = load_little_endian<std::uint32_t>(bytes.subspan(48));
  header.payload_bytes = std::uint64_t{flags_and_length} >> length_shift << 32 |
                         load_little_endian<std::uint32_t>(bytes.subspan(52));
  header.payload_checksum = load_little_endian<std::uint32_t>(bytes.subspan(56));

  if (!known_flags(header.flags)) return refused(FrameDefect::flags);
  if (!due_in_range(header.due_ns)) return refused(FrameDefect::due);
  if (header.payload_bytes > payload_limit_bytes) return refused(FrameDefect::payload_length);
  return {FrameDefect::none, header};
}

std::uint32_t payload_checksum(std::span<const std::byte> payload) { return checksum(payload); }

bool payload_intact(const FrameHeader& header, std::span<const std::byte> payload) {
  return payload.size() == header.payload_bytes && checksum(payload) == header.payload_checksum;
}

bool payload_intact(const FrameHeader& header, std::span<const std::byte> payload,
                    const ReadInPlace& memory) {
  constexpr std::size_t part_bytes = std::size_t{1} << 20;
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  XXH3_64bits_reset(state.get());
  for (std::size_t begin = 0; begin < payload.size(); begin += part_bytes) {
    const auto part = payload.subspan(begin, std::min(part_bytes, payload.size() - begin));
    XXH3_64bits_update(state.get(), part.data(), part.size());
    memory.let_go(part);
  }
  return payload.size() == header.payload_bytes &&
         folded(XXH3_64bits_digest(state.get())) == header.payload_checksum;
}

Instant due_instant(const FrameHeader& header, Instant received) {
  const Duration due{header.due_ns};
  return header.flags & flag_remaining_hold ? received + due : Instant{due};
}

}  // namespace hearsay
