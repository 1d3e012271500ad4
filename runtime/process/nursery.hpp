#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "runtime/foundation/notice.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A process that was forked while its parent still had one thread, and forks on demand: a process with
/// threads (ZeroMQ's) cannot fork one that goes on with the same code and data. It ends with its parent,
/// and so do those that it bore.
class Nursery {
 public:
  /// What a new process does, given who it is to be, a word, and its end of a socket to the one who
  /// asked for it; returns its exit code.
  using Life = std::function<int(PeerId, const std::string&, int socket)>;

  /// `notice` is told of a Life that has thrown. Throws Misuse where the machine gives out no more processes.
  Nursery(Life life, const Notice& notice);
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  /// This end of the socket (SOCK_SEQPACKET) to a new process, or -1. It closes when the process ends.
  int bear(PeerId id, const std::string& word);

  /// For the other processes of the same parent, which have no use for it.
  int socket() const { return socket_; }

 private:
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace hearsay
