#include "runtime/checkpoint/checkpoint.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <string>

#include "runtime/observer/checkpoint_period.hpp"
#include "tests/support/full_disk.hpp"
#include "tests/support/temporary_folder.hpp"

namespace hearsay::checkpoint_test {

using test::FullDisk;

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

PacketRef packet_of(const std::string& text, PacketPool& packets) {
  PacketBuffer packet = packets.acquire();
  std::ranges::copy(bytes_of(text), packet.resize(text.size()).begin());
  return std::move(packet).seal();
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  std::string text;
  for (const std::byte byte : bytes)
    for (const int nibble : {std::to_integer<int>(byte) >> 4, std::to_integer<int>(byte) & 15})
      text += "0123456789abcdef"[nibble];
  return text;
}

const CheckpointOwner peer_three = {
    .run_id = 0x01020304, .peer = 3, .peer_count = 8, .scalar_bytes = 4, .dimension = 5};

/// A checkpoint with three messages: two neighbors were sent the same packet, and one of them another packet.
Checkpoint small(std::uint64_t iteration, PacketPool& packets) {
  const PacketRef shared = packet_of("ab", packets);
  return {.iteration = iteration,
          .image = bytes_of("IMAGE"),
          .meters = bytes_of("M"),
          .retained = {{2, {iteration, 0, 3}, shared},
                       {4, {iteration, 0, 3}, shared},
                       {4, {iteration, 1, 3}, packet_of("c", packets)}}};
}

std::string defect_of(std::span<const std::byte> bytes, const CheckpointOwner& owner = peer_three) {
  PacketPool packets;
  const ReadCheckpoint read = decode_checkpoint(owner, SharedBytes(bytes), packets);
  CHECK(read.checkpoint.has_value() == read.defect.empty());
  return read.defect;
}

bool same(const Checkpoint& a, const Checkpoint& b) {
  if (a.iteration != b.iteration || a.image != b.image || a.meters != b.meters) return false;
  return std::ranges::equal(a.retained, b.retained, [](const Outgoing& one, const Outgoing& other) {
    return one.to == other.to && one.key == other.key &&
           std::ranges::equal(one.packet->bytes(), other.packet->bytes());
  });
}

std::vector<std::byte> content(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return bytes_of({std::istreambuf_iterator<char>(in), {}});
}

}  // namespace

TEST_CASE(
    "checkpoint: what is written is read again, and a packet for several neighbors is one packet again") {
  PacketPool packets;
  const Checkpoint written = small(100, packets);
  const ReadCheckpoint read = decode_checkpoint(peer_three, encode_checkpoint(peer_three, written), packets);
  REQUIRE(read.checkpoint);
  CHECK(same(*read.checkpoint, written));
  CHECK(read.checkpoint->retained[0].packet == read.checkpoint->retained[1].packet);
  CHECK(read.checkpoint->retained[1].packet != read.checkpoint->retained[2].packet);
}

// clang-format off
TEST_CASE("checkpoint: the bytes of version 3") {
  PacketPool packets;
  CHECK(hexadecimal(encode_checkpoint(peer_three, small(100, packets))) ==
        // head
        "6865617273617900" "03000000" "04030201" "03000000" "08000000" "04000000" "02000000"
        "0500000000000000" "6400000000000000" "0500000000000000" "0100000000000000" "03000000" "00000000"
        // image, meters, two packets
        "494d414745" "4d" "02000000" "6162" "01000000" "63"
        // three messages: to, iteration, slot, sender, which packet
        "02000000" "6400000000000000" "00000000" "03000000" "00000000"
        "04000000" "6400000000000000" "00000000" "03000000" "00000000"
        "04000000" "6400000000000000" "01000000" "03000000" "01000000"
        // checksum
        "db8dbe09b5f2e36c");
}
// clang-format on

