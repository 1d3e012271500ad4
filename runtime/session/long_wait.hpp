#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What becomes of a neighbor that stays silent.
enum class AfterSilence {
  ends_the_run,  ///< the run ends: policy "wait"
  drops_it,      ///< the run goes on without the neighbor: policy "drop"
};

/// A peer whose message is missing.
struct AwaitedPeer {
  PeerId id;
  std::string address;  ///< at which the peer listens; may be empty
  Duration silence;     ///< since its last sign of life, or since the wait began
  std::string limit;    ///< how long it may be silent, and why: ArrivalDeadline::text()
  Duration away{0};     ///< for how much longer it is away (topology.availability); 0: it is there
};

/// A wait that is long enough for a message to the user.
struct LongWait {
  PeerId self;
  std::uint64_t iteration;  ///< the one that cannot be completed
  Duration waited;
  Duration heartbeat;  ///< time between two heartbeats of a neighbor
  AfterSilence then;
  std::vector<AwaitedPeer> awaited;  ///< at least one
  Duration away{0};                  ///< for how much longer the peer that waits is away itself
};

/// Returns the message to the user: who waits for whom, in which iteration, since when, and what will happen
/// when. Pure. Three examples:
///
///     peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512: silent for 12 s; lost after 60 s
///     (failure.lost_after)
///
///     peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512 for 25 s now: it shows life, so it is
///     slow or waits itself
///
///     peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512 for 25 s now: it is away for
///     another 40 s (topology.availability)
std::string sentence(const LongWait& wait);

/// Returns a duration for people to read: "0.4 s" below 10 s, "119 s" below 2 min, else "2 min" or
/// "3 min 05 s".
std::string spoken(Duration duration);

}  // namespace hearsay
