#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// Returns the topology of a run as a page shows it:
///
///     {"title","peers","links","degree":[least,most],"diameter","weights","svg"}
///
/// "svg" is null if there are more peers than a picture has room for; "why" then says so. If the topology
/// cannot be made any more (its file is gone, say), only "title" and "why" are set.
nlohmann::ordered_json topology_picture(const RunSettings& settings);

/// Returns the spectral gap of a run; null if it has none, or if the topology cannot be made any more.
nlohmann::ordered_json own_spectral_gap(const RunSettings& settings);

}  // namespace hearsay
