// A checkpoint file. Byte 0 says whether its last eight bytes are made the checksum of the others, so that
// the checks after the checksum are reached, too.
#include "runtime/checkpoint/checkpoint.hpp"

#include <xxhash.h>

#include "runtime/foundation/little_endian.hpp"
#include "tests/fuzz/input.hpp"
#include "topology/foundation/ensure.hpp"

using namespace hearsay;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const CheckpointOwner owner{
      .run_id = 1, .peer = 3, .peer_count = 8, .scalar_bytes = 4, .dimension = 5};
  fuzz::Input input(data, size);
  const bool mended = input.take<std::uint8_t>() % 2 == 1;
  std::vector<std::byte> bytes = input.rest();
  if (mended && bytes.size() >= 8)
    store_little_endian(std::uint64_t{XXH3_64bits(bytes.data(), bytes.size() - 8)}, std::span(bytes).last(8));

  PacketPool packets;
  const ReadCheckpoint read = decode_checkpoint(owner, SharedBytes(bytes), packets);
  ensure(read.checkpoint.has_value() == read.defect.empty(), "what is no checkpoint is said in a sentence");
  if (!read.checkpoint) return 0;
  // Packets without a message are not written again, so the bytes may differ once; after one decoding they do
  // not change any more.
  const std::vector<std::byte> once = encode_checkpoint(owner, *read.checkpoint);
  const ReadCheckpoint again = decode_checkpoint(owner, once, packets);
  ensure(again.checkpoint && encode_checkpoint(owner, *again.checkpoint) == once,
         "a checkpoint survives the way back");
  return 0;
}
