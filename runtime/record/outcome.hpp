#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/arithmetic/vector.hpp"
#include "runtime/foundation/digest.hpp"
#include "runtime/foundation/units.hpp"
#include "runtime/peer/peer.hpp"
#include "runtime/record/sent_bytes.hpp"
#include "runtime/record/waiting_times.hpp"

namespace hearsay {

/// How a run ended.
enum class RunStatus {
  done,         ///< all iterations
  target,       ///< the target loss was reached
  diverged,     ///< a norm or the loss left the finite range
  interrupted,  ///< by the user
  lost,         ///< a peer was lost
};

/// Running totals of one peer, as its driver counts them. Bytes are header and payload of data frames.
struct PeerMeters {
  Duration now{0};  ///< since the start of the run
  std::uint64_t bytes_sent = 0;
  std::uint64_t bytes_received = 0;
  std::uint64_t messages_sent = 0;
  std::uint64_t retransmitted = 0;  ///< messages sent again: what the emulated or the real network lost
  std::uint64_t gaps = 0;           ///< times that frames of a neighbor were missing
  std::uint64_t repeated = 0;       ///< frames that came again
  std::uint64_t refused = 0;        ///< handshakes
  std::uint64_t garbage = 0;        ///< frames that were none
  Duration compute{0};              ///< in gradients
  Duration wait{0};                 ///< for messages and verdicts
  Duration wire{0};                 ///< the own port busy sending
  WaitingTimes waits;               ///< for messages, by whom they were to come from
  SentBytes sent_to;                ///< bytes_sent, by whom they went to
  PeerCounters counters;

  /// A message of `frame_bytes` to `hearer`.
  void count_sent(PeerId hearer, std::uint64_t frame_bytes) {
    bytes_sent += frame_bytes;
    messages_sent += 1;
    sent_to.add(hearer, frame_bytes);
  }
};

/// One line of metrics.jsonl: the state of the run after `iteration` iterations at every peer.
struct Evaluation {
  std::uint64_t iteration = 0;
  double epoch = 0.0;    ///< gradient evaluations / samples
  double seconds = 0.0;  ///< when the last peer ended the iteration
  double loss = 0.0;     ///< pooled objective of the mean model
  std::optional<double> accuracy;
  double consensus_distance = 0.0;  ///< sqrt((1/n) sum_i ||x_i - mean||^2)
  std::uint64_t bytes_sent = 0;     ///< sum over the peers
  std::uint64_t messages_sent = 0;
  std::uint64_t gradient_evaluations = 0;
  std::uint64_t gossip_rounds = 0;  ///< of the slowest peer
  double compute_seconds = 0.0;     ///< mean over the peers
  double wait_seconds = 0.0;
  double wire_seconds = 0.0;
};

/// What is left of a peer when the run is over.
struct PeerOutcome {
  std::uint64_t iterations = 0;
  PeerMeters meters;
  std::uint64_t model_digest = 0;
  StateDigests digests;
  std::uint64_t peak_memory_bytes = 0;
  std::optional<Divergence> divergence;
  std::vector<Parting> partings = {};  ///< in time
  bool gone = false;                   ///< it was dropped, or has never come: nothing else is known
};

/// A whole run, whatever the driver and the scalar of its models.
struct RunResult {
  RunStatus status = RunStatus::done;
  std::string reason;  ///< a sentence, where the status is not done or target
  std::vector<Evaluation> evaluations;
  std::vector<PeerOutcome> peers;
  std::optional<Evaluation> target;  ///< the first evaluation at or below the target loss
  double seconds = 0.0;
  std::uint64_t restarts = 0;        ///< of peers that were killed
  std::vector<PeerId> dropped = {};  ///< were lost, and did not come back
  std::uint64_t returned = 0;        ///< how often one that was lost came back
  std::vector<PeerId> joined = {};   ///< began anew, when the run had gone on without them
};

/// A whole run and what it has learned.
template <class Scalar>
struct RunOutcome : RunResult {
  std::vector<Vector<Scalar>> models;  ///< x_i of the last evaluation
  Vector<Scalar> mean_model;           ///< of the same
};

}  // namespace hearsay
