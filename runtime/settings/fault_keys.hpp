#pragma once

#include <string>

#include "runtime/settings/run_settings.hpp"
#include "runtime/toml/setting.hpp"

namespace hearsay {

/// The key of the array of tables: "fault".
inline const std::string faults_key = "fault";

/// Reads the tables of [[fault]]. Throws Misuse unless each is a fault of peers that there are, or random
/// kills.
std::vector<FaultTable> read_faults(const Setting& array, PeerId peer_count);

/// Returns the tables as they stand in a run file; empty if there are none.
std::string faults_text(const std::vector<FaultTable>& tables);

}  // namespace hearsay
