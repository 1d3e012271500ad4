#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/session/context.hpp"
#include "runtime/session/silence_watch.hpp"
#include "runtime/wire/agreement.hpp"

namespace hearsay {

/// Returns what the session of peer `id` is made from, without the addresses, and without what its driver
/// alone knows: the checkpoints that it holds. `agreement`: that of the experiment. `incarnation`: of its
/// process. `same_machine`: all peers share one clock.
template <class Scalar>
PeerSessionInput session_input(const Experiment<Scalar>& experiment, Agreement agreement, PeerId id,
                               std::uint32_t incarnation, bool same_machine, Duration start_patience);

/// Returns the input with the addresses of its destinations. `addresses`: of all peers, by id; empty: they
/// have none.
PeerSessionInput with_addresses(PeerSessionInput input, const std::vector<std::string>& addresses);

/// Returns the input with the storage of long messages, which must outlive the session.
PeerSessionInput with_packets(PeerSessionInput input, PacketPool& packets);

/// Returns the peers that a failure detector watches: the sources of the session. `addresses` as above.
std::vector<WatchedPeer> watched_by(const PeerSessionInput& input, const std::vector<std::string>& addresses);

}  // namespace hearsay
