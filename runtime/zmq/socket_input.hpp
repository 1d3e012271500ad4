#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/foundation/shared_slots.hpp"
#include "runtime/network/link.hpp"
#include "runtime/network/partitions.hpp"
#include "runtime/record/timeline.hpp"
#include "runtime/security/credentials.hpp"
#include "runtime/zmq/observer_lane.hpp"

namespace hearsay {

struct Destination {
  PeerId id;
  std::string address;
  Link link;
};

struct Source {
  PeerId id;
  ArrivalRate arrival;  ///< the rate at which its bytes arrive (link.hpp)
};

struct SocketInput {
  PeerId self;
  std::uint32_t run_id;         ///< of the run's frames
  std::uint32_t incarnation;    ///< of this process
  std::vector<Source> sources;  ///< the peers that this peer hears, ascending
  EgressPort egress;
  IngressPort ingress;
  std::size_t payload_limit_bytes;     ///< of a message of a neighbor, and of any other frame
  std::size_t piece_bytes;             ///< longer messages of neighbors travel in pieces
  std::size_t held_frames_limit;       ///< the most data frames that may be held until they are due
  bool same_machine;                   ///< all peers share one clock: due times travel as they are
  SharedCredentials credentials = {};  ///< null: plain text
  std::string congestion;              ///< network.congestion
  Bandwidth port = {};                 ///< network.pace
  bool oldest_first = false;           ///< messages wait for those of earlier iterations (OldestFirst)
  Timeline* timeline = nullptr;        ///< as in RunControl
  std::optional<ObserverLane> observer_lane = {};  ///< empty: evaluations are free
  const SharedSlots* slots = nullptr;              ///< where its evaluations may stand; null: they travel
  Partitions partitions;                           ///< frames that they cut off are lost
};

}  // namespace hearsay
