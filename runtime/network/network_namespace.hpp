#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A network namespace: interfaces, addresses and routes of its own, with which the machine's own network has nothing to do.
///
/// It has no name: it exists as long as this object (or a copy of its descriptor in a child process) or a process in it, so
/// that nothing is left behind even where this process is killed. Its cables go with it.
class NetworkNamespace {
 public:
  /// Empty but for its loopback interface, which is up. Misuse where this process may not have one, that is, is not root.
  NetworkNamespace();

  /// The calling thread, and the threads and processes that it starts from now on, are in the namespace.
  void enter() const;

  /// What the program, run in the namespace, prints. Misuse where it does not succeed, with its first complaint.
  std::string run(const std::vector<std::string>& words) const;
  /// Whether the program succeeds.
  bool succeeds(const std::vector<std::string>& words) const;

  /// How other programs (`ip`, `nsenter`) find it while this process lives.
  std::string path() const;
  /// Tells it from all others.
  std::uint64_t inode() const;

  /// Bytes that the kernel has sent out of the interface through its limit (tbf), every frame with its headers; 0 where there
  /// is no limit.
  std::uint64_t limited_bytes(const std::string& interface) const;

 private:
  FileDescriptor place_;
};

/// The calling thread is in the namespace as long as the object lives. What is opened there stays there: sockets, and the
/// threads of a ZeroMQ context.
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
