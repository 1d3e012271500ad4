#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "algorithms/objectives/local_score.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/peer/counters.hpp"
#include "runtime/peer/divergence.hpp"
#include "runtime/peer/neighborhood.hpp"
#include "runtime/record/run_event.hpp"
#include "runtime/record/sent_bytes.hpp"
#include "runtime/record/waiting_times.hpp"

namespace hearsay {

/// How a run ended.
enum class RunStatus {
  done,         ///< all iterations were completed
  target,       ///< the target loss was reached
  plateau,      ///< run.patience evaluations in a row were no better than an earlier one
  diverged,     ///< a norm or the loss left the finite range, or the loss grew to 1e6 times its first value
  interrupted,  ///< the user interrupted the run
  lost,         ///< a peer was lost
};

/// True if the run ended by itself, and as it was meant to.
inline bool came_to_its_end(RunStatus status) {
  return status == RunStatus::done || status == RunStatus::target || status == RunStatus::plateau;
}

/// Running totals of one peer, counted by its driver. Bytes are header and payload of data frames.
struct PeerMeters {
  Duration now{0};  ///< since the start of the run
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t retransmitted = 0;  ///< messages sent again, after a loss in the emulated or the real network
  std::uint64_t gaps = 0;           ///< how often frames of a neighbor were missing
  std::uint64_t repeated = 0;       ///< frames that arrived again
  std::uint64_t refused = 0;        ///< handshakes that were refused
  std::uint64_t garbage = 0;        ///< invalid frames
  Duration compute{0};              ///< time in gradients
  Duration wait{0};                 ///< time waiting for messages and verdicts
  Duration wire{0};                 ///< time in which this peer's port was sending
  WaitingTimes waits;               ///< time waiting for messages, by source
  SentBytes sent_to;                ///< bytes_sent, by outgoing neighbor
  PeerCounters counters;

  /// Counts a message of `frame_bytes` to `hearer`.
  void count_sent(PeerId hearer, std::uint64_t frame_bytes) {
    bytes_sent += frame_bytes;
    messages_sent += 1;
    sent_to.add(hearer, frame_bytes);
  }
};

/// How far the model of each peer is from their mean. One number per peer up to 128 peers; of more peers 128
/// of their distances, evenly spaced from the least to the greatest, so that a long record stays small.
struct PeerDistances {
  static constexpr std::size_t most = 128;
  bool ranked = false;         ///< true if they are sorted; else they are in the order of the peers
  std::vector<double> values;  ///< ||x_i - mean||; NaN for a peer that is gone
};

/// One line of metrics.jsonl: the state of the run after `iteration` iterations at every peer.
struct Evaluation {
  std::uint64_t iteration = 0;
  double epoch = 0.0;    ///< gradient evaluations / samples
  double seconds = 0.0;  ///< from the start of the run until the last peer ended the iteration
  double loss = 0.0;     ///< objective of all data at the mean model, or at the hub's
  std::optional<double> accuracy;
  std::optional<double> loss_worst = {};   ///< the largest loss at a peer's own model; run.evaluate = "peers"
  std::optional<double> loss_spread = {};  ///< the largest minus the least
  double consensus_distance = 0.0;         ///< sqrt((1/n) sum_i ||x_i - mean||^2)
  std::uint64_t bytes_sent = 0;            ///< sum over the peers
  /// Headers, models, questions and answers between peers and observer so far; without the meters beside
  /// them.
  std::uint64_t evaluation_bytes = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t gradient_evaluations = 0;
  std::uint64_t gossip_rounds = 0;  ///< maximum over the peers
  double compute_seconds = 0.0;     ///< mean over the peers
  double wait_seconds = 0.0;
  double wire_seconds = 0.0;
  PeerDistances distances;  ///< a line of consensus.jsonl; empty at some evaluations of a long run
  PeerId gone = 0;          ///< peers that it is without; not recorded
};

/// A mean model with its evaluation.
struct KeptModel {
  Evaluation of;
  std::vector<std::byte> model;  ///< its scalars
};

/// The models of one evaluation that the run keeps (run.keep_models).
struct ModelSet {
  std::uint64_t iteration = 0;
  /// Their scalars: of the model that is evaluated, or by peer, then empty for one that is gone.
  std::vector<std::vector<std::byte>> models;
};

/// What an earlier process has recorded of a run that is continued.
struct RunRecord {
  std::vector<Evaluation> evaluations;  ///< in order
  std::optional<KeptModel> best = {};   ///< under run.keep = "best"
  std::vector<RunEvent> events = {};
  bool has_ended = false;  ///< the run came to its end; it goes on with more iterations
};

/// What is recorded of a peer when the run is over.
struct PeerOutcome {
  std::uint64_t iterations = 0;
  PeerMeters meters;
  std::uint64_t model_digest = 0;
  StateDigests digests;
  std::uint64_t peak_memory_bytes = 0;
  std::optional<Divergence> divergence;
  std::vector<Parting> partings = {};  ///< in the order of time
  /// The iteration in which this peer took over from the hub, for which it stood by.
  std::optional<std::uint64_t> took_over_in = {};
  /// Which congestion controls of TCP the connections that carried its messages had, ascending, and whether
  /// they were paced: "cubic, paced". Empty in a simulation.
  std::vector<std::string> congestions = {};
  /// The peer was dropped, was killed, or never came. Iterations and meters are then those of its last
  /// evaluation; the rest is unknown.
  bool gone = false;
};

/// The result of a run, without its models.
struct RunResult {
  RunStatus status = RunStatus::done;
  std::string reason;  ///< a sentence; empty if the status is done or target
  std::vector<Evaluation> evaluations;
  std::uint64_t loss_samples = 0;  ///< training samples that the last loss is of; 0 if there are none
  JudgedSamples judged = {};       ///< the samples that the last accuracy is of
  std::vector<PeerOutcome> peers;
  std::optional<Evaluation> target;  ///< the first evaluation at or below the target loss
  std::optional<Evaluation> best;    ///< the best evaluation; empty under run.keep = "last"
  double seconds = 0.0;
  std::uint64_t restarts = 0;         ///< how often a killed peer was started again
  std::vector<PeerId> dropped = {};   ///< peers that were lost and did not come back
  std::uint64_t returned = 0;         ///< how often a lost peer was heard of again
  std::vector<PeerId> joined = {};    ///< peers that joined while the run was going on without them
  std::vector<RunEvent> events = {};  ///< what happened to its peers, in the order of time
};

/// The result of a run with its models.
template <class Scalar>
struct RunOutcome : RunResult {
  std::vector<Vector<Scalar>> models;  ///< x_i of the last evaluation, by id; empty for a peer that is gone
  Vector<Scalar> mean_model;           ///< mean of these models
  Vector<Scalar> best_model;           ///< mean model of the best evaluation; empty under run.keep = "last"

  /// The model that the run leaves behind.
  const Vector<Scalar>& kept_model() const { return this->best ? best_model : mean_model; }
};

}  // namespace hearsay
