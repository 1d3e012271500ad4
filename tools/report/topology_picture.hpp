#pragma once

#include <nlohmann/json_fwd.hpp>

#include "runtime/settings/run_settings.hpp"

namespace hearsay {

/// The topology of a run as a page shows it:
/// {"title","peers","links","degree":[least,most],"diameter","weights","svg"}. "svg" is null, and "why" says
/// so, where there are more peers than a picture has room for; where the topology cannot be made any more
/// (its file is gone, say) there is nothing but "title" and "why".
nlohmann::ordered_json topology_picture(const RunSettings& settings);

}  // namespace hearsay
