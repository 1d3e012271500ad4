#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

#include "runtime/foundation/notice.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// A fork server: a process that forks peers on demand. It is forked itself while its parent has a single
/// thread, since a process with threads (ZeroMQ's) cannot safely fork. It ends with its parent, and its
/// children end with it.
class Nursery {
 public:
  /// What a new process does. Gets the peer's id, the word given to `bear`, and its end of the socket to the
  /// process that asked for it. Returns the exit code.
  using Life = std::function<int(PeerId, const std::string&, int socket)>;

  /// Forks the nursery; `life` is run by each process that it forks. `notice` is told what a Life throws.
  /// Throws Misuse if the machine gives out no more processes.
  Nursery(Life life, const Notice& notice);
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  /// Forks a new process. Returns this end of a SOCK_SEQPACKET socket to it; -1 if that failed. The other end
  /// is closed when the process ends, or if it could not be forked. `word` has at most 511 bytes.
  int bear(PeerId id, const std::string& word);

  /// The socket to the nursery. Readable if the nursery has died; children of the same parent close it.
  int socket() const { return socket_; }

 private:
  pid_t process_ = -1;
  int socket_ = -1;
};

}  // namespace hearsay