TEST_CASE("checkpoint: every truncation, every bit flip and every byte more is refused") {
  PacketPool packets;
  std::vector<std::byte> bytes = encode_checkpoint(peer_three, small(100, packets));
  REQUIRE(defect_of(bytes).empty());
  for (std::size_t length = 0; length < bytes.size(); ++length)
    CHECK(!defect_of(std::span(bytes).first(length)).empty());
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    const auto mask = std::byte(1 << bit % 8);
    bytes[bit / 8] ^= mask;
    CHECK(!defect_of(bytes).empty());
    bytes[bit / 8] ^= mask;
  }
  bytes.push_back(std::byte{0});
  CHECK(!defect_of(bytes).empty());
}

TEST_CASE("checkpoint: a file says in a sentence why it is not taken") {
  PacketPool packets;
  const std::vector<std::byte> bytes = encode_checkpoint(peer_three, small(100, packets));
  CHECK(defect_of(std::span(bytes).first(79)) == "it has 79 bytes, too few for a checkpoint");
  CHECK(defect_of(std::vector<std::byte>(100)) == "it is no checkpoint");
  auto changed = bytes;
  changed[8] = std::byte{7};
  CHECK(defect_of(changed) == "it is of version 7, this program reads version 3");
  changed = bytes;
  changed[75] ^= std::byte{1};
  CHECK(defect_of(changed) == "it is damaged: its checksum is another");
  CheckpointOwner other = peer_three;
  other.peer = 4;
  CHECK(defect_of(bytes, other) == "it is of peer 3, where 4 was expected");
  other = peer_three;
  other.run_id = 9;
  CHECK(defect_of(bytes, other) == "it is of a run with other settings");
  other = peer_three;
  other.peer_count = 9;
  CHECK(defect_of(bytes, other) == "it is of a run with 8 peers, where 9 was expected");
  other = peer_three;
  other.scalar_bytes = 8;
  CHECK(defect_of(bytes, other) == "it is of scalars with 4 bytes, where 8 was expected");
  other = peer_three;
  other.dimension = 6;
  CHECK(defect_of(bytes, other) == "it is of a model with dimension 5, where 6 was expected");
}

TEST_CASE(
    "checkpoint: the newest files are kept, those of another peer are let alone, half of one is cleared "
    "away") {
  const TemporaryFolder folder("checkpoint");
  PacketPool packets;
  folder.write("checkpoint-3-000000000007.partial", "half");
  folder.write("checkpoint-3-7", "not the name of one");
  folder.write("checkpoint-31-000000000001", "another peer's");
  for (const std::uint64_t iteration : {10, 20, 30, 40})
    CHECK(!write_checkpoint(folder.path(), peer_three, small(iteration, packets), 3));
  CHECK(list_checkpoints(folder.path(), 3) == std::vector<std::uint64_t>{20, 30, 40});
  CHECK(list_checkpoints(folder.path(), 31) == std::vector<std::uint64_t>{1});
  CHECK(!std::filesystem::exists(folder.path() / "checkpoint-3-000000000007.partial"));
  CHECK(std::filesystem::exists(folder.path() / "checkpoint-3-000000000030"));
  // After a return to 20, later checkpoints belong to this run no more.
  CHECK(!write_checkpoint(folder.path(), peer_three, small(20, packets), 3));
  CHECK(list_checkpoints(folder.path(), 3) == std::vector<std::uint64_t>{20});
  CHECK(list_checkpoints(folder.path() / "nowhere", 3).empty());
}

