#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A network namespace: interfaces, addresses and routes of its own, separate from the machine's network.
///
/// The namespace has no name. It exists as long as this object (or a copy of its descriptor in a child
/// process) or a process in it, so that nothing is left behind even if this process is killed. Its cables
/// vanish with it.
class NetworkNamespace {
 public:
  /// Makes a namespace with nothing but a loopback interface, which is up. Misuse if this process may not
  /// make one, that is, is not root.
  NetworkNamespace();

  /// Moves the calling thread into the namespace, with all threads and processes that it starts from now on.
  void enter() const;

  /// What a program prints that is run in the namespace. Misuse with its first complaint if it fails.
  std::string run(const std::vector<std::string>& words) const;
  /// True if the program succeeds.
  bool succeeds(const std::vector<std::string>& words) const;

  /// The path by which other programs (`ip`, `nsenter`) find the namespace while this process lives.
  std::string path() const;
  /// Identifies the namespace.
  std::uint64_t inode() const;

  /// Bytes that the kernel has sent out of the interface through its limit (tbf), every frame with its
  /// headers; 0 if there is no limit.
  std::uint64_t limited_bytes(const std::string& interface) const;

 private:
  FileDescriptor place_;
};

/// Keeps the calling thread in the namespace as long as the object lives. What it opens there stays there:
/// sockets, and the threads of a ZeroMQ context.
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
