#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "algorithms/seam/method.hpp"
#include "topology/hub_rounds.hpp"

namespace hearsay {

/// A peer's place in the tree of a hub (is_hub_tree): a star, or a star of stars. On a star the hub gathers
/// what all workers answer. On a tree some of them are heads of groups: a head passes on to its group what
/// the hub says, gathers what the group answers, and answers the hub for all of it.
struct TreePlace {
  std::vector<PeerId> above;  ///< the peer that it hears the model from; none for the hub
  std::vector<PeerId> below;  ///< the peers whose answers it gathers, ascending

  /// A peer's neighbors are the one above and those below. The hub is below nobody and has the least id, so
  /// whoever is linked with it is below it.
  template <class Scalar>
  explicit TreePlace(const MethodInput<Scalar>& input) : below(input.neighbors) {
    if (input.self == hub_id || below.empty()) return;
    above = {below.front()};
    below.erase(below.begin());
  }

  bool is_hub() const { return above.empty(); }
  bool is_head() const { return !above.empty() && !below.empty(); }
  bool is_worker() const { return !above.empty() && below.empty(); }

  /// co_await place.answers(it): what the peers below answer in slot 0.
  template <class Scalar>
  auto answers(Iteration<Scalar>& it) const {
    return is_head() ? it.collect(0, it.number(), below) : it.collect(0);
  }

  /// A head sends its group the packet that it heard in `slot`, as it came.
  template <class Scalar>
  void pass_on(Iteration<Scalar>& it, Slot slot, std::span<const PacketRef> packets) const {
    if (packets.empty() || !packets.front()) return;
    for (const PeerId worker : below) it.send(slot, worker, packets.front());
  }

  /// What the peer sends in an iteration: all of its messages go down if it is the hub, and up if it is a
  /// worker. A head sends one up. `up`, `down`: what it would send if all went up, or down.
  Traffic traffic(const Traffic& up, const Traffic& down) const {
    if (is_hub()) return down;
    if (!is_head() || up.messages == 0) return up;
    const std::uint64_t group = up.messages - 1;
    return {up.messages, up.payload_bytes / up.messages + down.payload_bytes / down.messages * group,
            up.exact && down.exact};
  }
};

}  // namespace hearsay
