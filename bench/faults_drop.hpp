#pragma once

#include <sys/types.h>

#include <functional>
#include <vector>

namespace hearsay {

/// Prints how long the survivors stand still if a peer is killed or freezes under failure.policy = "drop",
/// and how soon a peer that is started anew has joined, each beside the wanted figure. `children` returns the
/// child processes of this process, ascending.
void measure_drop(const std::function<std::vector<pid_t>()>& children);

}  // namespace hearsay
