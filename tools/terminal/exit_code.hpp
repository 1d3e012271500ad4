#pragma once

namespace hearsay {

/// The exit codes of the program.
enum ExitCode : int {
  exit_done = 0,     ///< also when the target was reached
  exit_failure = 1,  ///< a bug, or a machine at its limits (memory)
  exit_misuse = 2,
  exit_lost = 3,
  exit_diverged = 4,
  exit_refuted = 5,
  exit_interrupted = 130,
};

/// What an exit code says, for people.
struct ExitMeaning {
  ExitCode code;
  const char* meaning;
};
inline constexpr ExitMeaning exit_meanings[] = {
    {exit_done, "done; also if the target was reached, or the run ended at a plateau"},
    {exit_failure, "a bug, or a machine at its limits"},
    {exit_misuse, "the input is wrong: one sentence says what"},
    {exit_lost, "a peer was lost"},
    {exit_diverged, "the run diverged"},
    {exit_refuted, "a claim of the sweep does not hold"},
    {exit_interrupted, "interrupted"},
};

}  // namespace hearsay
