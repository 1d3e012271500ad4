#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <vector>

#include "runtime/record/link_uses.hpp"
#include "runtime/record/peer_columns.hpp"

namespace hearsay {

/// A summary lists the records of so many peers. Of more it says statistics.
inline constexpr std::size_t most_peers_listed = 1000;

/// The share of the peers, in percent, of which a quantile says the most: 0 and 100 are the extremes.
struct Quantile {
  const char* name;
  std::size_t percent;
};
inline constexpr Quantile quantiles[] = {{"least", 0}, {"p1", 1},   {"p10", 10},  {"median", 50},
                                         {"p90", 90},  {"p99", 99}, {"most", 100}};

/// Returns "peer_statistics" of the summary: quantiles, totals and the ten worst peers of each column, and
/// what the links were used for (see this room's README.md). Pure.
nlohmann::ordered_json peer_statistics(std::size_t peers, std::span<const PeerColumn> columns,
                                       std::span<const LinkUse> links);

}  // namespace hearsay
