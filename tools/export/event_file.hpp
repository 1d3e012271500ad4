#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hearsay {

/// A scalar as TensorBoard names it: its tag, and the value.
using TaggedScalar = std::pair<std::string, double>;

/// An event file, which TensorBoard reads: records (TFRecord) of protocol buffers (tensorflow.Event). Pure.
///
///     record   u64 length, u32 masked CRC-32C of the length, the event, u32 masked CRC-32C of the event
///     event    1: double wall_time (s since 1970), 2: int64 step, 3: string file_version, 5: Summary
///     Summary  1: Value, once per scalar
///     Value    1: string tag, 2: float simple_value
///
/// All numbers are little-endian. A checksum c is masked: c rotated to the right by 15 bits, plus 0xa282ead8.
/// These few messages are written by hand, since the three kinds of fields take less code than a library and
/// its compiler would take in the build.
class EventFile {
 public:
  /// The file begins with its version, written at `wall_time`.
  explicit EventFile(double wall_time);
  void add(double wall_time, std::int64_t step, const std::vector<TaggedScalar>& scalars);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;

  void append(const std::string& event);
};

}  // namespace hearsay
