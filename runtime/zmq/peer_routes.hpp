#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace hearsay {

/// The connection (routing id) over which a peer sent its last frame. If several processes claim to be that
/// peer: the connections of the last two of them, one of which is always that of the process that has the id
/// (`holder`).
struct PeerRoutes {
  struct Way {
    std::uint32_t incarnation = 0;
    std::string to;  ///< routing id; empty if there is no such process
  };
  std::array<Way, 2> ways;

  /// Process `incarnation` has sent a frame with routing id `from`.
  void note(std::uint32_t incarnation, const std::string& from, std::uint32_t holder) {
    const bool is_first = ways[0].to.empty() || ways[0].incarnation == incarnation ||
                          (ways[1].incarnation != incarnation && ways[0].incarnation != holder);
    ways[is_first ? 0 : 1] = {incarnation, from};
  }
  /// Returns the routing id of process `only`, if one is given; empty if that process is not known. Otherwise
  /// returns the routing id of the holder, or of ways[0] if the holder is not known.
  std::string to(const std::optional<std::uint32_t>& only, std::uint32_t holder) const {
    for (const Way& way : ways)
      if (!way.to.empty() && way.incarnation == only.value_or(holder)) return way.to;
    return only ? std::string() : ways[0].to;
  }
};

}  // namespace hearsay
