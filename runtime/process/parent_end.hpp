#pragma once

namespace hearsay {

// What a forked peer does when its parent ends. Each function sets up the calling process; the caller must
// then check that its parent has not ended before.

/// The process is killed with its parent, and leaves Ctrl-C to it.
void end_with_parent();
/// The process goes on (policy "drop"), and takes note of the parent's end and of Ctrl-C.
void outlive_parent();

/// True if the parent of a process that outlives it has ended.
bool parent_has_ended();
/// True if the user has also asked for the end. Ctrl-C reaches all processes of the group, and the parent
/// tells the children what to do. But a parent that ended at once (second Ctrl-C) may have told none.
bool must_end_without_parent();

}  // namespace hearsay
