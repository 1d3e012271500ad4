#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hearsay::test {

// A reader of TensorBoard's event files, written from the definitions of TFRecord, of the encoding of
// protocol buffers, and of event.proto and summary.proto. It shares no code with the writer.

using ReadScalars = std::vector<std::pair<std::string, float>>;

/// A tensorflow.Event.
struct ReadEvent {
  double wall_time = 0.0;
  std::int64_t step = 0;
  std::string file_version;
  ReadScalars scalars;
};

/// Returns the events of a file. Throws std::runtime_error if a checksum is wrong, the file ends within a
/// record, or a message has a field that the definitions do not have.
std::vector<ReadEvent> read_events(std::string_view bytes);

/// Returns the CRC-32C of the bytes, by the division of polynomials, bit by bit.
std::uint32_t crc32c_bit_by_bit(std::string_view bytes);

}  // namespace hearsay::test
