#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "runtime/session/context.hpp"
#include "runtime/session/edge_request.hpp"
#include "runtime/session/retention.hpp"

namespace hearsay {

/// Policy "drop": which edges of a peer are out, and what their ends say to each other until they are in
/// again (edge_request.hpp).
class PartedEdges {
 public:
  bool contains(PeerId neighbor) const { return find(neighbor) != nullptr; }
  /// Anew, if it is out already: an offer is withdrawn.
  void part(PeerId neighbor);
  /// Whether a hello that says that the edge is out was sent before the two agreed to restore the edge.
  bool is_outdated(const FrameHeader& hello) const {
    const auto from = restored_from(hello.sender);
    return from && hello.iteration < *from;
  }

  /// What the peer wants the other end to know.
  void obey(const EdgeWish& wish, Retention& retention, SessionContext& context);
  /// If this peer has taken the neighbor's offer: says so, again.
  void say_taken(PeerId neighbor, SessionContext& context) const;
  /// From a source, of an edge that is out.
  void hear_source(const FrameHeader& head, SessionContext& context) const;
  /// Returns whether that was for this edge alone; a welcome is for the link, too.
  bool hear_destination(PeerId destination, const FrameHeader& head, SessionContext& context) const;

 private:
  struct Edge {
    PeerId to;
    bool offered = false;  // that it be in again, and no answer has come
  };
  const Edge* find(PeerId neighbor) const {
    const auto found = std::ranges::find(out_, neighbor, &Edge::to);
    return found == out_.end() ? nullptr : &*found;
  }
  bool is_offered(PeerId neighbor) const {
    const Edge* const edge = find(neighbor);
    return edge && edge->offered;
  }
  std::optional<std::uint64_t> restored_from(PeerId neighbor) const {
    const auto known = std::ranges::find(restored_, neighbor, &std::pair<PeerId, std::uint64_t>::first);
    return known == restored_.end() ? std::nullopt : std::optional(known->second);
  }
  /// Both ends have agreed that the edge is in from `iteration` on.
  void restore(PeerId neighbor, std::uint64_t iteration) {
    restored_.emplace_back(neighbor, iteration);
    std::erase_if(out_, [&](const Edge& edge) { return edge.to == neighbor; });
  }

  std::vector<Edge> out_;
  std::vector<std::pair<PeerId, std::uint64_t>> restored_;  // from which iteration on
};

}  // namespace hearsay
