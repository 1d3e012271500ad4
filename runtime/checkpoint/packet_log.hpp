#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"
#include "runtime/peer/inbox.hpp"

namespace hearsay {

// A peer's log holds what it was handed since its checkpoint, in that order: since a peer is pure, checkpoint
// and log make the same peer again. It is begun anew at every checkpoint, in a file log-PEER-ITERATION.
// Numbers are little-endian:
//
//    0   8  magic           "hearlog" and a zero
//    8   4  version         packet_log_version
//   12   4  run id          (agreement.hpp)
//   16   4  peer
//   20   4  zero
//   24   8  iteration       of the checkpoint
//   32   8  checksum        of the 32 bytes before it
//
// and of every record
//
//    0   4  payload bytes
//    4   1  kind            1: data, 2: verdict
//    5   3  zero
//    8   8  iteration       of a verdict: the evaluated one
//   16   4  slot            of a verdict: 1: go on, 0: stop
//   20   4  sender          of a verdict: the announced number of iterations between checkpoints, or 0
//   24   8  checksum        of the payload, whose seed is the checksum of the 24 bytes before it
//   32      payload
//
// A checksum is XXH3 (64 bits, seed 0 unless said). A record is written with one system call, before the peer
// is handed it, and not brought to the disk: a process that is killed loses nothing, at most the record that
// was being written, which nobody has acted upon. A machine that loses power may lose the end of the log, and
// its peers fall back to the newest checkpoint that all of them hold.

inline constexpr std::uint32_t packet_log_version = 1;

struct HeardData {
  MessageKey key;
  PacketRef packet;
};
struct HeardVerdict {
  std::uint64_t evaluated;
  bool go_on;
  std::uint32_t checkpoint_every = 0;
};
using Heard = std::variant<HeardData, HeardVerdict>;

/// Whose log a file is.
struct LogOwner {
  std::uint32_t run_id = 0;
  PeerId peer = 0;
  bool operator==(const LogOwner&) const = default;
};

/// All whole records from the beginning, up to the first that is damaged or not all there.
struct ReadLog {
  std::vector<Heard> heard;
  std::uint64_t whole_bytes = 0;  ///< head and whole records; 0 if there is no head of this log
  bool torn = false;              ///< something that is no whole record follows them
  std::string defect;             ///< why there is no such log, in one sentence
};

/// Total on arbitrary bytes. Packets come from the pool.
ReadLog decode_packet_log(const LogOwner& owner, std::uint64_t since, std::span<const std::byte> bytes,
                          PacketPool& packets);
ReadLog read_packet_log(const std::filesystem::path& directory, const LogOwner& owner, std::uint64_t since,
                        PacketPool& packets);

std::filesystem::path log_path(const std::filesystem::path& directory, PeerId peer, std::uint64_t since);
/// The iterations since which the directory has a log of this peer, by its name, ascending.
std::vector<std::uint64_t> list_logs(const std::filesystem::path& directory, PeerId peer);

/// Writes a log. Every failure comes back as a sentence; the log then ends with the last whole record.
class PacketLog {
 public:
  PacketLog(std::filesystem::path directory, LogOwner owner)
      : directory_(std::move(directory)), owner_(owner) {}

  /// Begins the log of what comes after the checkpoint at `since`, in place of one that may be there. Then
  /// removes the logs from before `oldest_checkpoint`, the oldest checkpoint that is kept.
  std::optional<std::string> begin(std::uint64_t since, std::uint64_t oldest_checkpoint);
  /// Continues the log since `since` after the `whole_bytes` that were read of it, and cuts off what follows
  /// them.
  std::optional<std::string> go_on(std::uint64_t since, std::uint64_t whole_bytes);

  std::optional<std::string> append(const MessageKey& key, const PacketRef& packet);
  std::optional<std::string> append_verdict(std::uint64_t evaluated, bool go_on,
                                            std::uint64_t checkpoint_every = 0);

 private:
  std::optional<std::string> append_record(std::span<const std::byte> head,
                                           std::span<const std::byte> payload);
  std::optional<std::string> failure(const std::string& what) const;

  std::filesystem::path directory_;
  LogOwner owner_;
  std::filesystem::path path_;
  FileDescriptor file_;
  std::uint64_t size_ = 0;  // bytes of head and whole records
};

}  // namespace hearsay
