#pragma once

#include <string>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A free TCP port of 127.0.0.1 that the kernel gives to nobody else while this object lives, for a process
/// that listens there later. Nobody listens there before: who connects is refused. A socket that reuses
/// addresses (SO_REUSEADDR), as ZeroMQ's do, can be bound to it all the same.
class ReservedPort {
 public:
  /// Throws Misuse if the machine gives out none.
  ReservedPort();
  /// "tcp://127.0.0.1:40123"
  const std::string& address() const { return address_; }

 private:
  FileDescriptor socket_;
  std::string address_;
};

}  // namespace hearsay
