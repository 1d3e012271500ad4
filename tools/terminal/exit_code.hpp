#pragma once

namespace hearsay {

/// The exit codes of the program.
enum ExitCode : int {
  exit_done = 0,     ///< also when the target was reached
  exit_failure = 1,  ///< a bug, or a machine at its limits (memory)
  exit_misuse = 2,
  exit_lost = 3,
  exit_diverged = 4,
  exit_interrupted = 130,
};

}  // namespace hearsay
