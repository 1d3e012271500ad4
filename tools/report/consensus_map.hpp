#pragma once

#include <nlohmann/json_fwd.hpp>

#include "tools/report/course.hpp"

namespace hearsay {

/// Returns how far each peer was from the mean, over time, of the lines of consensus.jsonl:
///
///     {"by":"peer"|"rank","iteration":[..],"distances":[[a number per peer or rank],.. per evaluation]}
///
/// Of more than 160 evaluations, 160 evenly spaced ones. Null if there are fewer than two peers or two
/// evaluations, or if all peers always had the same model.
nlohmann::ordered_json consensus_map(const Course& lines);

}  // namespace hearsay
