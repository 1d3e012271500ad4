#pragma once

#include <sys/types.h>

namespace hearsay {

// The process groups of the programs that this process has started and not yet seen end. The kernel ends a
// program with its starter, but not what the program has forked.

/// Call this while signals are blocked: a handler finds a group at once or not at all.
void note_program_group(pid_t group);
/// Call this before the number of the group may become that of another one.
void forget_program_group(pid_t group);
/// Kills all of them. A signal handler may call this before it ends the process.
void kill_program_groups();

}  // namespace hearsay
