#include "runtime/checkpoint/packet_log.hpp"

#include <sys/uio.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "runtime/foundation/byte_stream.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::array<std::byte, 8> log_magic = {std::byte{'h'}, std::byte{'e'}, std::byte{'a'},
                                                std::byte{'r'}, std::byte{'l'}, std::byte{'o'},
                                                std::byte{'g'}, std::byte{0}};
constexpr std::size_t file_head_bytes = 40;
constexpr std::size_t record_head_bytes = 32;
constexpr std::uint8_t data_kind = 1;
constexpr std::uint8_t verdict_kind = 2;
constexpr std::size_t evaluations_bytes = 8;  // of the payload of a verdict that announces evaluations
const std::string name_kind = "log";

std::uint64_t log_checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::vector<std::byte> file_head(const LogOwner& owner, std::uint64_t since) {
  ByteWriter head;
  head.bytes(log_magic);
  head.number(packet_log_version);
  head.number(owner.run_id);
  head.number(owner.peer);
  head.number(std::uint32_t{0});
  head.number(since);
  head.number(log_checksum(head.written()));
  return std::move(head).take();
}

using RecordHead = std::array<std::byte, record_head_bytes>;

RecordHead record_head(std::uint8_t kind, const MessageKey& key, std::span<const std::byte> payload) {
  const std::uint64_t length = payload.size();
  ensure(length >> 56 == 0, "a message is shorter than 2^56 bytes");
  RecordHead head{};
  const std::span<std::byte> out = head;
  store_little_endian(static_cast<std::uint32_t>(length), out);
  store_little_endian(static_cast<std::uint32_t>(kind | length >> 32 << 8), out.subspan(4));
  store_little_endian(key.iteration, out.subspan(8));
  store_little_endian(key.slot, out.subspan(16));
  store_little_endian(key.sender, out.subspan(20));
  store_little_endian(log_checksum(payload, log_checksum(out.first(24))), out.subspan(24));
  return head;
}

std::optional<LogRecord> verdict_of(const MessageKey& key, std::span<const std::byte> payload) {
  if (key.slot > 1 || (!payload.empty() && payload.size() != evaluations_bytes)) return std::nullopt;
  Announced announced{.checkpoint_every = key.sender};
  if (!payload.empty()) {
    announced.to_next = load_little_endian<std::uint32_t>(payload);
    announced.to_second = load_little_endian<std::uint32_t>(payload.subspan(4));
  }
  return LoggedVerdict{key.iteration, key.slot == 1, announced};
}

/// Reads the next record. Returns nothing if it is damaged or incomplete.
std::optional<LogRecord> take_record(ByteReader& in, PacketPool& packets) {
  const auto head = in.bytes(record_head_bytes);
  if (in.failed()) return std::nullopt;
  ByteReader fields(head);
  const auto lower = fields.number<std::uint32_t>();
  const auto kind_and_upper = fields.number<std::uint32_t>();
  const std::uint64_t payload_bytes = std::uint64_t{kind_and_upper >> 8} << 32 | lower;
  const auto kind = static_cast<std::uint8_t>(kind_and_upper);
  MessageKey key{};
  key.iteration = fields.number<std::uint64_t>();
  key.slot = fields.number<std::uint32_t>();
  key.sender = fields.number<std::uint32_t>();
  const auto payload = in.bytes(payload_bytes);
  if (in.failed() || log_checksum(payload, log_checksum(head.first(24))) != fields.number<std::uint64_t>())
    return std::nullopt;
  if (kind == verdict_kind) return verdict_of(key, payload);
  if (kind != data_kind) return std::nullopt;
  PacketBuffer packet = packets.acquire();
  std::ranges::copy(payload, packet.resize(payload.size()).begin());
  return LoggedData{key, std::move(packet).seal()};
}

}  // namespace

ReadLog decode_packet_log(const LogOwner& owner, std::uint64_t since, std::span<const std::byte> bytes,
                          PacketPool& packets) {
  ReadLog log;
  if (bytes.size() < file_head_bytes || !std::ranges::equal(bytes.first(log_magic.size()), log_magic)) {
    log.defect = "it is no packet log";
    return log;
  }
  if (!std::ranges::equal(bytes.first(file_head_bytes), file_head(owner, since))) {
    const auto version = load_little_endian<std::uint32_t>(bytes.subspan(log_magic.size()));
    log.defect = version != packet_log_version
                     ? "it is of version " + std::to_string(version) + ", this program reads version " +
                           std::to_string(packet_log_version)
                     : "it is damaged, or of another run, peer or checkpoint";
    return log;
  }
  ByteReader in(bytes.subspan(file_head_bytes));
  log.whole_bytes = file_head_bytes;
  while (in.left() > 0) {
    std::optional<LogRecord> record = take_record(in, packets);
    if (!record) {
      log.torn = true;
      break;
    }
    log.heard.push_back(std::move(*record));
    log.whole_bytes = bytes.size() - in.left();
  }
  return log;
}

std::optional<LogRecord> record_of(const Heard& heard) {
  if (const auto* const data = std::get_if<DataArrived>(&heard)) return LoggedData{data->key, data->packet};
  if (const auto* const verdict = std::get_if<VerdictArrived>(&heard))
    return LoggedVerdict{verdict->evaluated, verdict->proceed, verdict->announced};
  return std::nullopt;
}

