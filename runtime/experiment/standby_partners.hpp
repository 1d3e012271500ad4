#pragma once

#include <vector>

#include "algorithms/seam/pattern.hpp"
#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Adds the standby to the partners of a worker, and the other workers to those of the standby.
void add_partners_of_standby(PeerId standby, PeerId id, PeerId peer_count, Partners& partners);

/// Returns the peers to which `id` sends no message of the method as long as nobody is lost: those of a
/// standby are the other workers, and theirs is nobody.
std::vector<PeerId> quiet_destinations(const RunSettings& settings, PeerId id);

}  // namespace hearsay
