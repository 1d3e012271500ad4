#pragma once

#include <sys/types.h>

#include <functional>
#include <optional>
#include <string>

#include "runtime/foundation/notice.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A fork server: a process that forks peers on demand. It is forked itself while its parent has a single
/// thread, since a process with threads (ZeroMQ's) cannot safely fork. It ends with its parent, and its
/// children end with it.
class ForkServer {
 public:
  /// What a new process does. Gets what was given to `fork_peer`, and its end of the socket to the process
  /// that asked for it. Returns the exit code.
  using PeerMain = std::function<int(PeerId, const std::string& address, bool resumes, int socket)>;
  struct Forked {
    pid_t process = -1;
    int socket =
        -1;  ///< this end of a SOCK_SEQPACKET socket to it; the process is gone if the other is closed
  };

  /// Forks the fork server; `peer_main` is run by each process that it forks. `notice` is told what a
  /// PeerMain throws. Throws Misuse if the machine gives out no more processes.
  /// `peers_outlive_parent`: what it forks goes on without the parent (parent_end.hpp).
  ForkServer(PeerMain peer_main, const Notice& notice, bool peers_outlive_parent = false);
  ~ForkServer();
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  /// Forks a new process, which is to listen at `address` (at most 511 bytes) and resumes from checkpoints or
  /// does not. Returns nothing if that failed.
  std::optional<Forked> fork_peer(PeerId id, const std::string& address, bool resumes);

  /// The socket to the fork server. Readable if the fork server has died; children of the same parent close
  /// it.
  int socket() const { return socket_; }

 private:
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace hearsay
