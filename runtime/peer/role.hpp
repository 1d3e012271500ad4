#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/peer/asynchronous_role.hpp"
#include "runtime/peer/gossip_role.hpp"
#include "runtime/peer/hub_role.hpp"
#include "runtime/peer/standby_role.hpp"
#include "runtime/peer/worker_role.hpp"

namespace hearsay {

/// What a peer is in its run. What only one role has lives in that role; what all have is asked here.
template <class Scalar>
class Role {
 public:
  /// Takes the second hub out of `input`. All three must outlive this object; `edges` is null under policy
  /// "wait".
  Role(PeerInput<Scalar>& input, PeerCounters& counters, const Neighborhood* edges)
      : role_(role_of(input, counters, edges)) {}
  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;

  // Null if the peer has another role.

  AsynchronousRole<Scalar>* asynchronous() { return std::get_if<AsynchronousRole<Scalar>>(&role_); }
  HubRole* as_hub() { return std::get_if<HubRole>(&role_); }
  const HubRole* as_hub() const { return std::get_if<HubRole>(&role_); }
  const WorkerRole* as_worker() const { return std::get_if<WorkerRole>(&role_); }
  const StandbyRole<Scalar>* as_standby() const { return std::get_if<StandbyRole<Scalar>>(&role_); }

  // See GossipRole.

  std::optional<PeerId> hub() const {
    return visit([](const auto& role) { return role.hub(); });
  }
  bool survives_hub() const {
    return visit([](const auto& role) { return role.survives_hub(); });
  }
  bool awaits_standby() const {
    return visit([](const auto& role) { return role.awaits_standby(); });
  }
  bool hears_claim(std::uint64_t completed) const {
    return visit([&](const auto& role) { return role.hears_claim(completed); });
  }
  bool deals_with(PeerId other) const {
    return visit([&](const auto& role) { return role.deals_with(other); });
  }
  bool has_lost(PeerId other) const {
    return visit([&](const auto& role) { return role.has_lost(other); });
  }
  NeighborLoss lose(PeerId neighbor) {
    return std::visit([&](auto& role) { return role.lose(neighbor); }, role_);
  }
  void post(Outgoing message, std::vector<Outgoing>& outbox) {
    std::visit([&](auto& role) { role.post(std::move(message), outbox); }, role_);
  }
  Hearing hear(MessageKey& key, const PacketRef& packet, const MessageMetadata& metadata,
               std::uint64_t completed) {
    return std::visit([&](auto& role) { return role.hear(key, packet, metadata, completed); }, role_);
  }

 private:
  using Variant =
      std::variant<GossipRole, AsynchronousRole<Scalar>, HubRole, WorkerRole, StandbyRole<Scalar>>;

  static Variant role_of(PeerInput<Scalar>& input, PeerCounters& counters, const Neighborhood* edges) {
    if (input.algorithm->answering()) return AsynchronousRole<Scalar>(input, counters, edges);
    if (!input.hub) return GossipRole(edges);
    if (*input.hub == input.id) return HubRole(input.id, {input.rounds_close, input.standby}, edges);
    if (!input.standby_hub) return WorkerRole(*input.hub, {input.rounds_close, input.standby}, edges);
    return StandbyRole<Scalar>(input.id, *input.hub, std::move(input.standby_hub), edges);
  }
  template <class Ask>
  auto visit(const Ask& ask) const {
    return std::visit(ask, role_);
  }

  Variant role_;
};

}  // namespace hearsay
