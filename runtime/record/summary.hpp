#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "runtime/experiment/experiment.hpp"
#include "runtime/record/outcome.hpp"

namespace hearsay {

/// Who moved a run's messages.
enum class Driver {
  zmq,        ///< processes and sockets, in real time
  simulator,  ///< one process, in virtual time
};

/// The content of summary.json: how a run ended and what it cost, in the order of the keys of design.md,
/// section 5. Sums are over the peers, `gossip_rounds` and `peak_memory_bytes` are the largest of a peer,
/// `bytes_to_target` is a peer's mean. What a failed run cannot know is null, never 0.
template <class Scalar>
nlohmann::ordered_json summarize(const Experiment<Scalar>& experiment, const RunOutcome<Scalar>& outcome,
                                 Driver driver);

/// The record as text, in one line or indented. Total: what is not UTF-8 in it (a path can be any bytes) is
/// U+FFFD.
std::string json_text(const nlohmann::ordered_json& record, int indent = -1);

/// Whether every replica that a peer keeps of another equals, by its digest, what its owner published (where
/// links change: had published when it last spoke to this peer); nothing where no replicas are kept, and
/// where the peers did not end at the same iteration.
std::optional<bool> replicas_consistent(const std::vector<PeerOutcome>& peers);

}  // namespace hearsay
