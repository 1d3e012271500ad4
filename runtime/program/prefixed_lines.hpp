#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "runtime/foundation/file_descriptor.hpp"

namespace hearsay {

/// A process that copies what programs print to the standard error of this process, line by line, with the
/// program's prefix in front of each. It is a process and no thread, since the peers of a run are forked from
/// a process without threads. It ends when all that may print have closed their pipes, and a second after the
/// end of this process and its forks at the latest.
class PrefixedLines {
 public:
  /// One pipe for each of the prefixes: "peer 3 | ". Throws Misuse if the machine gives out no more pipes or
  /// processes.
  explicit PrefixedLines(const std::vector<std::string>& prefixes);
  /// Closes the pipes, and waits until the last lines are out, for a second at most.
  ~PrefixedLines();
  PrefixedLines(const PrefixedLines&) = delete;
  PrefixedLines& operator=(const PrefixedLines&) = delete;

  /// The descriptor to which program `k` prints.
  int pipe(std::size_t k) const { return pipes_[k].number(); }

 private:
  std::vector<FileDescriptor> pipes_;
  FileDescriptor life_;  // ends with the last of the processes that may print
  pid_t owner_ = -1;
  pid_t copier_ = -1;
  FileDescriptor watch_;  // readable once the copier has ended
};

}  // namespace hearsay
