#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/peer/peer.hpp"

namespace hearsay {

// A checkpoint file holds one peer after one iteration. Numbers are little-endian:
//
//   offset  bytes  field             meaning
//        0      8  magic             "hearsay" and a zero
//        8      4  version           checkpoint_version; it is looked at before the checksum
//       12      4  run id            digest of what the peers of a run agree on (agreement.hpp)
//       16      4  peer              whose it is
//       20      4  peer count
//       24      4  scalar bytes      4: float, 8: double
//       28      4  packet count      P
//       32      8  dimension         of the model
//       40      8  iteration         completed when it was taken
//       48      8  image bytes
//       56      8  meters bytes
//       64      4  message count     M
//       68      4  zero
//       72         image             the peer (peer_image.hpp)
//                  meters            whatever the driver wants back
//                  P packets         each u32 length, and its bytes
//                  M messages        each u32 to, u64 iteration, u32 slot, u32 sender, u32 packet (from 0)
//   end-8      8  checksum           XXH3 (64 bits, seed 0) of everything before it
//
// A file stands under its name, checkpoint-PEER-ITERATION (12 digits or more), as a whole or not at all: it
// is written under another one, brought to the disk, renamed, and the name brought to the disk.

inline constexpr std::uint32_t checkpoint_version = 3;

/// Whose checkpoint a file is: a file of another run or another peer is refused.
struct CheckpointOwner {
  std::uint32_t run_id = 0;
  PeerId peer = 0;
  PeerId peer_count = 1;
  std::uint32_t scalar_bytes = 4;
  std::uint64_t dimension = 0;
  bool operator==(const CheckpointOwner&) const = default;
};

struct Checkpoint {
  std::uint64_t iteration = 0;
  std::vector<std::byte> image = {};
  std::vector<std::byte> meters = {};
  std::vector<Outgoing> retained =
      {};  ///< what neighbors may ask for again; a packet that several were sent is stored once
};

std::vector<std::byte> encode_checkpoint(const CheckpointOwner& owner, const Checkpoint& checkpoint);

/// A checkpoint, or one sentence that says why there is none.
struct ReadCheckpoint {
  std::optional<Checkpoint> checkpoint;
  std::string defect;
  bool of_another_run = false;  ///< it is whole, but not this owner's
};

/// Total on arbitrary bytes; nothing is allocated for what is not there. Packets come from the pool.
ReadCheckpoint decode_checkpoint(const CheckpointOwner& owner, std::span<const std::byte> bytes,
                                 PacketPool& packets);
ReadCheckpoint read_checkpoint(const CheckpointOwner& owner, const std::filesystem::path& file,
                               PacketPool& packets);

std::filesystem::path checkpoint_path(const std::filesystem::path& directory, PeerId peer,
                                      std::uint64_t iteration);

/// Nothing if the file was written, else why not; then all earlier files are as they were. Afterwards removes
/// the peer's other checkpoints but for the newest `keep`, of which this is one; later ones, which stem from
/// a process whose progress was given up for an earlier checkpoint; and what a process that died left half
/// written.
std::optional<std::string> write_checkpoint(const std::filesystem::path& directory,
                                            const CheckpointOwner& owner, const Checkpoint& checkpoint,
                                            std::size_t keep);

/// The iterations of which the directory has a file of this peer, by its name, ascending.
std::vector<std::uint64_t> list_checkpoints(const std::filesystem::path& directory, PeerId peer);
/// Those of them whose file is whole and this owner's. `passed_over`, if given, gets a sentence for each of
/// the others.
std::vector<std::uint64_t> valid_checkpoints(const std::filesystem::path& directory,
                                             const CheckpointOwner& owner,
                                             std::vector<std::string>* passed_over = nullptr);

/// How many files a peer has to keep so that all peers have one of a common iteration:
/// 1 + ceil(lead / every), the lead being the most iterations that one peer can be ahead of another.
std::size_t checkpoints_to_keep(std::uint64_t lead, std::uint64_t every);

}  // namespace hearsay
