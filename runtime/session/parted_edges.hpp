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

/// Policy "drop": the edges of this peer that are out, and what their ends say to each other until the edges
/// are in again (edge_request.hpp).
class PartedEdges {
 public:
  /// True if the edge to `neighbor` is out.
  bool contains(PeerId neighbor) const { return find(neighbor) != nullptr; }
  /// The edge is out. An offer that was made for it, or an agreement that it be in again, is forgotten.
  void part(PeerId neighbor);
  /// True if a hello or `parted`, which says that the edge is out, was sent before both ends agreed that it
  /// be in again. (What comes over another connection than the agreement may come later. If its sender has
  /// removed the edge once more, its next hello says so.)
  bool is_outdated(const FrameHeader& word) const {
    const auto from = restored_from(word.sender);
    return from && word.iteration < *from;
  }

  /// Notes the change of an edge, and tells the other end.
  void send_edge_request(const EdgeRequest& request, Retention& retention, SessionContext& context);
  /// Answers `taken` to the neighbor's offer, if both ends have agreed on an iteration; else does nothing.
  void say_taken(PeerId neighbor, SessionContext& context) const;
  /// Handles a frame from a source whose edge is out.
  void hear_source(const FrameHeader& head, SessionContext& context) const;
  /// Handles a frame from a destination. True if nothing more is to be done with the frame. A `welcome` is
  /// never done with: it concerns the link, too.
  bool hear_destination(PeerId destination, const FrameHeader& head, SessionContext& context) const;

 private:
  struct Edge {
    PeerId to;
    bool offered = false;  // whether this peer has offered that the edge be in again
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
  /// Both ends have agreed: the edge is in again from `iteration` on.
  void restore(PeerId neighbor, std::uint64_t iteration) {
    restored_.emplace_back(neighbor, iteration);
    std::erase_if(out_, [&](const Edge& edge) { return edge.to == neighbor; });
  }

  std::vector<Edge> out_;
  std::vector<std::pair<PeerId, std::uint64_t>> restored_;  // neighbor, first iteration with the edge
};

}  // namespace hearsay
