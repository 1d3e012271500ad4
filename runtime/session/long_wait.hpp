#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/foundation/units.hpp"
#include "topology/foundation/peer_id.hpp"

namespace hearsay {

/// What becomes of a neighbor that stays silent.
enum class AfterSilence {
  ends_the_run,  ///< it is lost, and the run with it
  drops_it,      ///< it is lost, and the run goes on without it
};

/// One whose message is missing.
struct AwaitedPeer {
  PeerId id;
  std::string address;  ///< of the edge; may be empty
  Duration silence;     ///< since its last sign of life
  std::string limit;    ///< of that silence, and why: ArrivalDeadline::text()
};

/// A wait that has become long enough to be spoken of.
struct LongWait {
  PeerId self;
  std::uint64_t iteration;  ///< that cannot be ended
  Duration waited;
  Duration heartbeat;  ///< a neighbor that shows life is heard so often
  AfterSilence then;
  std::vector<AwaitedPeer> awaited;  ///< at least one
};

/// Who waits, for whom and over which edge, in which iteration, since when, and what will happen when. Pure.
///
///     peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512: silent for 12 s; lost after 60 s
///     (failure.lost_after) peer 2 waits for peer 3 (tcp://10.0.0.3:7000) in iteration 512 for 25 s now: it
///     shows life, so it is slow or waits itself
std::string sentence(const LongWait& wait);

/// A time to be read, not to be parsed back: whole seconds from 10 s on, minutes from 2 min on, else with one
/// decimal.
std::string spoken(Duration duration);

}  // namespace hearsay
