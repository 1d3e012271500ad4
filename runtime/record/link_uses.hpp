#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "runtime/record/outcome.hpp"

namespace hearsay {

/// What one peer sent to another, and how long the other waited for it. Pure.
struct LinkUse {
  PeerId from = 0;
  PeerId to = 0;
  double seconds = 0.0;     ///< that `to` waited for `from`
  std::uint64_t bytes = 0;  ///< that `from` sent to `to`
};

/// Returns the links by (from, to), one of each: what is said of one link in several places is added.
std::vector<LinkUse> merged(std::vector<LinkUse> said);

/// Returns the links that any peer sent over or waited for, as `merged` does.
std::vector<LinkUse> link_uses(const std::vector<PeerMeters>& peers);
std::vector<LinkUse> link_uses(const std::vector<PeerOutcome>& peers);

/// Returns the `most` links with the longest waits, the longest first. Of equal waits those with more bytes
/// come first, then those that come first in `links`.
std::vector<LinkUse> longest_waits(std::span<const LinkUse> links, std::size_t most);

/// All links as a map of at most 64 x 64 cells, each of the links from one block of peers to another.
struct LinkMap {
  struct Cell {
    PeerId from = 0;  ///< a block
    PeerId to = 0;    ///< the same
    double seconds = 0.0;
    double bytes = 0.0;
    std::uint64_t links = 0;
  };
  PeerId side = 1;          ///< peers of a block
  PeerId blocks = 1;        ///< on each side
  std::vector<Cell> cells;  ///< by (from, to), with means over their links; none without links
};
LinkMap link_map(std::span<const LinkUse> links);

}  // namespace hearsay
