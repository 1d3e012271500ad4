#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// How the program of a peer is started.
struct ProgramCommand {
  std::vector<std::string> words;   ///< the program, looked for in PATH, and its arguments
  std::filesystem::path directory;  ///< the folder in which it runs
  PeerId peer = 0;
  std::size_t peers = 1;
  int output = -1;  ///< where its standard output and error go; -1: where those of this process go
};

/// How long is waited for what was killed and does not end, since it waits for a lost disk or device. The
/// first that does not end uses it up for all programs that share this.
struct KilledPatience {
  std::chrono::milliseconds left{2000};
};

/// A program that this process, or one that it was forked from, has started, in a process group of its own.
/// The kernel kills it when the thread that started it ends; the destructor lets it go on.
class ProgramProcess {
 public:
  struct Started;
  /// Starts the program. Its environment has HEARSAY_CHANNEL, the socket, and what README.md lists. Throws
  /// Misuse if it cannot be started.
  static Started start(const ProgramCommand& command);

  /// Readable once it has ended.
  int watch() const { return watch_.number(); }
  /// True once it has ended. Waits for at most `patience_ms` (-1: as long as it takes).
  bool is_gone(int patience_ms) const;
  /// The same. If it has ended, what it has forked has been killed and has ended, too, and `how` says how it
  /// ended.
  bool has_ended(int patience_ms, KilledPatience& with_killed);
  bool has_ended(int patience_ms) {
    KilledPatience with_killed;
    return has_ended(patience_ms, with_killed);
  }
  /// "with exit code 1", "by signal 9 (Killed)"; empty if it has not ended, or this process cannot know.
  std::string how() const;
  /// True if it ended by itself: by an exit, or by SIGABRT, as after an exception in C++. False if it was
  /// killed, if it crashed, or if this process cannot know.
  bool ended_by_itself() const;
  /// True if it ended, and not with exit code 0. False if this process cannot know.
  bool ended_badly() const { return status_.value_or(0) != 0; }
  /// Sends a signal to the program and to what it has forked. Any process that holds this may call it.
  void signal(int number) const;

 private:
  pid_t process_ = -1;
  pid_t parent_ = -1;     // the process that has started it
  FileDescriptor watch_;  // readable once the process has ended
  bool ended_ = false;
  std::optional<int> status_;  // as of waitpid
};

struct ProgramProcess::Started {
  ProgramProcess process;
  FileDescriptor channel;  ///< this end of the socket
};

}  // namespace hearsay
