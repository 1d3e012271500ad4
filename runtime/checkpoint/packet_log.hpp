#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/foundation/announced.hpp"
#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/peer/inbox.hpp"
#include "runtime/session/heard.hpp"

namespace hearsay {

// The log of a peer holds the messages and verdicts that the peer has received since its checkpoint, in that
// order. A peer is pure, so checkpoint and log make the same peer again. Every checkpoint begins a new log,
// in a file log-PEER-ITERATION. Numbers are little-endian:
//
//    0   8  magic           "hearlog" and a zero
//    8   4  version         packet_log_version
//   12   4  run id          (agreement.hpp)
//   16   4  peer
//   20   4  zero
//   24   8  iteration       of the checkpoint
//   32   8  checksum        of the 32 bytes before it
//
// then for every record
//
//    0   4  payload bytes   the lower 32 bits
//    4   1  kind            1: data, 2: verdict
//    5   3                  the upper 24 bits of the payload bytes
//    8   8  iteration       of a verdict: the evaluated one
//   16   4  slot            of a verdict: 1: go on, 0: stop
//   20   4  sender          of a verdict: the announced number of iterations between checkpoints, or 0
//   24   8  checksum        of the payload; its seed is the checksum of the 24 bytes before it
//   32      payload         of a verdict: none; or 8 bytes, the announced numbers of iterations from this
//                           evaluation to the next one, and from that to the one after it
//
// A checksum is XXH3 (64 bits, seed 0 if no seed is named). A record is written (with one system call, if it
// is shorter than 2 GiB) before anything leaves the process that follows from its content, and is not
// synchronized to the disk. A killed process loses at most the records that were not written yet, of which
// nobody has heard. A machine that loses power may lose the end of the log; all peers then resume from the
// newest checkpoint that all of them have.

inline constexpr std::uint32_t packet_log_version = 1;

struct LoggedData {
  MessageKey key;
  PacketRef packet;
};
struct LoggedVerdict {
  std::uint64_t evaluated;
  bool proceed;
  Announced announced = {};
};
using LogRecord = std::variant<LoggedData, LoggedVerdict>;

/// Returns the record of what a peer has heard; empty if its log begins anew.
std::optional<LogRecord> record_of(const Heard& heard);

/// The run and the peer that a log belongs to.
struct LogOwner {
  std::uint32_t run_id = 0;
  PeerId peer = 0;
  bool operator==(const LogOwner&) const = default;
};

/// The content of a log: its records up to the first that is damaged or incomplete.
struct ReadLog {
  std::vector<LogRecord> heard;
  std::uint64_t whole_bytes = 0;  ///< length of head and intact records; 0 if there is no such log
  bool torn = false;              ///< damaged or incomplete bytes follow
  std::string defect;             ///< why there is no such log, in one sentence; empty if there is one
};

/// Decodes a log since the checkpoint at `since`; `bytes` may be arbitrary. Packets come from the pool.
ReadLog decode_packet_log(const LogOwner& owner, std::uint64_t since, std::span<const std::byte> bytes,
                          PacketPool& packets);
ReadLog read_packet_log(const std::filesystem::path& directory, const LogOwner& owner, std::uint64_t since,
                        PacketPool& packets);

std::filesystem::path log_path(const std::filesystem::path& directory, PeerId peer, std::uint64_t since);
/// Returns the iterations of the checkpoints that the logs of this peer in the directory begin after, by
/// their names, ascending.
std::vector<std::uint64_t> list_logs(const std::filesystem::path& directory, PeerId peer);

/// Writes a log. Functions return why they have failed, in a sentence, or nothing; after a failure the log
/// ends with its last complete record.
class PacketLog {
 public:
  PacketLog(std::filesystem::path directory, LogOwner owner)
      : directory_(std::move(directory)), owner_(owner) {}

  /// Begins the log that follows the checkpoint at `since`, in place of an existing one. Then removes the
  /// logs from before `oldest_checkpoint`, the oldest checkpoint that is kept.
  std::optional<std::string> begin(std::uint64_t since, std::uint64_t oldest_checkpoint);
  /// Continues the log that follows the checkpoint at `since`, after its first `whole_bytes` bytes, and cuts
  /// off the rest.
  std::optional<std::string> reopen(std::uint64_t since, std::uint64_t whole_bytes);

  std::optional<std::string> append(const LogRecord& record);
  std::optional<std::string> append(const MessageKey& key, const PacketRef& packet);
  std::optional<std::string> append_verdict(std::uint64_t evaluated, bool proceed,
                                            const Announced& announced = {});

 private:
  std::optional<std::string> append_record(std::span<const std::byte> head,
                                           std::span<const std::byte> payload);
  std::size_t write_rest(std::span<const std::byte> head, std::span<const std::byte> payload,
                         std::size_t done) const;
  std::optional<std::string> failure(const std::string& what) const;

  std::filesystem::path directory_;
  LogOwner owner_;
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;  // bytes of head and complete records
};

}  // namespace hearsay
