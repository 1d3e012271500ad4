#include "runtime/peer/hub_role.hpp"

#include <cstddef>
#include <cstring>
#include <utility>

namespace hearsay {

void HubRole::tell_roster(std::uint64_t iteration, const MixingRow& row, PacketPool& packets,
                          std::vector<Outgoing>& outbox) const {
  if (!rules_.standby || has_lost(*rules_.standby)) return;
  PacketBuffer roster = packets.acquire();
  std::span<std::byte> place = roster.resize(row.hears.size() * sizeof(std::uint32_t));
  for (const WeightedNeighbor& worker : row.hears) {
    const std::uint32_t id = worker.id;
    std::memcpy(place.data(), &id, sizeof id);
    place = place.subspan(sizeof id);
  }
  outbox.push_back({*rules_.standby, {iteration, roster_slot, self_}, std::move(roster).seal()});
}

}  // namespace hearsay
