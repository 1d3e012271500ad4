#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// "schema" of a summary with "per_peer", and of one with "peer_statistics".
inline constexpr int schema_of_lists = 1;
inline constexpr int schema_of_statistics = 2;

/// What carried a run's messages.
enum class Driver {
  zmq,        ///< processes and sockets, in real time
  simulator,  ///< one process, in virtual time
};

/// Returns the content of summary.json: how a run ended and what it cost (see this room's README.md). Totals
/// are sums over the peers; `gossip_rounds` and `peak_memory_bytes` are maxima over the peers;
/// `bytes_to_target` is the mean per peer. A value that a failed run cannot know is null, never 0.
template <class Scalar>
nlohmann::ordered_json summarize(const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome,
                                 Driver driver);

/// Returns what the loss of a run is of, "evaluated" of the summary.
std::string evaluated_text(const RunSettings& settings);

/// Returns what a peer has done so far, as it stands in "per_peer" of the summary.
nlohmann::ordered_json peer_record(PeerId id, const PeerMeters& meters);

/// Returns an object with what the peers have done so far, as the summary says it: "per_peer", or of more
/// than 1,000 peers "peer_statistics".
nlohmann::ordered_json peers_so_far(const std::vector<PeerMeters>& peers);

/// Returns the record as text, in one line or indented. Never fails: bytes that are not UTF-8 (a path can be
/// any bytes) become U+FFFD.
std::string json_text(const nlohmann::ordered_json& record, int indent = -1);

/// True if every replica that a peer keeps has the digest of what its owner published. If links change from
/// round to round, that is what the owner had published when it last sent to this peer. Empty if no replicas
/// are kept, or if the peers did not end at the same iteration. Peers that are gone do not count.
std::optional<bool> replicas_consistent(const std::vector<PeerOutcome>& peers);

}  // namespace hearsay
