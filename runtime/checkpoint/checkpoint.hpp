#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "runtime/foundation/byte_parts.hpp"
#include "runtime/foundation/shared_bytes.hpp"
#include "runtime/peer/outgoing.hpp"

namespace hearsay {

// A checkpoint file holds one peer after one iteration. Numbers are little-endian:
//
//   offset  bytes  field             meaning
//        0      8  magic             "hearsay" and a zero
//        8      4  version           checkpoint_version; checked before the checksum
//       12      4  run id            digest of the agreement of the run (agreement.hpp)
//       16      4  peer              id of the peer
//       20      4  peer count
//       24      4  scalar bytes      4: float, 8: double
//       28      4  packet count      P
//       32      8  dimension         of the model
//       40      8  iteration         the last that the peer had completed
//       48      8  image bytes
//       56      8  meters bytes
//       64      4  message count     M
//       68      4  zero
//       72         image             the peer (peer_image.hpp)
//                  meters            and state of the session (archive.cpp)
//                  P packets         of each its length (byte_length.hpp), u32 below 4 GiB, and its bytes
//                  M messages        of each u32 to, u64 iteration, u32 slot, u32 sender, u32 packet (from 0)
//   end-8      8  checksum           XXH3 (64 bits, seed 0) of everything before it
//
// A file with the name checkpoint-PEER-ITERATION (12 digits or more) is always complete: the file is written
// with another name, synchronized to the disk (fsync), renamed, and the directory synchronized.

inline constexpr std::uint32_t checkpoint_version = 3;

/// The run and the peer that a file belongs to. A file of another owner is refused.
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
  SharedBytes image = {};
  SharedBytes meters = {};
  /// What neighbors may ask for again. A packet that was sent to several of them is stored once.
  std::vector<Outgoing> retained = {};
};

/// The same, to be written: what is long is where it was.
struct CheckpointParts {
  std::uint64_t iteration;
  ByteParts image;
  ByteParts meters;
  std::span<const Outgoing> retained;
};

/// Returns the bytes of the file. What is long stays in `checkpoint`.
ByteParts encode_checkpoint(const CheckpointOwner& owner, const CheckpointParts& checkpoint);
std::vector<std::byte> encode_checkpoint(const CheckpointOwner& owner, const Checkpoint& checkpoint);

/// The checkpoint in a file, or one sentence that says why it cannot be used.
struct ReadCheckpoint {
  std::optional<Checkpoint> checkpoint;
  std::string defect;           ///< empty if there is a checkpoint
  bool of_another_run = false;  ///< the file is intact, but has another owner
};

/// Decodes a file; `bytes` may be arbitrary. Image and meters stay there. Never allocates more than `bytes`
/// has. Packets come from the pool.
ReadCheckpoint decode_checkpoint(const CheckpointOwner& owner, const SharedBytes& bytes, PacketPool& packets);
ReadCheckpoint read_checkpoint(const CheckpointOwner& owner, const std::filesystem::path& file,
                               PacketPool& packets);

std::filesystem::path checkpoint_path(const std::filesystem::path& directory, PeerId peer,
                                      std::uint64_t iteration);

/// Writes a checkpoint file, part by part. Returns nothing if it was written; else why not, and then all
/// earlier files are unchanged.
///
/// Afterwards removes files of this peer: all but the newest `keep` checkpoints, of which this is one;
/// checkpoints of later iterations, which stem from a process whose progress was given up for an earlier
/// checkpoint; and incomplete files of a process that died.
std::optional<std::string> write_checkpoint(const std::filesystem::path& directory,
                                            const CheckpointOwner& owner, const CheckpointParts& checkpoint,
                                            std::size_t keep);
std::optional<std::string> write_checkpoint(const std::filesystem::path& directory,
                                            const CheckpointOwner& owner, const Checkpoint& checkpoint,
                                            std::size_t keep);

/// Returns the iterations of the checkpoint files of this peer in the directory, by their names, ascending.
std::vector<std::uint64_t> list_checkpoints(const std::filesystem::path& directory, PeerId peer);
/// Returns those of them whose file is intact and has this owner. `passed_over`, if given, gets a sentence
/// for each of the other files.
std::vector<std::uint64_t> valid_checkpoints(const std::filesystem::path& directory,
                                             const CheckpointOwner& owner,
                                             std::vector<std::string>* passed_over = nullptr);

/// Returns how many checkpoints a peer must keep so that all peers have one of a common iteration: 1 +
/// ceil(lead / every). `lead` is the largest number of iterations that one peer can be ahead of another,
/// `every` the number of iterations between checkpoints.
std::size_t checkpoints_to_keep(std::uint64_t lead, std::uint64_t every);

}  // namespace hearsay
