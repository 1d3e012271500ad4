#include "runtime/checkpoint/checkpoint.hpp"

#include <xxhash.h>

#include <algorithm>
#include <array>
#include <system_error>

#include "runtime/foundation/byte_length.hpp"
#include "runtime/foundation/whole_file.hpp"
#include "topology/foundation/ensure.hpp"

namespace hearsay {

namespace {

constexpr std::array<std::byte, 8> checkpoint_magic = {std::byte{'h'}, std::byte{'e'}, std::byte{'a'},
                                                       std::byte{'r'}, std::byte{'s'}, std::byte{'a'},
                                                       std::byte{'y'}, std::byte{0}};
constexpr std::size_t head_bytes = 72;
constexpr std::size_t checksum_bytes = 8;
const std::string checkpoint_kind = "checkpoint";

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

/// Returns the first difference in words, "it is of peer 3, where 4 was expected"; empty if there is none.
std::string difference(const CheckpointOwner& expected, const CheckpointOwner& found) {
  const auto differ = [](const std::string& what, std::uint64_t is, const std::string& unit,
                         std::uint64_t wanted) {
    if (is == wanted) return std::string();
    return "it is of " + what + std::to_string(is) + unit + ", where " + std::to_string(wanted) +
           " was expected";
  };
  for (const std::string& sentence :
       {differ("peer ", found.peer, "", expected.peer),
        differ("a run with ", found.peer_count, " peers", expected.peer_count),
        differ("scalars with ", found.scalar_bytes, " bytes", expected.scalar_bytes),
        differ("a model with dimension ", found.dimension, "", expected.dimension)})
    if (!sentence.empty()) return sentence;
  return expected.run_id == found.run_id ? "" : "it is of a run with other settings";
}

ReadCheckpoint refused(std::string why) { return {std::nullopt, std::move(why)}; }

PacketRef packet_of(std::span<const std::byte> bytes, PacketPool& packets) {
  PacketBuffer packet = packets.acquire();
  std::ranges::copy(bytes, packet.resize(bytes.size()).begin());
  return std::move(packet).seal();
}

std::uint64_t checksum(const ByteParts& parts) {
  XXH3_state_t* const state = XXH3_createState();
  ensure(state != nullptr && XXH3_64bits_reset(state) == XXH_OK, "there is memory for a checksum");
  parts.each([&](std::span<const std::byte> part) { XXH3_64bits_update(state, part.data(), part.size()); });
  const std::uint64_t digest = XXH3_64bits_digest(state);
  XXH3_freeState(state);
  return digest;
}

CheckpointParts parts_of(const Checkpoint& checkpoint) {
  CheckpointParts parts{checkpoint.iteration, {}, {}, checkpoint.retained};
  parts.image.refer(checkpoint.image.bytes());
  parts.meters.refer(checkpoint.meters.bytes());
  return parts;
}

}  // namespace

ByteParts encode_checkpoint(const CheckpointOwner& owner, const CheckpointParts& checkpoint) {
  std::vector<PacketRef> packets;
  std::vector<std::uint32_t> which;
  for (const Outgoing& message : checkpoint.retained) {
    auto known = std::ranges::find(packets, message.packet);
    if (known == packets.end()) known = packets.insert(known, message.packet);
    which.push_back(static_cast<std::uint32_t>(known - packets.begin()));
  }
  ByteParts out;
  out.bytes(checkpoint_magic);
  out.number(checkpoint_version);
  out.number(owner.run_id);
  out.number(owner.peer);
  out.number(owner.peer_count);
  out.number(owner.scalar_bytes);
  out.number(static_cast<std::uint32_t>(packets.size()));
  out.number(owner.dimension);
  out.number(checkpoint.iteration);
  out.number(std::uint64_t{checkpoint.image.size()});
  out.number(std::uint64_t{checkpoint.meters.size()});
  out.number(static_cast<std::uint32_t>(checkpoint.retained.size()));
  out.number(std::uint32_t{0});
  out.refer(checkpoint.image);
  out.refer(checkpoint.meters);
  for (const PacketRef& packet : packets) {
    write_length(out, packet->size());
    out.refer(packet->bytes());
  }
  for (std::size_t k = 0; k < which.size(); ++k) {
    const Outgoing& message = checkpoint.retained[k];
    out.number(message.to);
    out.number(message.key.iteration);
    out.number(message.key.slot);
    out.number(message.key.sender);
    out.number(which[k]);
  }
  out.number(checksum(out));
  return out;
}

std::vector<std::byte> encode_checkpoint(const CheckpointOwner& owner, const Checkpoint& checkpoint) {
  return encode_checkpoint(owner, parts_of(checkpoint)).joined();
}

ReadCheckpoint decode_checkpoint(const CheckpointOwner& owner, const SharedBytes& file, PacketPool& pool) {
  const std::span<const std::byte> bytes = file;
  if (bytes.size() < head_bytes + checksum_bytes)
    return refused("it has " + std::to_string(bytes.size()) + " bytes, too few for a checkpoint");
  ByteReader in(bytes.first(bytes.size() - checksum_bytes));
  if (!std::ranges::equal(in.bytes(checkpoint_magic.size()), checkpoint_magic))
    return refused("it is no checkpoint");
  if (const auto version = in.number<std::uint32_t>(); version != checkpoint_version)
    return refused("it is of version " + std::to_string(version) + ", this program reads version " +
                   std::to_string(checkpoint_version));
  const auto written = load_little_endian<std::uint64_t>(bytes.last(checksum_bytes));
  if (checksum(bytes.first(bytes.size() - checksum_bytes)) != written)
    return refused("it is damaged: its checksum is another");
  CheckpointOwner found;
  found.run_id = in.number<std::uint32_t>();
  found.peer = in.number<std::uint32_t>();
  found.peer_count = in.number<std::uint32_t>();
  found.scalar_bytes = in.number<std::uint32_t>();
  const auto packet_count = in.number<std::uint32_t>();
  found.dimension = in.number<std::uint64_t>();
  if (std::string sentence = difference(owner, found); !sentence.empty()) {
    ReadCheckpoint foreign = refused(std::move(sentence));
    foreign.of_another_run = true;
    return foreign;
  }

  Checkpoint checkpoint;
  checkpoint.iteration = in.number<std::uint64_t>();
  const auto image_bytes = in.number<std::uint64_t>();
  const auto meters_bytes = in.number<std::uint64_t>();
  const auto message_count = in.number<std::uint32_t>();
  const bool zero = in.number<std::uint32_t>() == 0;
  const auto image = in.bytes(image_bytes);
  const auto meters = in.bytes(meters_bytes);
  checkpoint.image = file.only(image);
  checkpoint.meters = file.only(meters);
  std::vector<PacketRef> packets;
  for (std::uint32_t k = 0; k < packet_count && !in.failed(); ++k)
    packets.push_back(packet_of(in.bytes(read_length(in)), pool));
  for (std::uint32_t k = 0; k < message_count && !in.failed(); ++k) {
    Outgoing message;
    message.to = in.number<std::uint32_t>();
    message.key.iteration = in.number<std::uint64_t>();
    message.key.slot = in.number<std::uint32_t>();
    message.key.sender = in.number<std::uint32_t>();
    const auto place = in.number<std::uint32_t>();
    if (place >= packets.size() || message.to >= owner.peer_count) in.fail();
    if (!in.failed()) message.packet = packets[place];
    checkpoint.retained.push_back(std::move(message));
  }
  if (!zero || !in.read_whole()) return refused("its parts do not fit together");
  return {std::move(checkpoint), ""};
}

ReadCheckpoint read_checkpoint(const CheckpointOwner& owner, const std::filesystem::path& file,
                               PacketPool& packets) {
  FileBytes content = read_bytes(file);
  if (!content.bytes) return refused(content.defect);
  ReadCheckpoint read = decode_checkpoint(owner, std::move(*content.bytes), packets);
  if (!read.checkpoint) read.defect = "cannot use " + file.string() + ": " + read.defect;
  return read;
}

std::filesystem::path checkpoint_path(const std::filesystem::path& directory, PeerId peer,
                                      std::uint64_t iteration) {
  return directory / numbered_name(checkpoint_kind, peer, iteration);
}

std::optional<std::string> write_checkpoint(const std::filesystem::path& directory,
                                            const CheckpointOwner& owner, const Checkpoint& checkpoint,
                                            std::size_t keep) {
  return write_checkpoint(directory, owner, parts_of(checkpoint), keep);
}

std::optional<std::string> write_checkpoint(const std::filesystem::path& directory,
                                            const CheckpointOwner& owner, const CheckpointParts& checkpoint,
                                            std::size_t keep) {
  const std::filesystem::path file = checkpoint_path(directory, owner.peer, checkpoint.iteration);
  if (auto error = try_to_write_file(file, encode_checkpoint(owner, checkpoint), Durability::power_failure))
    return error;
  // The new file is written. A file that cannot be removed takes room and does no other harm.
  std::error_code ignored;
  const std::vector<std::uint64_t> held = list_checkpoints(directory, owner.peer);
  const auto newer = std::ranges::upper_bound(held, checkpoint.iteration);
  const auto kept =
      newer - std::min<std::ptrdiff_t>(newer - held.begin(),
                                       std::max<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(keep), 1));
  for (auto one = held.begin(); one != held.end(); ++one)
    if (one < kept || one >= newer)
      std::filesystem::remove(checkpoint_path(directory, owner.peer, *one), ignored);
  for (const std::filesystem::path& partial : partial_files(directory, checkpoint_kind, owner.peer))
    std::filesystem::remove(partial, ignored);
  return std::nullopt;
}

std::vector<std::uint64_t> list_checkpoints(const std::filesystem::path& directory, PeerId peer) {
  return numbered_files(directory, checkpoint_kind, peer);
}

std::vector<std::uint64_t> valid_checkpoints(const std::filesystem::path& directory,
                                             const CheckpointOwner& owner,
                                             std::vector<std::string>* passed_over) {
  PacketPool packets;
  std::vector<std::uint64_t> iterations = list_checkpoints(directory, owner.peer);
  std::erase_if(iterations, [&](std::uint64_t iteration) {
    const std::filesystem::path file = checkpoint_path(directory, owner.peer, iteration);
    const ReadCheckpoint read = read_checkpoint(owner, file, packets);
    if (read.checkpoint && read.checkpoint->iteration == iteration) return false;
    if (passed_over)
      passed_over->push_back(read.checkpoint ? "cannot use " + file.string() + ": it is of iteration " +
                                                   std::to_string(read.checkpoint->iteration)
                                             : read.defect);
    return true;
  });
  return iterations;
}

std::size_t checkpoints_to_keep(std::uint64_t lead, std::uint64_t every) {
  return static_cast<std::size_t>(1 + (lead + every - 1) / every);
}

}  // namespace hearsay
