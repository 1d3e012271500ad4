#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
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
  /// The sender of `word`, a hello or `parted`, says that it has removed the edge, which is in here.
  void hear_removal(const FrameHeader& word, SessionContext& context) const;
  /// Another end says that it leaves, for the reason `why`, or has removed the edge.
  void hear_parted(const FrameHeader& parted, std::span<const std::byte> why, SessionContext& context) const;
  /// Neighbor `joiner` asks for the model, in the middle of the run. If its edge is in, it is a new process
  /// without a state, so its predecessor is gone.
  void hear_join(PeerId joiner, SessionContext& context) const;

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
  /// True if `word`, which says that the edge is out, was sent before both ends agreed that it be in again.
  /// (What comes over another connection than the agreement may come later. If its sender has removed the
  /// edge once more, its next hello says so.)
  bool is_outdated(const FrameHeader& word) const {
    const auto from = restored_from(word.sender);
    return from && word.iteration < *from;
  }
  /// Both ends have agreed: the edge is in again from `iteration` on.
  void restore(PeerId neighbor, std::uint64_t iteration);

  std::vector<Edge> out_;
  std::vector<std::pair<PeerId, std::uint64_t>> restored_;  // neighbor, first iteration with the edge
};

}  // namespace hearsay
