#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// The namespace has no name. It exists as long as this object, a copy of its descriptor in a child process,
/// or a process in the namespace. So nothing is left behind even if this process is killed: the cables vanish
/// with the namespace.
class NetworkNamespace {
 public:
  /// Makes a namespace that has only a loopback interface, which is up. Throws Misuse if this process may not
  /// make one (it is not root).
  NetworkNamespace();

  /// Moves the calling thread into the namespace. Threads and processes that it starts from then on are in
  /// the namespace, too.
  void enter() const;

  /// Runs a program in the namespace. Returns what it prints on standard output. Throws Misuse with the first
  /// line of its standard error if it fails.
  std::string run(const std::vector<std::string>& words) const;
  /// Runs a program in the namespace. Returns true if it succeeds.
  bool succeeds(const std::vector<std::string>& words) const;

  /// Returns the path by which other programs (`ip`, `nsenter`) find the namespace while this process lives.
  std::string path() const;

  /// Returns the bytes that the kernel has sent out of the interface through its limit (tbf): Ethernet frames
  /// with their headers; 0 if there is no limit.
  std::uint64_t limited_bytes(const std::string& interface) const;

 private:
  FileDescriptor place_;
};

/// Keeps the calling thread in the namespace as long as the object lives. What the thread opens there stays
/// in the namespace: sockets, and the threads of a ZeroMQ context.
class NamespaceVisit {
 public:
  explicit NamespaceVisit(const NetworkNamespace& place);
  ~NamespaceVisit();
  NamespaceVisit(const NamespaceVisit&) = delete;
  NamespaceVisit& operator=(const NamespaceVisit&) = delete;

 private:
  FileDescriptor home_;
};

}  // namespace hearsay
