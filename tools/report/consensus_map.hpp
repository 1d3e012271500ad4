#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <unordered_map>

#include "tools/report/course.hpp"

namespace hearsay {

/// Returns how far each peer was from the mean, over time, of the lines of consensus.jsonl:
///
///     {"by":"peer"|"rank","iteration":[..],"distances":[[a number per peer or rank],.. per evaluation]}
///
/// Of more than 160 evaluations, 160 evenly spaced ones. Null if there are fewer than two peers or two
/// evaluations, or if all peers always had the same model.
nlohmann::ordered_json consensus_map(const Course& lines);

/// Collects the maps of the runs on a page. Equal ones stand there once, since no network changes what a
/// synchronous method learns. If all together have more than 1.3 million numbers (about 9 MB of the page, 64
/// runs with 128 peers), each map gets fewer evaluations, down to 20.
class ConsensusMaps {
 public:
  /// Returns the index of the map in `maps`, to which it is appended if it is new; null without a map.
  nlohmann::ordered_json add(const Course& lines, nlohmann::ordered_json& maps);

 private:
  std::unordered_map<std::string, std::size_t> places_;  ///< by the digest of the map's text
  std::size_t most_evaluations_ = 160;                   ///< of a map
  std::size_t numbers_ = 0;                              ///< of all maps
};

}  // namespace hearsay
