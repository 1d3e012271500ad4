#pragma once

#include <vector>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/key_row.hpp"

namespace hearsay {

/// The keys of a network, common ([network]) or of one peer ([[network.peer]]); the name is the last part.
const std::vector<KeyRow<NetworkSettings>>& network_keys();

/// What a [[network.link]] may have besides its ends; the name is the last part.
const std::vector<KeyRow<LinkOverride>>& link_keys();

}  // namespace hearsay