TEST_CASE(
    "checkpoint: of what a directory holds, damaged files and those under another's name do not count") {
  const TemporaryFolder folder("checkpoint");
  PacketPool packets;
  for (const std::uint64_t iteration : {10, 20, 30})
    REQUIRE(!write_checkpoint(folder.path(), peer_three, small(iteration, packets), 9));
  CHECK(valid_checkpoints(folder.path(), peer_three) == std::vector<std::uint64_t>{10, 20, 30});
  std::filesystem::resize_file(checkpoint_path(folder.path(), 3, 30), 80);
  std::filesystem::copy_file(checkpoint_path(folder.path(), 3, 10), checkpoint_path(folder.path(), 3, 40));
  CHECK(valid_checkpoints(folder.path(), peer_three) == std::vector<std::uint64_t>{10, 20});
  std::filesystem::create_directory(folder.path() / "checkpoint-3-000000000050");
  std::vector<std::string> passed_over;
  CHECK(valid_checkpoints(folder.path(), peer_three, &passed_over) == std::vector<std::uint64_t>{10, 20});
  REQUIRE(passed_over.size() == 3);
  const auto named = [&](std::uint64_t iteration) {
    return "cannot use " + checkpoint_path(folder.path(), 3, iteration).string() + ": it is ";
  };
  CHECK(passed_over[0] == named(30) + "damaged: its checksum is another");
  CHECK(passed_over[1] == named(40) + "of iteration 10");
  CHECK(passed_over[2].ends_with("it is not a regular file"));
  CHECK(read_checkpoint(peer_three, checkpoint_path(folder.path(), 3, 50), packets)
            .defect.ends_with("it is not a regular file"));
  CHECK(read_checkpoint(peer_three, checkpoint_path(folder.path(), 3, 60), packets)
            .defect.ends_with("No such file or directory"));
}

TEST_CASE("checkpoint: the newest common iteration is in every list, or there is none") {
  using Lists = std::vector<std::vector<std::uint64_t>>;
  CHECK(newest_common(Lists{{10, 20, 30}, {20, 30, 40}, {10, 20}}) == 20);
  CHECK(newest_common(Lists{{30, 20}, {20, 30}}) == 30);
  CHECK(!newest_common(Lists{{10}, {20}}));
  CHECK(!newest_common(Lists{{10}, {}}));
  CHECK(!newest_common(Lists{}));
  CHECK(newest_common(Lists{{5, 10}}) == 10);
}

TEST_CASE("checkpoint: one more is kept than what peers can be apart fills") {
  CHECK(checkpoints_to_keep(0, 10) == 1);
  CHECK(checkpoints_to_keep(4, 10) == 2);
  CHECK(checkpoints_to_keep(10, 10) == 2);
  CHECK(checkpoints_to_keep(11, 10) == 3);
  CHECK(checkpoints_to_keep(50, 1) == 51);
}

TEST_CASE("checkpoint: where the disk is full it says so, and the earlier file is as it was") {
  const TemporaryFolder folder("checkpoint");
  PacketPool packets;
  REQUIRE(!write_checkpoint(folder.path(), peer_three, small(10, packets), 1));
  const auto before = content(checkpoint_path(folder.path(), 3, 10));
  Checkpoint large = small(20, packets);
  large.image = std::vector<std::byte>(100'000);
  std::optional<std::string> error;
  {
    const FullDisk full(4096);
    error = write_checkpoint(folder.path(), peer_three, large, 1);
  }
  REQUIRE(error);
  CHECK(error->ends_with("checkpoint-3-000000000020: File too large"));
  CHECK(list_checkpoints(folder.path(), 3) == std::vector<std::uint64_t>{10});
  CHECK(content(checkpoint_path(folder.path(), 3, 10)) == before);
  CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
  // With room again, the checkpoint is written.
  CHECK(!write_checkpoint(folder.path(), peer_three, large, 1));
  CHECK(list_checkpoints(folder.path(), 3) == std::vector<std::uint64_t>{20});
}

TEST_CASE("checkpoint: where there is no such directory it says so") {
  PacketPool packets;
  const TemporaryFolder folder("checkpoint");
  const auto error = write_checkpoint(folder.path() / "nowhere", peer_three, small(10, packets), 1);
  REQUIRE(error);
  CHECK(error->ends_with("No such file or directory"));
}

}  // namespace hearsay::checkpoint_test
