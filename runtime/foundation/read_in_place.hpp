#pragma once

#include <cstddef>
#include <span>

namespace hearsay {

/// Memory in which models stand until they are evaluated. Who reads them there takes no copies, and says what
/// it has read.
class ReadInPlace {
 public:
  virtual ~ReadInPlace() = default;
  virtual bool holds(std::span<const std::byte> bytes) const = 0;
  /// These bytes, which this process has read, count no more as its memory until it reads them again.
  virtual void let_go(std::span<const std::byte> bytes) const = 0;

 protected:
  ReadInPlace() = default;
  ReadInPlace(const ReadInPlace&) = delete;
  ReadInPlace& operator=(const ReadInPlace&) = delete;
};

}  // namespace hearsay
