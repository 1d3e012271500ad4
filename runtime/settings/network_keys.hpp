#pragma once

#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// Returns the keys that [network] (all peers) and [[network.peer]] (one peer) share, named by their last
/// part: "latency".
const std::vector<KeyRow<NetworkSettings>>& network_keys();

/// Returns the keys of a [[network.link]] besides its ends, named by their last part.
const std::vector<KeyRow<LinkOverride>>& link_keys();

}  // namespace hearsay
