#include "runtime/record/slowest_link.hpp"

#include <algorithm>

namespace hearsay {

namespace {

/// A peer, the source that it waited for most (itself if it never waited), and for how long.
struct Blame {
  PeerId of;
  PeerId source;
  Duration waited;
};

Blame blame_of(PeerId id, const std::vector<PeerOutcome>& peers) {
  Blame blame{id, id, Duration{0}};
  for (const auto& [source, waited] : peers[id].meters.waits.by_source())
    if (waited > blame.waited && source < peers.size() && source != id) blame = {id, source, waited};
  return blame;
}

/// Returns for each peer whether it is on a cycle of blames.
std::vector<bool> on_cycles(const std::vector<Blame>& blames) {
  std::vector<bool> on_cycle(blames.size(), false);
  std::vector<std::size_t> trail_of(blames.size(), 0);  // 1 + start of the first trail over it; 0: none
  for (PeerId start = 0; start < blames.size(); ++start) {
    const std::size_t trail = std::size_t{1} + start;
    PeerId id = start;
    for (; trail_of[id] == 0; id = blames[id].source) trail_of[id] = trail;
    if (trail_of[id] != trail) continue;  // the trail ran into an earlier one
    for (; !on_cycle[id]; id = blames[id].source) on_cycle[id] = true;
  }
  return on_cycle;
}

}  // namespace

std::optional<SlowestLink> slowest_link(const std::vector<PeerOutcome>& peers) {
  std::vector<Blame> blames;
  for (PeerId id = 0; id < peers.size(); ++id) blames.push_back(blame_of(id, peers));
  const std::vector<bool> on_cycle = on_cycles(blames);
  std::optional<SlowestLink> slowest;
  for (const Blame& blame : blames) {
    if (blame.waited == Duration{0}) continue;
    const bool source_waits_for_nobody = blames[blame.source].source == blame.source;
    if (!on_cycle[blame.of] && !source_waits_for_nobody) continue;
    if (slowest && blame.waited <= slowest->waited) continue;
    const double whole = seconds(peers[blame.of].meters.now);
    slowest =
        SlowestLink{blame.source, blame.of, blame.waited, whole > 0.0 ? seconds(blame.waited) / whole : 0.0};
  }
  return slowest;
}

}  // namespace hearsay