ReadLog read_packet_log(const std::filesystem::path& directory, const LogOwner& owner, std::uint64_t since,
                        PacketPool& packets) {
  const std::filesystem::path file = log_path(directory, owner.peer, since);
  const FileBytes content = read_bytes(file);
  if (!content.bytes) return {{}, 0, false, content.defect};
  ReadLog log = decode_packet_log(owner, since, *content.bytes, packets);
  if (!log.defect.empty()) log.defect = "cannot use " + file.string() + ": " + log.defect;
  return log;
}

std::filesystem::path log_path(const std::filesystem::path& directory, PeerId peer, std::uint64_t since) {
  return directory / numbered_name(name_kind, peer, since);
}

std::vector<std::uint64_t> list_logs(const std::filesystem::path& directory, PeerId peer) {
  return numbered_files(directory, name_kind, peer);
}

std::optional<std::string> PacketLog::failure(const std::string& what) const {
  return "cannot " + what + " " + path_.string() + ": " + std::strerror(errno);
}

std::optional<std::string> PacketLog::begin(std::uint64_t since, std::uint64_t oldest_checkpoint) {
  path_ = log_path(directory_, owner_.peer, since);
  file_ = FileDescriptor(path_, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND);
  size_ = 0;
  if (!file_) return failure("write");
  if (auto error = append_record(file_head(owner_, since), {})) return error;
  std::error_code ignored;  // a file that cannot be removed takes room and does no other harm
  for (const std::uint64_t older : list_logs(directory_, owner_.peer))
    if (older < oldest_checkpoint && older < since)
      std::filesystem::remove(log_path(directory_, owner_.peer, older), ignored);
  return std::nullopt;
}

std::optional<std::string> PacketLog::reopen(std::uint64_t since, std::uint64_t whole_bytes) {
  path_ = log_path(directory_, owner_.peer, since);
  file_ = FileDescriptor(path_, O_WRONLY | O_APPEND);
  size_ = whole_bytes;
  if (!file_ || ::ftruncate(file_.number(), static_cast<::off_t>(size_)) != 0) return failure("write");
  return std::nullopt;
}

std::optional<std::string> PacketLog::append(const LogRecord& record) {
  if (const auto* const data = std::get_if<LoggedData>(&record)) return append(data->key, data->packet);
  const auto& verdict = std::get<LoggedVerdict>(record);
  return append_verdict(verdict.evaluated, verdict.proceed, verdict.announced);
}

std::optional<std::string> PacketLog::append(const MessageKey& key, const PacketRef& packet) {
  return append_record(record_head(data_kind, key, packet->bytes()), packet->bytes());
}

std::optional<std::string> PacketLog::append_verdict(std::uint64_t evaluated, bool proceed,
                                                     const Announced& announced) {
  const MessageKey fields{evaluated, proceed ? 1u : 0u, announced.checkpoint_every};
  std::array<std::byte, evaluations_bytes> evaluations{};
  store_little_endian(announced.to_next, std::span(evaluations));
  store_little_endian(announced.to_second, std::span(evaluations).subspan(4));
  const std::span<const std::byte> payload =
      std::span(evaluations).first(announced.to_next == 0 ? 0 : evaluations_bytes);
  return append_record(record_head(verdict_kind, fields, payload), payload);
}

/// Writes what is left of a record after its first `done` bytes. Returns how many bytes were written.
std::size_t PacketLog::write_rest(std::span<const std::byte> head, std::span<const std::byte> payload,
                                  std::size_t done) const {
  std::size_t more = 0;
  for (std::span<const std::byte> part : {head, payload}) {
    const std::size_t skipped = std::min(done, part.size());
    done -= skipped;
    part = part.subspan(skipped);
    const std::size_t written =
        write_all(file_.number(), {reinterpret_cast<const char*>(part.data()), part.size()});
    more += written;
    if (written < part.size()) break;
  }
  return more;
}

std::optional<std::string> PacketLog::append_record(std::span<const std::byte> head,
                                                    std::span<const std::byte> payload) {
  // writev takes non-const pointers, though it only reads.
  const std::array<::iovec, 2> parts = {::iovec{const_cast<std::byte*>(head.data()), head.size()},
                                        ::iovec{const_cast<std::byte*>(payload.data()), payload.size()}};
  ::ssize_t written = 0;
  do {
    written = ::writev(file_.number(), parts.data(), parts.size());
  } while (written < 0 && errno == EINTR);
  // One call writes less than 2 GiB, and what the file has room for. If it has no more, the next one says so.
  if (written >= 0)
    written += static_cast<::ssize_t>(write_rest(head, payload, static_cast<std::size_t>(written)));
  if (written == static_cast<::ssize_t>(head.size() + payload.size())) {
    size_ += static_cast<std::uint64_t>(written);
    return std::nullopt;
  }
  const auto error = failure("write");
  // Records after an incomplete one would never be read.
  if (written > 0 && ::ftruncate(file_.number(), static_cast<::off_t>(size_)) != 0) file_ = {};
  return error;
}

}  // namespace hearsay
