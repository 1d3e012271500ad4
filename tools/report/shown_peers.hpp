#pragma once

#include <nlohmann/json.hpp>

namespace hearsay {

/// Returns what each peer did, in columns:
///
///     {"of" (how many peers there are),"peer":[..],"bytes_sent":[..],"bytes_received":[..],
///      "compute_seconds":[..],"wait_seconds":[..],"wire_seconds":[..],
///      "links":[[from, to, seconds that `to` waited, bytes],..],
///      "map":{"side" (peers of a block),"blocks" (on each side),
///             "cells":[[from block, to block, seconds, bytes, how many links],..]},
///      "spread":{"bytes_sent":{"least","p1","p10","median","p90","p99","most","total","worst"},..}}
///
/// Of more than 128 peers only those that waited longest; of more than 128 links only those with the longest
/// waits. The map has all links: a cell has the means over the links from one block of peers to another, and
/// a block is one peer if there are at most 64. Null if the summary has no such data.
///
/// Of a summary with "peer_statistics" the peers are the ten that waited longest, and "spread" has the same
/// columns as above; else there is no "spread".
nlohmann::ordered_json peers_of(const nlohmann::ordered_json& summary);

}  // namespace hearsay
