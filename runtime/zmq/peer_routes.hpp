#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace hearsay {

/// The connection over which a peer spoke last. If several processes claim to be that peer, it has the
/// connections of the last two of them, always including the process that is the peer (`holder`).
struct PeerRoutes {
  struct Way {
    std::uint32_t incarnation = 0;
    std::string to;  ///< empty if no process has spoken
  };
  std::array<Way, 2> ways;

  void note(std::uint32_t incarnation, const std::string& from, std::uint32_t holder) {
    const bool is_first = ways[0].to.empty() || ways[0].incarnation == incarnation ||
                          (ways[1].incarnation != incarnation && ways[0].incarnation != holder);
    ways[is_first ? 0 : 1] = {incarnation, from};
  }
  /// The way to the process `only` if one is named (empty if there is none); else to the holder, or to the
  /// process that has spoken in its name.
  std::string to(const std::optional<std::uint32_t>& only, std::uint32_t holder) const {
    for (const Way& way : ways)
      if (!way.to.empty() && way.incarnation == only.value_or(holder)) return way.to;
    return only ? std::string() : ways[0].to;
  }
};

}  // namespace hearsay
