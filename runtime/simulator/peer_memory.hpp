#pragma once

#include <cstddef>

namespace hearsay {

// With many peers nothing of a peer is in the caches of the processor when its turn comes, and most of the
// time would be spent waiting for memory, a line at a time. Events say whose turn comes next.

/// Up to so many peers are in the caches anyway.
inline constexpr std::size_t peers_in_caches = 1000;

/// What a peer owns (its method, its vectors, its inbox) was allocated when the peer was made, so most of it
/// lies within so many bytes before and behind the peer.
inline constexpr std::size_t bytes_around_peer = 4096;
/// The same of an objective: behind it.
inline constexpr std::size_t bytes_behind_objective = 1024;

}  // namespace hearsay
