#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace hearsay {

/// Prints how long the others stand when a peer is killed or freezes under policy "drop", and how soon one
/// that is started anew has joined, beside what is wanted. `children`:
/// those of this process, ascending.
void measure_drop(const std::function<std::vector<pid_t>()>& children);

}  // namespace hearsay
